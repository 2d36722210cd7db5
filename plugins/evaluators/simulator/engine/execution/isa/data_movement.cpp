// SPDX-License-Identifier: Apache-2.0
// Choice, packing of vectors, predicate logic and special registers.
#include "engine/execution/isa/float_functions.h"
#include "engine/execution/isa/lanes.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {
namespace {

using ptx::Type;

// selp: c is the predicate; immediate bit 0: negated
template <class R> void choose(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<R>(op.d);
    const auto *a = context.source<R>(op.a);
    const auto *b = context.source<R>(op.b);
    const std::uint32_t mask = context.predicates[op.c] ^ (op.immediate & 1 ? fullMask : 0u);
    const std::uint32_t exec = context.exec;
#pragma GCC ivdep
    for (int i = 0; i < laneCount; ++i) {
        const bool first = sizeof(R) == 8 ? (mask & laneBit64[i]) != 0 : (mask & laneBit[i]) != 0;
        keep<false>(d, i, first ? a[i] : b[i], exec);
    }
}
template <class R> void chooseFull(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<R>(op.d);
    const auto *a = context.source<R>(op.a);
    const auto *b = context.source<R>(op.b);
    const std::uint32_t mask = context.predicates[op.c] ^ (op.immediate & 1 ? fullMask : 0u);
#pragma GCC ivdep
    for (int i = 0; i < laneCount; ++i) d[i] = (sizeof(R) == 8 ? (mask & laneBit64[i]) != 0 : (mask & laneBit[i]) != 0) ? a[i] : b[i];
}

// slct: a when c is not negative; immediate 1: c is float
template <class R> void chooseBySign(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<R>(op.d);
    const auto *a = context.source<R>(op.a);
    const auto *b = context.source<R>(op.b);
    const auto *c = context.source<std::uint32_t>(op.c);
    for (int i = 0; i < laneCount; ++i) {
        const bool first = op.immediate ? floatOf(c[i]) >= 0.0f : static_cast<std::int32_t>(c[i]) >= 0;
        keep<false>(d, i, first ? a[i] : b[i], context.exec);
    }
}

// Bit 31 of an entry: the constant pool. entries[0] is the count, then the rows; immediate: bits of an element.
template <class R> void pack(WarpContext &context, const MicroOp &op) {
    const std::uint32_t *rows = context.launch->entries + op.extra;
    const std::uint32_t count = *rows++;
    const unsigned bits = static_cast<unsigned>(op.immediate);
    R result[laneCount] = {};
    for (std::uint32_t e = 0; e < count; ++e) {
        const auto *a = context.source<std::uint32_t>(rows[e]);
        const std::uint32_t mask = bits >= 32 ? ~0u : (1u << bits) - 1;
        for (int i = 0; i < laneCount; ++i) result[i] |= static_cast<R>(a[i] & mask) << (bits * e);
    }
    auto *d = context.row<R>(op.d);
    for (int i = 0; i < laneCount; ++i) keep<false>(d, i, result[i], context.exec);
}

inline constexpr std::uint32_t noRow = 0x7fff'ffffu;

template <class R> void unpack(WarpContext &context, const MicroOp &op) {
    const std::uint32_t *rows = context.launch->entries + op.extra;
    const std::uint32_t count = *rows++;
    const unsigned bits = static_cast<unsigned>(op.immediate);
    R source[laneCount];
    __builtin_memcpy(source, context.source<R>(op.a), sizeof source); // a result may share the source's row
    for (std::uint32_t e = 0; e < count; ++e) {
        if (rows[e] == noRow) continue;
        auto *d = context.row<std::uint32_t>(rows[e]);
        const std::uint32_t mask = bits >= 32 ? ~0u : (1u << bits) - 1;
        for (int i = 0; i < laneCount; ++i) keep<false>(d, i, static_cast<std::uint32_t>(source[i] >> (bits * e)) & mask, context.exec);
    }
}

template <int O> void predicateLogic(WarpContext &context, const MicroOp &op) {
    const std::uint32_t a = context.predicates[op.a] ^ (op.immediate & 1 ? fullMask : 0u);
    const std::uint32_t b = context.predicates[op.b] ^ (op.immediate & 2 ? fullMask : 0u);
    const std::uint32_t value = O == 0 ? a : O == 1 ? a & b : O == 2 ? a | b : O == 3 ? a ^ b : ~a;
    std::uint32_t &p = context.predicates[op.d];
    p = (p & ~context.exec) | (value & context.exec);
}

template <class R> void readSpecial(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<R>(op.d);
    std::uint64_t values[laneCount];
    if (specialRow(context, static_cast<int>(op.immediate), values)) return spread(d, static_cast<R>(values[0]), context.exec);
    if (context.exec == fullMask) {
        for (int i = 0; i < laneCount; ++i) d[i] = static_cast<R>(values[i]);
        return;
    }
    for (int i = 0; i < laneCount; ++i) keep<false>(d, i, static_cast<R>(values[i]), context.exec);
}

// The address of a local variable: the lane's frame plus its place in the frame.
template <class R> void frameAddress(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<R>(op.d);
    for (int i = 0; i < laneCount; ++i)
        keep<false>(d, i, static_cast<R>(context.warp->frameBase[i] + static_cast<std::uint64_t>(op.immediate)), context.exec);
}

// cvta and its opposite: a window is added or taken away. The address 0 of a window is a valid one.
template <class R> void shiftWindow(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<R>(op.d);
    const auto *a = context.source<R>(op.a);
    for (int i = 0; i < laneCount; ++i) keep<false>(d, i, static_cast<R>(a[i] + static_cast<std::uint64_t>(op.immediate)), context.exec);
}

// isspacep: immediate is the first address, the extra index its log2 size
void insideWindow(WarpContext &context, const MicroOp &op) {
    const auto *a = context.source<std::uint64_t>(op.a);
    std::uint32_t mask = 0;
    for (int i = 0; i < laneCount; ++i)
        mask |= a[i] - static_cast<std::uint64_t>(op.immediate) < (std::uint64_t{1} << op.extra) ? laneBit[i] : 0;
    std::uint32_t &p = context.predicates[op.d];
    p = (p & ~context.exec) | (mask & context.exec);
}

// set: a predicate becomes all ones, or 1.0 for a float destination
void fromPredicate(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<std::uint32_t>(op.d);
    const std::uint32_t mask = context.predicates[op.c];
    for (int i = 0; i < laneCount; ++i)
        keep<false>(d, i, mask & laneBit[i] ? static_cast<std::uint32_t>(op.immediate) : 0u, context.exec);
}

void nothing(WarpContext &, const MicroOp &) {}

bool same(const char *a, const char *b) { return __builtin_strcmp(a, b) == 0; }

} // namespace

Handlers selectData(const char *name, Type type) {
    const bool wide = ptx::typeBytes(type) == 8;
    const auto either = [wide](Handler narrowHandler, Handler wideHandler) { return wide ? Handlers{wideHandler, wideHandler} : Handlers{narrowHandler, narrowHandler}; };
    if (same(name, "selp")) return wide ? Handlers{chooseFull<std::uint64_t>, choose<std::uint64_t>} : Handlers{chooseFull<std::uint32_t>, choose<std::uint32_t>};
    if (same(name, "slct")) return either(chooseBySign<std::uint32_t>, chooseBySign<std::uint64_t>);
    if (same(name, "pack")) return either(pack<std::uint32_t>, pack<std::uint64_t>);
    if (same(name, "unpack")) return either(unpack<std::uint32_t>, unpack<std::uint64_t>);
    if (same(name, "special")) return either(readSpecial<std::uint32_t>, readSpecial<std::uint64_t>);
    if (same(name, "frame")) return either(frameAddress<std::uint32_t>, frameAddress<std::uint64_t>);
    if (same(name, "window")) return either(shiftWindow<std::uint32_t>, shiftWindow<std::uint64_t>);
    if (same(name, "isspacep")) return {insideWindow, insideWindow};
    if (same(name, "set")) return {fromPredicate, fromPredicate};
    if (same(name, "mov.pred")) return {predicateLogic<0>, predicateLogic<0>};
    if (same(name, "and.pred")) return {predicateLogic<1>, predicateLogic<1>};
    if (same(name, "or.pred")) return {predicateLogic<2>, predicateLogic<2>};
    if (same(name, "xor.pred")) return {predicateLogic<3>, predicateLogic<3>};
    if (same(name, "not.pred")) return {predicateLogic<4>, predicateLogic<4>};
    if (same(name, "nothing")) return {nothing, nothing};
    return {};
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
