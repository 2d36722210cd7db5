// SPDX-License-Identifier: Apache-2.0
#include "engine/execution/rare/integers.h"

#include "engine/execution/rare/lane_operation.h"

#include <algorithm>
#include <bit>

namespace kernelskill::simulator {

std::uint64_t VideoMode::bits() const {
    std::uint64_t packed = 0;
    int at = 0;
    const auto put = [&](std::uint64_t value, int width) { packed |= value << at; at += width; };
    put(static_cast<std::uint64_t>(operation), 4);
    put(static_cast<std::uint64_t>(parts), 3);
    for (const bool flag : {signedResult, signedA, signedB, saturate, wrap, plusOne, negateProduct, negateC}) put(flag ? 1 : 0, 1);
    put(static_cast<std::uint64_t>(comparison), 3);
    put(static_cast<std::uint64_t>(second), 2);
    put(static_cast<std::uint64_t>(destination), 4);
    put(static_cast<std::uint64_t>(shift), 4);
    put(static_cast<std::uint64_t>(selectA), 3);
    put(static_cast<std::uint64_t>(selectB), 3);
    return packed;
}

VideoMode VideoMode::from(std::uint64_t bits) {
    VideoMode m;
    const auto take = [&](int width) { const auto value = static_cast<int>(bits & ((1u << width) - 1)); bits >>= width; return value; };
    m.operation = static_cast<VideoOperation>(take(4));
    m.parts = take(3);
    for (bool *flag : {&m.signedResult, &m.signedA, &m.signedB, &m.saturate, &m.wrap, &m.plusOne, &m.negateProduct, &m.negateC}) *flag = take(1) != 0;
    m.comparison = take(3);
    m.second = take(2);
    m.destination = take(4);
    m.shift = take(4);
    m.selectA = take(3);
    m.selectB = take(3);
    return m;
}

namespace {

// Bits `from` … of a register as a number.
std::int64_t partOf(std::uint64_t value, int from, int width, bool isSigned) {
    const std::uint64_t field = value >> from & ((std::uint64_t{1} << width) - 1);
    return isSigned && (field >> (width - 1) & 1) ? static_cast<std::int64_t>(field) - (std::int64_t{1} << width) : static_cast<std::int64_t>(field);
}
std::int64_t selected(std::uint64_t value, int select, bool isSigned) {
    if (select == 0) return partOf(value, 0, 32, isSigned);
    return select <= 4 ? partOf(value, 8 * (select - 1), 8, isSigned) : partOf(value, 16 * (select - 5), 16, isSigned);
}
std::int64_t clamped(std::int64_t value, int width, bool isSigned) {
    const std::int64_t low = isSigned ? -(std::int64_t{1} << (width - 1)) : 0, high = (std::int64_t{1} << (isSigned ? width - 1 : width)) - 1;
    return std::clamp(value, low, high);
}
bool compares(std::int64_t a, std::int64_t b, int comparison) {
    switch (comparison) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    default: return a >= b;
    }
}

std::int64_t videoResult(const VideoMode &m, std::int64_t a, std::int64_t b) {
    switch (m.operation) {
    case VideoOperation::Add: return a + b;
    case VideoOperation::Subtract: return a - b;
    case VideoOperation::Difference: return a < b ? b - a : a - b;
    case VideoOperation::Average: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1; // rounds away from zero
    case VideoOperation::Minimum: return std::min(a, b);
    case VideoOperation::Maximum: return std::max(a, b);
    case VideoOperation::Compare: return compares(a, b, m.comparison) ? 1 : 0;
    default: return 0;
    }
}

std::int64_t shifted(const VideoMode &m, std::int64_t a, std::uint64_t b) {
    const auto distance = static_cast<int>(m.wrap ? b & 31 : std::min<std::uint64_t>(b & 0xffff'ffffu, 32));
    return m.operation == VideoOperation::ShiftLeft ? static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << distance) : a >> distance;
}

std::uint64_t videoLane(const LaneSources &s, std::uint64_t mode) {
    const VideoMode m = VideoMode::from(mode);
    const std::int64_t a = selected(s.a, m.selectA, m.signedA), b = selected(s.b, m.selectB, m.signedB);
    if (m.operation == VideoOperation::MultiplyAdd) {
        const auto c = partOf(s.c, 0, 32, m.signedResult);
        __extension__ using Wide = __int128;
        const Wide product = m.negateProduct ? -static_cast<Wide>(a) * b : static_cast<Wide>(a) * b;
        const auto sum = static_cast<std::int64_t>((product + (m.negateC ? -c : c) + (m.plusOne ? 1 : 0)) >> m.shift);
        return static_cast<std::uint32_t>(m.saturate ? clamped(sum, 32, m.signedResult) : sum);
    }
    const bool shifts = m.operation == VideoOperation::ShiftLeft || m.operation == VideoOperation::ShiftRight;
    std::int64_t value = shifts ? shifted(m, a, static_cast<std::uint64_t>(b)) : videoResult(m, a, b);
    const int width = m.destination == 0 ? 32 : m.destination <= 4 ? 8 : 16;
    if (m.saturate) value = clamped(value, width, m.signedResult);
    const auto c = partOf(s.c, 0, 32, m.signedResult);
    if (m.destination != 0) {
        const int at = m.destination <= 4 ? 8 * (m.destination - 1) : 16 * (m.destination - 5);
        const std::uint32_t mask = ((1u << width) - 1) << at;
        return (static_cast<std::uint32_t>(s.c) & ~mask) | (static_cast<std::uint32_t>(value) << at & mask);
    }
    value = partOf(static_cast<std::uint64_t>(value), 0, 32, m.signedResult);
    switch (m.second) {
    case 1: value += c; break;
    case 2: value = std::min(value, c); break;
    case 3: value = std::max(value, c); break;
    default: break;
    }
    return static_cast<std::uint32_t>(value);
}

std::uint64_t videoVectorLane(const LaneSources &s, std::uint64_t mode) {
    const VideoMode m = VideoMode::from(mode);
    const int width = 32 / m.parts;
    const std::uint32_t ones = (1u << width) - 1;
    auto result = static_cast<std::uint32_t>(s.c);
    std::uint32_t sum = static_cast<std::uint32_t>(s.c);
    for (int part = 0; part < m.parts; ++part) {
        if (!(m.destination >> part & 1)) continue;
        std::int64_t value = videoResult(m, partOf(s.a, part * width, width, m.signedA), partOf(s.b, part * width, width, m.signedB));
        if (m.saturate) value = clamped(value, width, m.signedResult);
        sum += static_cast<std::uint32_t>(value); // whole: the difference of two signed bytes is up to 255
        result = (result & ~(ones << (part * width))) | (static_cast<std::uint32_t>(value) & ones) << (part * width);
    }
    return m.second == 1 ? sum : result;
}

std::uint64_t permuted(const LaneSources &s, std::uint64_t selectors) {
    const std::uint64_t both = (s.b & 0xffff'ffffu) << 32 | (s.a & 0xffff'ffffu);
    std::uint32_t result = 0;
    for (int byte = 0; byte < 4; ++byte) result |= static_cast<std::uint32_t>(both >> (8 * (selectors >> (4 * byte) & 7)) & 0xff) << (8 * byte);
    return result;
}

template <class F> std::uint64_t eachHalf(F &&f) {
    std::uint32_t result = 0;
    for (int half = 0; half < 2; ++half) result |= static_cast<std::uint32_t>(f(half) & 0xffff) << (16 * half);
    return result;
}
std::uint64_t addHalves(const LaneSources &s, std::uint64_t) {
    return eachHalf([&](int h) { return partOf(s.a, 16 * h, 16, false) + partOf(s.b, 16 * h, 16, false); });
}
std::uint64_t leastOfHalves(const LaneSources &s, std::uint64_t mode) {
    return eachHalf([&](int h) {
        const std::int64_t a = partOf(s.a, 16 * h, 16, mode & 1), b = partOf(s.b, 16 * h, 16, mode & 1);
        const std::int64_t chosen = mode & 2 ? std::max(a, b) : std::min(a, b);
        return mode & 4 ? std::max<std::int64_t>(chosen, 0) : chosen;
    });
}
std::uint64_t leastRelu(const LaneSources &s, std::uint64_t mode) {
    const auto a = static_cast<std::int32_t>(s.a), b = static_cast<std::int32_t>(s.b);
    return static_cast<std::uint32_t>(std::max(mode & 2 ? std::max(a, b) : std::min(a, b), 0));
}
// The n-th set bit from a start, upwards for positive n and downwards for negative; all ones when there is none.
std::uint64_t findNthSet(const LaneSources &s, std::uint64_t) {
    const auto mask = static_cast<std::uint32_t>(s.a);
    auto position = static_cast<std::int64_t>(static_cast<std::uint32_t>(s.b));
    const auto n = static_cast<std::int32_t>(s.c);
    if (n == 0) return position < 32 && (mask >> position & 1) ? static_cast<std::uint64_t>(position) : ~std::uint64_t{0};
    std::int64_t left = n > 0 ? n : -static_cast<std::int64_t>(n);
    if (position > 31) { if (n > 0) return ~std::uint64_t{0}; position = 31; }
    for (; position >= 0 && position < 32; position += n > 0 ? 1 : -1)
        if ((mask >> position & 1) && --left == 0) return static_cast<std::uint64_t>(position);
    return ~std::uint64_t{0};
}
std::uint64_t multiply24High(const LaneSources &s, std::uint64_t mode) {
    const std::int64_t product = partOf(s.a, 0, 24, mode & 1) * partOf(s.b, 0, 24, mode & 1);
    const std::int64_t high = partOf(static_cast<std::uint64_t>(product) >> 16, 0, 32, mode & 1); // bits 47 to 16
    if (!(mode & 2)) return static_cast<std::uint32_t>(high);
    const std::int64_t sum = high + partOf(s.c, 0, 32, mode & 1);
    return static_cast<std::uint32_t>(mode & 4 ? clamped(sum, 32, true) : sum);
}
std::uint64_t multiplyAddHighSaturated(const LaneSources &s, std::uint64_t) {
    const std::int64_t high = (static_cast<std::int64_t>(static_cast<std::int32_t>(s.a)) * static_cast<std::int32_t>(s.b)) >> 32;
    return static_cast<std::uint32_t>(clamped(high + static_cast<std::int32_t>(s.c), 32, true));
}
std::uint64_t extendWrapped(const LaneSources &s, std::uint64_t mode) {
    const int width = static_cast<int>(s.b & 31);
    return width == 0 ? 0 : static_cast<std::uint32_t>(partOf(s.a, 0, width, mode & 1));
}
std::uint64_t maskWrapped(const LaneSources &s, std::uint64_t) {
    return static_cast<std::uint32_t>(((std::uint64_t{1} << (s.b & 31)) - 1) << (s.a & 31));
}
// d = saturated a and b side by side, and the lower part of c above them.
std::uint64_t packSaturated(const LaneSources &s, std::uint64_t mode) {
    const int width = static_cast<int>(mode & 31);
    const bool isSigned = !(mode & 32);
    const std::uint64_t ones = (std::uint64_t{1} << width) - 1;
    const auto part = [&](std::uint64_t v) { return static_cast<std::uint64_t>(clamped(static_cast<std::int32_t>(v), width, isSigned)) & ones; };
    return static_cast<std::uint32_t>(part(s.b) | part(s.a) << width | (width < 16 ? s.c << (2 * width) : 0));
}

} // namespace

void videoLanes(WarpContext &context, const MicroOp &op) { laneOperation<videoLane>(context, op); }
void videoVectorLanes(WarpContext &context, const MicroOp &op) { laneOperation<videoVectorLane>(context, op); }
void permuteSelectorLanes(WarpContext &context, const MicroOp &op) { laneOperation<permuted>(context, op); }
void addHalvesLanes(WarpContext &context, const MicroOp &op) { laneOperation<addHalves>(context, op); }
void leastOfHalvesLanes(WarpContext &context, const MicroOp &op) { laneOperation<leastOfHalves>(context, op); }
void leastReluLanes(WarpContext &context, const MicroOp &op) { laneOperation<leastRelu>(context, op); }
void findNthSetLanes(WarpContext &context, const MicroOp &op) { laneOperation<findNthSet>(context, op); }
void multiply24HighLanes(WarpContext &context, const MicroOp &op) { laneOperation<multiply24High>(context, op); }
void multiplyAddHighSaturatedLanes(WarpContext &context, const MicroOp &op) { laneOperation<multiplyAddHighSaturated>(context, op); }
void extendWrappedLanes(WarpContext &context, const MicroOp &op) { laneOperation<extendWrapped>(context, op); }
void maskWrappedLanes(WarpContext &context, const MicroOp &op) { laneOperation<maskWrapped>(context, op); }
void packSaturatedLanes(WarpContext &context, const MicroOp &op) { laneOperation<packSaturated>(context, op); }

void combinePredicate(WarpContext &context, const MicroOp &op) {
    std::uint32_t mask = 0;
    const auto *a = context.source<std::uint32_t>(op.a);
    for (unsigned lane = 0; lane < 32; ++lane) mask |= a[lane] != 0 ? 1u << lane : 0;
    const std::uint32_t other = context.predicates[op.c] ^ (op.immediate & 2 ? fullMask : 0u);
    const std::uint32_t value = op.immediate & 1 ? mask & other : mask | other;
    std::uint32_t &p = context.predicates[op.d];
    p = (p & ~context.exec) | (value & context.exec);
}

} // namespace kernelskill::simulator
