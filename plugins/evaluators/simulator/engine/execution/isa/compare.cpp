// SPDX-License-Identifier: Apache-2.0
// setp and testp: a row against a row gives a mask.
//
// MicroOp: d and extra are the predicates that receive the result and its complement, c the predicate it is combined with.
// immediate: bits 0-1 combination (0 none, 1 and, 2 or, 3 xor), bit 2 c is negated.
#include "engine/execution/isa/float_functions.h"
#include "engine/execution/isa/lanes.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {
namespace {

using ptx::Type;

inline void storeMask(WarpContext &context, const MicroOp &op, std::uint32_t mask) {
    std::uint32_t complement = ~mask;
    if (const auto combination = op.immediate & 3; combination != 0) {
        const std::uint32_t other = context.predicates[op.c] ^ (op.immediate & 4 ? fullMask : 0u);
        mask = combination == 1 ? mask & other : combination == 2 ? mask | other : mask ^ other;
        complement = combination == 1 ? complement & other : combination == 2 ? complement | other : complement ^ other;
    }
    std::uint32_t &p = context.predicates[op.d];
    p = (p & ~context.exec) | (mask & context.exec);
    std::uint32_t &q = context.predicates[op.extra];
    q = (q & ~context.exec) | (complement & context.exec);
}

template <class T, auto F> void compareRows(WarpContext &context, const MicroOp &op) {
    storeMask(context, op, maskOf<T, F>(context.source<Row<T>>(op.a), context.source<Row<T>>(op.b)));
}

template <class T, auto Read> Handler ordered(Comparison comparison) {
    switch (comparison) {
    case Comparison::Eq: return compareRows<T, [](T a, T b) { return Read(a) == Read(b); }>;
    case Comparison::Ne: return compareRows<T, [](T a, T b) { return (Read(a) < Read(b)) | (Read(b) < Read(a)); }>;
    case Comparison::Lt: return compareRows<T, [](T a, T b) { return Read(a) < Read(b); }>;
    case Comparison::Le: return compareRows<T, [](T a, T b) { return Read(a) <= Read(b); }>;
    case Comparison::Gt: return compareRows<T, [](T a, T b) { return Read(b) < Read(a); }>;
    case Comparison::Ge: return compareRows<T, [](T a, T b) { return Read(b) <= Read(a); }>;
    default: return nullptr;
    }
}

template <class T, auto Read> Handler unordered(Comparison comparison) {
    switch (comparison) {
    case Comparison::Equ: return compareRows<T, [](T a, T b) { return !((Read(a) < Read(b)) | (Read(b) < Read(a))); }>;
    case Comparison::Neu: return compareRows<T, [](T a, T b) { return Read(a) != Read(b); }>;
    case Comparison::Ltu: return compareRows<T, [](T a, T b) { return !(Read(b) <= Read(a)); }>;
    case Comparison::Leu: return compareRows<T, [](T a, T b) { return !(Read(b) < Read(a)); }>;
    case Comparison::Gtu: return compareRows<T, [](T a, T b) { return !(Read(a) <= Read(b)); }>;
    case Comparison::Geu: return compareRows<T, [](T a, T b) { return !(Read(a) < Read(b)); }>;
    case Comparison::Num: return compareRows<T, [](T a, T b) { return (Read(a) == Read(a)) & (Read(b) == Read(b)); }>;
    case Comparison::Nan: return compareRows<T, [](T a, T b) { return (Read(a) != Read(a)) | (Read(b) != Read(b)); }>;
    case Comparison::NotANumber: return compareRows<T, [](T a, T) { return Read(a) != Read(a); }>;
    case Comparison::Number: return compareRows<T, [](T a, T) { return Read(a) == Read(a); }>;
    case Comparison::Finite: return compareRows<T, [](T a, T) { return Read(a) - Read(a) == 0; }>;
    case Comparison::Infinite: return compareRows<T, [](T a, T) { return (Read(a) == Read(a)) & (Read(a) - Read(a) != 0); }>;
    case Comparison::Normal:
        return compareRows<T, [](T a, T) {
            const auto v = Read(a);
            const auto m = v < 0 ? -v : v;
            return (m - m == 0) & (m >= (sizeof(v) == 4 ? decltype(v)(0x1p-126f) : decltype(v)(0x1p-1022)));
        }>;
    case Comparison::Subnormal:
        return compareRows<T, [](T a, T) {
            const auto v = Read(a);
            const auto m = v < 0 ? -v : v;
            return (m != 0) & (m < (sizeof(v) == 4 ? decltype(v)(0x1p-126f) : decltype(v)(0x1p-1022)));
        }>;
    default: return ordered<T, Read>(comparison);
    }
}

template <class T> Handler integers(Comparison comparison) { return ordered<T, [](T v) { return v; }>(comparison); }

} // namespace

Handler selectCompare(Type type, Comparison comparison, bool ftz) {
    switch (type) {
    case Type::S16: return integers<std::int16_t>(comparison);
    case Type::U16: case Type::B16: return integers<std::uint16_t>(comparison);
    case Type::S32: return integers<std::int32_t>(comparison);
    case Type::U32: case Type::B32: return integers<std::uint32_t>(comparison);
    case Type::S64: return integers<std::int64_t>(comparison);
    case Type::U64: case Type::B64: return integers<std::uint64_t>(comparison);
    case Type::F32: return ftz ? unordered<float, [](float v) { return flush(v); }>(comparison) : unordered<float, [](float v) { return v; }>(comparison);
    case Type::F64: return unordered<double, [](double v) { return v; }>(comparison);
    case Type::F16: return unordered<Half, [](Half v) { return halfToFloat(v.bits); }>(comparison);
    case Type::Bf16: return unordered<Bfloat, [](Bfloat v) { return bfloatToFloat(v.bits); }>(comparison);
    // packed: the lower halves give the first predicate, the upper ones the second (decoded as two comparisons)
    default: return nullptr;
    }
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
