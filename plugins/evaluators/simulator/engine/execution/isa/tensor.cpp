// SPDX-License-Identifier: Apache-2.0
// mma.sync, ldmatrix and stmatrix.
//
// A fragment register holds one or several elements next to each other in k. With group g = lane / 4, t = lane % 4 and e
// elements in a register, register r of A holds row g + 8·(r mod 2), columns 4e·(r / 2) + t·e + i; register r of B holds
// rows 4e·r + t·e + i of column g; the four accumulators are rows g, g, g+8, g+8 and columns 2t, 2t+1, 2t, 2t+1.
// This one rule gives the layouts of all the m16n8 shapes.
#include "engine/execution/isa/float_functions.h"
#include "engine/execution/isa/memory_requests.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {
namespace {

using ptx::Type;

inline constexpr int rows = 16, columns = 8, mostDepth = 64;

template <Type T> inline constexpr int elements = T == Type::F16 || T == Type::Bf16 ? 2 : T == Type::S8 || T == Type::U8 ? 4 : 1;

template <Type T> inline float element(std::uint32_t bits, int i) {
    if constexpr (T == Type::F16) return halfToFloat(static_cast<std::uint16_t>(bits >> (16 * i)));
    else if constexpr (T == Type::Bf16) return bfloatToFloat(static_cast<std::uint16_t>(bits >> (16 * i)));
    else if constexpr (T == Type::S8) return static_cast<float>(static_cast<std::int8_t>(bits >> (8 * i)));
    else if constexpr (T == Type::U8) return static_cast<float>(static_cast<std::uint8_t>(bits >> (8 * i)));
    else return floatOf(bits & 0xffff'e000u); // tf32: the lower bits are not looked at
}

// entries: depth k, then the rows of d, a, b and c. Accumulate says what c and d are: F32, F16 (two in a register) or S32.
template <Type T, Type Accumulate> void multiplyAccumulate(WarpContext &context, const MicroOp &op) {
    constexpr int e = elements<T>;
    constexpr int accumulators = Accumulate == Type::F16 ? 2 : 4;
    const std::uint32_t *entry = context.launch->entries + op.extra;
    const int depth = static_cast<int>(*entry++);
    const int aRegisters = 2 * depth / (4 * e), bRegisters = depth / (4 * e);
    const std::uint32_t *dRows = entry, *aRows = dRows + accumulators, *bRows = aRows + aRegisters, *cRows = bRows + bRegisters;
    float a[rows][mostDepth], b[columns][mostDepth];
    for (int r = 0; r < aRegisters; ++r) {
        const auto *row = context.source<std::uint32_t>(aRows[r]);
        for (int lane = 0; lane < laneCount; ++lane)
            for (int i = 0; i < e; ++i) a[lane / 4 + 8 * (r & 1)][4 * e * (r >> 1) + (lane & 3) * e + i] = element<T>(row[lane], i);
    }
    for (int r = 0; r < bRegisters; ++r) {
        const auto *row = context.source<std::uint32_t>(bRows[r]);
        for (int lane = 0; lane < laneCount; ++lane)
            for (int i = 0; i < e; ++i) b[lane / 4][4 * e * r + (lane & 3) * e + i] = element<T>(row[lane], i);
    }
    std::uint32_t result[accumulators][laneCount];
    for (int lane = 0; lane < laneCount; ++lane) {
        for (int j = 0; j < 4; ++j) {
            const int m = lane / 4 + 8 * (j >> 1), n = 2 * (lane & 3) + (j & 1);
            // products are exact; their sum is rounded once
            double sum = 0;
            for (int k = 0; k < depth; ++k) sum += static_cast<double>(a[m][k] * b[n][k]);
            if constexpr (Accumulate == Type::F32) {
                const float c = floatOf(context.source<std::uint32_t>(cRows[j])[lane]);
                result[j][lane] = bitsOf(static_cast<float>(sum + static_cast<double>(c)));
            } else if constexpr (Accumulate == Type::S32) {
                const std::uint32_t c = context.source<std::uint32_t>(cRows[j])[lane];
                result[j][lane] = c + static_cast<std::uint32_t>(static_cast<std::int32_t>(sum));
            } else {
                const std::uint32_t c = context.source<std::uint32_t>(cRows[j >> 1])[lane] >> (16 * (j & 1));
                const std::uint32_t h = doubleToHalf(sum + static_cast<double>(halfToFloat(static_cast<std::uint16_t>(c))));
                result[j >> 1][lane] = (j & 1) ? (result[j >> 1][lane] & 0xffffu) | h << 16 : h;
            }
        }
    }
    for (int j = 0; j < accumulators; ++j) {
        auto *d = context.row<std::uint32_t>(dRows[j]);
        for (int i = 0; i < laneCount; ++i) keep<false>(d, i, result[j][i], context.exec);
    }
}

// m8n8k4 in double: one element of a and b a lane, two accumulators.
void multiplyDouble(WarpContext &context, const MicroOp &op) {
    const std::uint32_t *entry = context.launch->entries + op.extra + 1;
    const auto *a = context.source<std::uint64_t>(entry[2]);
    const auto *b = context.source<std::uint64_t>(entry[3]);
    double result[2][laneCount];
    for (int lane = 0; lane < laneCount; ++lane)
        for (int j = 0; j < 2; ++j) {
            double sum = __builtin_bit_cast(double, context.source<std::uint64_t>(entry[4 + j])[lane]);
            for (int k = 0; k < 4; ++k)
                sum = __builtin_fma(__builtin_bit_cast(double, a[lane / 4 * 4 + k]), __builtin_bit_cast(double, b[(2 * (lane & 3) + j) * 4 + k]), sum);
            result[j][lane] = sum;
        }
    for (int j = 0; j < 2; ++j) {
        auto *d = context.row<std::uint64_t>(entry[j]);
        for (int i = 0; i < laneCount; ++i) keep<false>(d, i, __builtin_bit_cast(std::uint64_t, result[j][i]), context.exec);
    }
}

// ldmatrix and stmatrix: lane 8i + r holds the address of row r of matrix i, 16 bytes of 8 halves; lane l has of each
// matrix the elements 2(l mod 4) and the next of row l / 4 (of column l / 4 when transposed).
template <bool Store, bool Transposed> void moveMatrices(WarpContext &context, const MicroOp &op) {
    MemoryOperand &m = context.launch->memory[op.extra];
    const std::uint32_t lanes = m.count == 4 ? fullMask : (1u << (8 * m.count)) - 1;
    alignas(64) std::uint64_t address[laneCount];
    gatherAddresses(context, m.address64, m.address, m.offset, lanes, address);
    for (auto &at : address) at -= at - sharedWindow < sharedWindowBytes ? sharedWindow : 0;
    if (!insideOwnWindow(context, AddressSpaceKind::Shared, address, lanes, 16, context.launch->sharedBytes, Store ? AccessKind::Write : AccessKind::Read)) return;
    (void)updatePattern(context, m.pattern, address, lanes, 16, true);
    const Shadow s = sharedShadow(context);
    std::byte *shared = context.block->shared;
    if constexpr (!Store) {
        if (s.written != nullptr) checkRead(context, {AddressSpaceKind::Shared, nullptr, 0}, s, address[0], *m.pattern, lanes, 16);
        setLatency(context, context.launch->sharedLatency + 2u * static_cast<std::uint32_t>(m.pattern->wavefronts > 0 ? m.pattern->wavefronts - 1 : 0), shortReason);
    } else if (s.written != nullptr) {
        for (int r = 0; r < m.pattern->runs; ++r) {
            const std::uint64_t start = address[0] + static_cast<std::uint64_t>(static_cast<std::int64_t>(m.pattern->runStart[r]));
            const auto length = static_cast<std::uint32_t>(m.pattern->runBytes[r]);
            __builtin_memset(s.written + start, 1, length);
            if (s.writer == nullptr) continue;
            if (writeConflicts(s, start, length))
                reportSharedRace(context, static_cast<std::uint32_t>(start), 0, foreign(s, s.writer[start >> 2]) ? s.writer[start >> 2] : s.reader[start >> 2], AccessKind::Write, foreign(s, s.writer[start >> 2]));
            noteWrite(s, start, length);
        }
    }
    for (int i = 0; i < m.count; ++i) {
        std::uint32_t *row = nullptr; // of the result
        const std::uint32_t *stored = nullptr;
        if constexpr (Store) stored = context.source<std::uint32_t>(m.rows[i]); // may be a constant
        else row = context.row<std::uint32_t>(m.rows[i]);
        for (int lane = 0; lane < laneCount; ++lane) {
            std::uint32_t value = Store ? stored[lane] : 0;
            for (int j = 0; j < 2; ++j) {
                const int r = Transposed ? 2 * (lane & 3) + j : lane / 4, c = Transposed ? lane / 4 : 2 * (lane & 3) + j;
                std::byte *at = shared + address[8 * i + r] + 2 * c;
                std::uint16_t half = static_cast<std::uint16_t>(value >> (16 * j));
                if constexpr (Store) __builtin_memcpy(at, &half, 2);
                else {
                    __builtin_memcpy(&half, at, 2);
                    value |= static_cast<std::uint32_t>(half) << (16 * j);
                }
            }
            if constexpr (!Store) keep<false>(row, lane, value, context.exec);
        }
    }
    context.counters->add(m.pattern->counts);
}

// Addresses of a fragment's cells: base + (entry's lower half + upper half · stride) · bits / 8.
template <bool Wide> void fragmentAddress(WarpContext &context, const MicroOp &op) {
    const std::uint32_t *cells = context.launch->entries + op.extra;
    const auto *stride = context.source<std::uint32_t>(op.b);
    auto *d = context.row<std::uint64_t>(op.d);
    for (int i = 0; i < laneCount; ++i) {
        const std::uint64_t base = Wide ? context.source<std::uint64_t>(op.a)[i] : context.source<std::uint32_t>(op.a)[i];
        const std::uint64_t cell = (cells[i] & 0xffffu) + static_cast<std::uint64_t>(cells[i] >> 16) * stride[i];
        keep<false>(d, i, base + (cell * static_cast<std::uint64_t>(op.immediate) >> 3), context.exec);
    }
}

bool same(const char *a, const char *b) { return __builtin_strcmp(a, b) == 0; }

} // namespace

Handler selectTensor(const char *name, Type type) {
    if (same(name, "mma.f32")) {
        if (type == Type::F16) return multiplyAccumulate<Type::F16, Type::F32>;
        if (type == Type::Bf16) return multiplyAccumulate<Type::Bf16, Type::F32>;
        if (type == Type::Tf32) return multiplyAccumulate<Type::Tf32, Type::F32>;
    }
    if (same(name, "mma.f16") && type == Type::F16) return multiplyAccumulate<Type::F16, Type::F16>;
    if (same(name, "mma.s32")) {
        if (type == Type::S8) return multiplyAccumulate<Type::S8, Type::S32>;
        if (type == Type::U8) return multiplyAccumulate<Type::U8, Type::S32>;
    }
    if (same(name, "mma.f64")) return multiplyDouble;
    if (same(name, "wmma.address")) return fragmentAddress<true>;
    if (same(name, "wmma.address32")) return fragmentAddress<false>;
    if (same(name, "ldmatrix")) return moveMatrices<false, false>;
    if (same(name, "ldmatrix.trans")) return moveMatrices<false, true>;
    if (same(name, "stmatrix")) return moveMatrices<true, false>;
    if (same(name, "stmatrix.trans")) return moveMatrices<true, true>;
    return nullptr;
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
