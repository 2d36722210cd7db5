// SPDX-License-Identifier: Apache-2.0
#include "engine/execution/rare/floats.h"

#include "engine/execution/rare/lane_operation.h"
#include "engine/execution/rare/number_formats.h"

#include <bit>
#include <cmath>

namespace kernelskill::simulator {

using ptx::Type;

std::uint64_t FloatMode::bits() const {
    return static_cast<std::uint64_t>(operation) | static_cast<std::uint64_t>(type) << 8 | (ftz ? 1u << 16 : 0u) | (saturate ? 1u << 17 : 0u)
         | (relu ? 1u << 18 : 0u) | (nan ? 1u << 19 : 0u) | (exclusiveSign ? 1u << 20 : 0u);
}

namespace {

long double smallestNormal(Type type) { return type == Type::F16 ? 0x1p-14L : 0x1p-126L; }

long double lesser(long double a, long double b, bool greater, bool nan) {
    if (std::isnan(a) || std::isnan(b)) return nan || (std::isnan(a) && std::isnan(b)) ? std::nanl("") : std::isnan(a) ? b : a;
    if (a == 0 && b == 0) return std::signbit(a) == greater ? b : a; // −0 is the lesser of the zeros
    return (a < b) != greater ? a : b;
}

long double computed(Operation operation, long double a, long double b, long double c, bool nan) {
    switch (operation) {
    case Operation::Add: return a + b;
    case Operation::Sub: return a - b;
    case Operation::MulLo: return a * b;
    case Operation::Fma: return std::fma(a, b, c);
    case Operation::Min: return lesser(a, b, false, nan);
    case Operation::Max: return lesser(a, b, true, nan);
    case Operation::Ex2: return std::exp2(a);
    case Operation::Tanh: return std::tanh(a);
    default: return a;
    }
}

std::uint64_t element(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t mode) {
    const auto operation = static_cast<Operation>(mode & 0xff);
    const Type type = elementOf(static_cast<Type>(mode >> 8 & 0xff));
    const bool ftz = mode >> 16 & 1, saturate = mode >> 17 & 1, relu = mode >> 18 & 1, nan = mode >> 19 & 1, exclusive = mode >> 20 & 1;
    const std::uint64_t sign = type == Type::F32 ? 0x8000'0000u : 0x8000u;
    const auto flushed = [&](long double v) { return ftz && std::fabs(v) < smallestNormal(type) ? std::copysign(0.0L, v) : v; };
    if (operation == Operation::Neg || operation == Operation::Abs) {
        const std::uint64_t bits = operation == Operation::Neg ? a ^ sign : a & ~sign;
        return ftz ? encoded(flushed(valueOf(bits, type)), type, {}) : bits;
    }
    const std::uint64_t resultSign = (a ^ b) & sign;
    if (exclusive) { a &= ~sign; b &= ~sign; }
    long double result = computed(operation, flushed(valueOf(a, type)), flushed(valueOf(b, type)), flushed(valueOf(c, type)), nan);
    if (saturate) result = std::isnan(result) || result <= 0 ? 0.0L : std::fmin(result, 1.0L);
    if (relu && result <= 0) result = 0.0L;
    std::uint64_t bits = encoded(result, type, {});
    if (ftz) bits = encoded(flushed(valueOf(bits, type)), type, {});
    if (exclusive && !std::isnan(result)) bits = (bits & ~sign) | resultSign;
    return bits;
}

std::uint64_t floatVariant(const LaneSources &s, std::uint64_t mode) {
    const auto type = static_cast<Type>(mode >> 8 & 0xff);
    if (type != Type::F16x2 && type != Type::Bf16x2) return element(s.a & (type == Type::F32 ? 0xffff'ffffu : 0xffffu), s.b & (type == Type::F32 ? 0xffff'ffffu : 0xffffu), s.c & 0xffffu, mode);
    return element(s.a & 0xffff, s.b & 0xffff, s.c & 0xffff, mode) | element(s.a >> 16 & 0xffff, s.b >> 16 & 0xffff, s.c >> 16 & 0xffff, mode) << 16;
}

// The gross approximation in double: subnormals are zeros, the lower half of the result is zero.
std::uint64_t reciprocalApproximate(const LaneSources &s, std::uint64_t mode) {
    double a = std::bit_cast<double>(s.a);
    if (std::fabs(a) < 0x1p-1022) a = std::copysign(0.0, a);
    double result = mode & 1 ? 1.0 / std::sqrt(a) : 1.0 / a;
    if (std::isnan(result)) return 0x7fff'ffff'ffff'ffffu;
    if (std::fabs(result) < 0x1p-1022) result = std::copysign(0.0, result);
    return std::bit_cast<std::uint64_t>(result) & 0xffff'ffff'0000'0000u;
}

std::uint64_t upperHalf(const LaneSources &s, std::uint64_t) { return s.a >> 16 & 0xffff; }

} // namespace

void floatVariantLanes(WarpContext &context, const MicroOp &op) { laneOperation<floatVariant>(context, op); }
void reciprocalApproximateLanes(WarpContext &context, const MicroOp &op) { laneOperation<reciprocalApproximate>(context, op); }
void upperHalfLanes(WarpContext &context, const MicroOp &op) { laneOperation<upperHalf>(context, op); }

// immediate: the value of a lower element that holds; `extra`: of an upper one.
void setByComparison(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<std::uint32_t>(op.d);
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(context.exec >> lane & 1)) continue;
        std::uint32_t value = context.predicates[op.a] >> lane & 1 ? static_cast<std::uint32_t>(op.immediate) : 0u;
        if (context.predicates[op.b] >> lane & 1) value |= op.extra;
        d[lane] = value;
    }
}

} // namespace kernelskill::simulator
