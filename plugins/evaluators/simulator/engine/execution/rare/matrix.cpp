// SPDX-License-Identifier: Apache-2.0
// Fragments: with group g = lane / 4, t = lane % 4 and e elements in a register, register r of A holds row g (+ 8·(r mod 2) when
// m is 16), columns 4e·(r / 2 or r) + t·e + i; register r of B holds rows 4e·r + t·e + i of column g; accumulators are rows g, g
// (, g+8, g+8) and columns 2t, 2t+1 (, 2t, 2t+1). m8n8k4 of halves has a layout of its own, by pairs of quads.
#include "engine/execution/rare/matrix.h"

#include "engine/execution/rare/lane_operation.h"
#include "engine/execution/rare/number_formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

namespace kernelskill::simulator {

using ptx::Type;

int elementsPerRegister(Type type) {
    switch (type) {
    case Type::F16: case Type::Bf16: return 2;
    case Type::S8: case Type::U8: case Type::F8E4m3: case Type::F8E5m2: return 4;
    case Type::S4: case Type::U4: return 8;
    case Type::B1: return 32;
    default: return 1;
    }
}

double matrixElement(Type type, std::uint64_t bits, int index) {
    switch (type) {
    case Type::F64: return std::bit_cast<double>(bits);
    case Type::F32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case Type::Tf32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits) & 0xffff'e000u);
    case Type::F16: case Type::Bf16: return static_cast<double>(valueOf(bits >> (16 * index) & 0xffff, type));
    case Type::S8: return static_cast<std::int8_t>(bits >> (8 * index));
    case Type::U8: return static_cast<std::uint8_t>(bits >> (8 * index));
    case Type::F8E4m3: return static_cast<double>(valueOf(bits >> (8 * index) & 0xff, Type::F8E4m3x2));
    case Type::F8E5m2: return static_cast<double>(valueOf(bits >> (8 * index) & 0xff, Type::F8E5m2x2));
    case Type::S4: return static_cast<double>(static_cast<std::int64_t>(bits << (60 - 4 * index)) >> 60);
    case Type::U4: return static_cast<double>(bits >> (4 * index) & 15);
    case Type::B1: return static_cast<double>(bits >> index & 1);
    default: return static_cast<std::int32_t>(bits);
    }
}

std::size_t MatrixShape::registersA() const { return quadPairs ? 2 : static_cast<std::size_t>(m * k / (32 * elementsPerRegister(a))); }
std::size_t MatrixShape::registersB() const { return quadPairs ? 2 : static_cast<std::size_t>(n * k / (32 * elementsPerRegister(b))); }
std::size_t MatrixShape::registersOf(Type accumulator) const {
    return (quadPairs ? 8 : static_cast<std::size_t>(m * n / 32)) / (accumulator == Type::F16 ? 2 : 1);
}
std::vector<std::uint32_t> MatrixShape::entries() const {
    return {static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(a),
            static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(d),
            (saturate ? 1u : 0u) | (conjunction ? 2u : 0u) | (quadPairs ? 4u : 0u) | (columnA ? 8u : 0u) | (rowB ? 16u : 0u)};
}

namespace {

inline constexpr std::size_t headerEntries = 8;

MatrixShape shapeFrom(const std::uint32_t *e) {
    MatrixShape s;
    s.m = static_cast<int>(e[0]);
    s.n = static_cast<int>(e[1]);
    s.k = static_cast<int>(e[2]);
    s.a = static_cast<Type>(e[3]);
    s.b = static_cast<Type>(e[4]);
    s.c = static_cast<Type>(e[5]);
    s.d = static_cast<Type>(e[6]);
    s.saturate = e[7] & 1;
    s.conjunction = e[7] & 2;
    s.quadPairs = e[7] & 4;
    s.columnA = e[7] & 8;
    s.rowB = e[7] & 16;
    return s;
}

struct Cell { int row = 0, column = 0, product = 0; };

// Where element i of register r of a lane belongs; `accumulator` elements are counted through all registers.
Cell cellOfA(const MatrixShape &s, int r, int lane, int i) {
    if (s.quadPairs) {
        const int across = lane % 4, upper = lane >= 16 ? 4 : 0, element = 2 * r + i, pair = lane % 16 / 4;
        return s.columnA ? Cell{element + upper, across, pair} : Cell{across + upper, element, pair};
    }
    const int e = elementsPerRegister(s.a);
    if (s.m == 8) return {lane / 4, 4 * e * r + lane % 4 * e + i, 0};
    return {lane / 4 + 8 * (r & 1), 4 * e * (r >> 1) + lane % 4 * e + i, 0};
}
Cell cellOfB(const MatrixShape &s, int r, int lane, int i) {
    if (s.quadPairs) {
        const int across = lane % 4, upper = lane >= 16 ? 4 : 0, element = 2 * r + i, pair = lane % 16 / 4;
        return s.rowB ? Cell{across, element + upper, pair} : Cell{element, across + upper, pair};
    }
    const int e = elementsPerRegister(s.b);
    return {4 * e * r + lane % 4 * e + i, lane / 4, 0};
}
Cell cellOfAccumulator(const MatrixShape &s, int j, int lane, Type type) {
    if (s.quadPairs) {
        const int upper = lane >= 16 ? 4 : 0, pair = lane % 16 / 4;
        if (type == Type::F16) return {lane % 4 + upper, j, pair};
        return {(lane & 1) + (j & 2) + upper, (j & 4) + (lane & 2) + (j & 1), pair};
    }
    return {lane / 4 + 8 * (j >> 1), 2 * (lane % 4) + (j & 1), 0};
}

struct Factors { double a[4][16][256], b[4][8][256]; };

double product(const MatrixShape &s, const Factors &f, const Cell &cell, double start) {
    const double *a = f.a[cell.product][cell.row], *b = f.b[cell.product][cell.column];
    double sum = start;
    if (s.a == Type::B1) {
        for (int k = 0; k < s.k; ++k) sum += s.conjunction ? a[k] * b[k] : (a[k] != b[k] ? 1.0 : 0.0);
    } else {
        for (int k = 0; k < s.k; ++k) sum = std::fma(a[k], b[k], sum);
    }
    return sum;
}

std::uint64_t accumulated(const MatrixShape &s, const Factors &f, const Cell &cell, double c) {
    if (s.d == Type::F64) return std::bit_cast<std::uint64_t>(product(s, f, cell, c));
    const double sum = product(s, f, cell, 0.0);
    if (s.d == Type::S32) {
        const auto whole = static_cast<std::int64_t>(sum) + static_cast<std::int64_t>(c);
        return static_cast<std::uint32_t>(s.saturate ? std::clamp<std::int64_t>(whole, INT32_MIN, INT32_MAX) : whole);
    }
    if (s.d == Type::F16) return encoded(static_cast<long double>(sum + c), Type::F16, {});
    return std::bit_cast<std::uint32_t>(static_cast<float>(sum + c));
}

} // namespace

void multiplyMatrices(WarpContext &context, const MicroOp &op) {
    const std::uint32_t *entry = context.launch->entries + op.extra;
    const MatrixShape s = shapeFrom(entry);
    const std::uint32_t *dRows = entry + headerEntries, *aRows = dRows + s.registersOf(s.d), *bRows = aRows + s.registersA(), *cRows = bRows + s.registersB();
    static thread_local const auto factors = std::make_unique<Factors>();
    const bool wide = s.a == Type::F64;
    for (std::size_t r = 0; r < s.registersA(); ++r)
        for (unsigned lane = 0; lane < 32; ++lane)
            for (int i = 0; i < elementsPerRegister(s.a); ++i) {
                const Cell cell = cellOfA(s, static_cast<int>(r), static_cast<int>(lane), i);
                factors->a[cell.product][cell.row][cell.column] = matrixElement(s.a, laneValue(context, aRows[r], wide, lane), i);
            }
    for (std::size_t r = 0; r < s.registersB(); ++r)
        for (unsigned lane = 0; lane < 32; ++lane)
            for (int i = 0; i < elementsPerRegister(s.b); ++i) {
                const Cell cell = cellOfB(s, static_cast<int>(r), static_cast<int>(lane), i);
                factors->b[cell.product][cell.column][cell.row] = matrixElement(s.b, laneValue(context, bRows[r], wide, lane), i);
            }
    const int accumulators = s.quadPairs ? 8 : s.m * s.n / 32, cParts = s.c == Type::F16 ? 2 : 1, dParts = s.d == Type::F16 ? 2 : 1;
    std::uint64_t results[8][32] = {};
    for (int lane = 0; lane < 32; ++lane)
        for (int j = 0; j < accumulators; ++j) {
            // the two layouts of m8n8k4 differ: c is looked up where d's element lies in c's layout
            const Cell cell = cellOfAccumulator(s, j, lane, s.d);
            double c = 0;
            for (int other = 0; other < (s.quadPairs && s.c != s.d ? 32 : 1); ++other) {
                const int owner = s.quadPairs && s.c != s.d ? other : lane;
                for (int q = owner == lane && (!s.quadPairs || s.c == s.d) ? j : 0; q < accumulators; ++q) {
                    const Cell from = cellOfAccumulator(s, q, owner, s.c);
                    if (from.row != cell.row || from.column != cell.column || from.product != cell.product) continue;
                    c = matrixElement(s.c, laneValue(context, cRows[q / cParts], s.c == Type::F64, static_cast<unsigned>(owner)), q % cParts);
                    break;
                }
            }
            results[j / dParts][lane] |= accumulated(s, *factors, cell, c) << (dParts == 2 ? 16 * (j & 1) : 0);
        }
    for (std::size_t r = 0; r < s.registersOf(s.d); ++r)
        for (unsigned lane = 0; lane < 32; ++lane)
            if (context.exec >> lane & 1) setLaneValue(context, dRows[r], s.d == Type::F64, lane, results[r][lane]);
}

void transposeMatrix(WarpContext &context, const MicroOp &op) {
    std::uint32_t before[32];
    std::copy_n(context.source<std::uint32_t>(op.a), 32, before);
    auto *d = context.row<std::uint32_t>(op.d);
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(context.exec >> lane & 1)) continue;
        std::uint32_t value = 0;
        for (unsigned j = 0; j < 2; ++j) {
            const unsigned row = 2 * (lane % 4) + j, column = lane / 4; // of the source
            value |= (before[4 * row + column / 2] >> (16 * (column & 1)) & 0xffff) << (16 * j);
        }
        d[lane] = value;
    }
}

namespace {

float extremeOf(const float *values, std::uint32_t members, std::int64_t mode) { // bit 0: greatest, 1: of sizes, 2: NaN wins
    float total = std::nanf("");
    bool sawNan = false, first = true;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(members >> lane & 1)) continue;
        const float value = mode & 2 ? std::fabs(values[lane]) : values[lane];
        if (std::isnan(value)) { sawNan = true; continue; }
        if (first) total = value;
        else if (value == 0 && total == 0) total = std::signbit(value) == ((mode & 1) == 0) ? value : total;
        else total = mode & 1 ? std::max(total, value) : std::min(total, value);
        first = false;
    }
    return first || (sawNan && (mode & 4)) ? std::bit_cast<float>(0x7fff'ffffu) : total;
}

} // namespace

void reduceFloats(WarpContext &context, const MicroOp &op) {
    float values[32];
    std::uint32_t masks[32];
    std::memcpy(values, context.source<float>(op.a), sizeof values);
    std::memcpy(masks, context.source<std::uint32_t>(op.c), sizeof masks);
    auto *d = context.row<float>(op.d);
    for (unsigned lane = 0; lane < 32; ++lane) // each names its company
        if (context.exec >> lane & 1) d[lane] = extremeOf(values, masks[lane] & context.exec, op.immediate);
}

} // namespace kernelskill::simulator
