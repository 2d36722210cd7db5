// SPDX-License-Identifier: Apache-2.0
// A matrix descriptor has, in units of 16 bytes, the address of the matrix (bits 0-13) and two distances (bits 16-29 and
// 32-45); bits 62-63 say how the 16-byte pieces are exchanged (0 not, 1 in rows of 128 bytes, 2 of 64, 3 of 32).
// K-major: rows of k lie in groups of eight, each row as wide as the pattern (16 bytes without one); the second distance goes
// from group to group, the first, without a pattern, from one 16-byte piece of k to the next.
// M- or N-major (16-bit types): a row holds as many rows or columns as the pattern is wide; eight of k follow each other. With a
// pattern the first distance goes to the next rows or columns and the second to the next eight of k, without one the other way.
#include "engine/execution/rare/warpgroup.h"

#include "engine/execution/rare/matrix.h"
#include "engine/execution/rare/number_formats.h"
#include "engine/execution/rare/shared_places.h"
#include "engine/memory/tensor_map.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

namespace kernelskill::simulator {

using ptx::Type;

std::size_t WarpgroupSite::accumulators() const { return static_cast<std::size_t>(d == Type::F16 ? n / 4 : n / 2); }

std::vector<std::uint32_t> WarpgroupSite::entries() const {
    return {static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(d),
            (saturate ? 1u : 0u) | (conjunction ? 2u : 0u) | (descriptorA ? 4u : 0u) | (negateA ? 8u : 0u) | (negateB ? 16u : 0u) | (transposedA ? 32u : 0u) | (transposedB ? 64u : 0u)};
}

namespace {

inline constexpr std::size_t headerEntries = 6;

WarpgroupSite siteFrom(const std::uint32_t *e) {
    WarpgroupSite s;
    s.n = static_cast<int>(e[0]);
    s.k = static_cast<int>(e[1]);
    s.a = static_cast<Type>(e[2]);
    s.b = static_cast<Type>(e[3]);
    s.d = static_cast<Type>(e[4]);
    s.saturate = e[5] & 1;
    s.conjunction = e[5] & 2;
    s.descriptorA = e[5] & 4;
    s.negateA = e[5] & 8;
    s.negateB = e[5] & 16;
    s.transposedA = e[5] & 32;
    s.transposedB = e[5] & 64;
    return s;
}

int bitsOf(Type type) { return 32 / elementsPerRegister(type); }

struct MatrixDescriptor {
    std::uint32_t address, leading, stride;
    TensorMap::Swizzle pattern;
    int patternBytes;

    explicit MatrixDescriptor(std::uint64_t bits)
        : address(static_cast<std::uint32_t>(bits & 0x3fff) << 4), leading(static_cast<std::uint32_t>(bits >> 16 & 0x3fff) << 4), stride(static_cast<std::uint32_t>(bits >> 32 & 0x3fff) << 4) {
        static constexpr TensorMap::Swizzle patterns[] = {TensorMap::Swizzle::None, TensorMap::Swizzle::Bytes128, TensorMap::Swizzle::Bytes64, TensorMap::Swizzle::Bytes32};
        static constexpr int widths[] = {16, 128, 64, 32};
        pattern = patterns[bits >> 62];
        patternBytes = widths[bits >> 62];
    }
    // Of the byte that holds element (row, k); `row` counts M or N.
    [[nodiscard]] std::uint32_t place(int row, int k, int bits, bool transposed) const {
        std::uint32_t at = address;
        if (!transposed) {
            const int byte = k * bits / 8;
            at += static_cast<std::uint32_t>(row / 8) * stride + static_cast<std::uint32_t>(row % 8 * patternBytes);
            at += pattern == TensorMap::Swizzle::None ? static_cast<std::uint32_t>(byte / 16) * leading + static_cast<std::uint32_t>(byte % 16) : static_cast<std::uint32_t>(byte);
        } else {
            const int across = patternBytes * 8 / bits; // rows or columns side by side
            const std::uint32_t nextRows = pattern == TensorMap::Swizzle::None ? stride : leading, nextK = pattern == TensorMap::Swizzle::None ? leading : stride;
            at += static_cast<std::uint32_t>(row / across) * nextRows + static_cast<std::uint32_t>(row % across * bits / 8);
            at += static_cast<std::uint32_t>(k / 8) * nextK + static_cast<std::uint32_t>(k % 8 * patternBytes);
        }
        return swizzled(at, pattern);
    }
};

// Reads one element; false, after a finding, outside of shared memory.
bool readElement(WarpContext &context, const MatrixDescriptor &descriptor, int row, int k, Type type, bool transposed, double &value) {
    const int bits = bitsOf(type);
    const std::uint32_t at = descriptor.place(row, k, bits, transposed);
    const std::uint32_t bytes = bits >= 8 ? static_cast<std::uint32_t>(bits / 8) : 1;
    if (at + bytes > context.launch->sharedBytes) {
        reportWindowFault(context, AddressSpaceKind::Shared, at, context.launch->sharedBytes, static_cast<unsigned>(__builtin_ctz(context.exec)), static_cast<int>(bytes), AccessKind::Read, false);
        return false;
    }
    std::uint32_t word = 0;
    std::memcpy(&word, context.block->shared + at, bytes);
    value = matrixElement(type, word, bits >= 8 ? 0 : k % (8 / bits));
    return true;
}

struct Operands { double a[16][256], b[256][256]; }; // B by column

bool loadOperands(WarpContext &context, const WarpgroupSite &s, const std::uint32_t *aRows, std::uint32_t bRow, Operands &o) {
    const auto first = static_cast<unsigned>(__builtin_ctz(context.exec));
    if (s.descriptorA) {
        const MatrixDescriptor descriptor(context.source<std::uint64_t>(aRows[0])[first]);
        const int base = static_cast<int>(context.warp->index % 4) * 16;
        for (int row = 0; row < 16; ++row)
            for (int k = 0; k < s.k; ++k)
                if (!readElement(context, descriptor, base + row, k, s.a, s.transposedA, o.a[row][k])) return false;
    } else {
        const int e = elementsPerRegister(s.a);
        for (int r = 0; r < 4; ++r)
            for (int lane = 0; lane < 32; ++lane)
                for (int i = 0; i < e; ++i)
                    o.a[lane / 4 + 8 * (r & 1)][4 * e * (r >> 1) + lane % 4 * e + i] = matrixElement(s.a, context.source<std::uint32_t>(aRows[r])[lane], i);
    }
    const MatrixDescriptor descriptor(context.source<std::uint64_t>(bRow)[first]);
    for (int column = 0; column < s.n; ++column)
        for (int k = 0; k < s.k; ++k)
            if (!readElement(context, descriptor, column, k, s.b, s.transposedB, o.b[column][k])) return false;
    return true;
}

std::uint32_t result(const WarpgroupSite &s, double sum, double before) {
    if (s.d == Type::S32) {
        const auto whole = static_cast<std::int64_t>(sum) + static_cast<std::int64_t>(before);
        return static_cast<std::uint32_t>(s.saturate ? std::clamp<std::int64_t>(whole, INT32_MIN, INT32_MAX) : whole);
    }
    if (s.d == Type::F16) return static_cast<std::uint32_t>(encoded(static_cast<long double>(sum + before), Type::F16, {}));
    return std::bit_cast<std::uint32_t>(static_cast<float>(sum + before));
}

} // namespace

void multiplyWarpgroup(WarpContext &context, const MicroOp &op) {
    const std::uint32_t *entry = context.launch->entries + op.extra;
    const WarpgroupSite s = siteFrom(entry);
    const std::uint32_t *dRows = entry + headerEntries, *aRows = dRows + s.accumulators();
    static thread_local const auto operands = std::make_unique<Operands>();
    if (!loadOperands(context, s, aRows, aRows[s.descriptorA ? 1 : 4], *operands)) return;
    const bool accumulates = ((context.predicates[op.c] ^ (op.immediate & 1 ? fullMask : 0u)) >> __builtin_ctz(context.exec) & 1) != 0;
    const double sign = s.negateA != s.negateB ? -1.0 : 1.0;
    const int parts = s.d == Type::F16 ? 2 : 1;
    for (int j = 0; j < s.n / 2; ++j) {
        auto *row = context.row<std::uint32_t>(dRows[j / parts]);
        for (int lane = 0; lane < 32; ++lane) {
            if (!(context.exec >> lane & 1)) continue;
            const int m = lane / 4 + 8 * (j >> 1 & 1), n = 8 * (j >> 2) + 2 * (lane % 4) + (j & 1);
            const double *a = operands->a[m], *b = operands->b[n];
            double sum = 0;
            for (int k = 0; k < s.k; ++k) sum += s.a == Type::B1 ? (s.conjunction ? a[k] * b[k] : (a[k] != b[k] ? 1.0 : 0.0)) : a[k] * b[k];
            const int shift = parts == 2 ? 16 * (j & 1) : 0;
            const double before = accumulates ? matrixElement(s.d, row[lane], parts == 2 ? j & 1 : 0) : 0.0;
            const std::uint32_t value = result(s, sign * sum, before);
            row[lane] = parts == 2 ? (row[lane] & ~(0xffffu << shift)) | value << shift : value;
        }
    }
}

} // namespace kernelskill::simulator
