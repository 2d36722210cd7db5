// SPDX-License-Identifier: Apache-2.0
// Instructions in which lanes see each other: shuffles, votes, matches, reductions.
#include "engine/execution/isa/lanes.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {
namespace {

using ptx::Type;

// shfl: a value, b lane or distance, c clamp and segment mask; extra: predicate of "source lane in range"
template <int Mode> void shuffle(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<std::uint32_t>(op.d);
    const auto *b = context.source<std::uint32_t>(op.b);
    const auto *c = context.source<std::uint32_t>(op.c);
    std::uint32_t value[laneCount];
    __builtin_memcpy(value, context.source<std::uint32_t>(op.a), sizeof value);
    std::uint32_t inRange = 0;
    std::uint32_t result[laneCount];
    for (int lane = 0; lane < laneCount; ++lane) {
        const int distance = static_cast<int>(b[lane] & 31), clamp = static_cast<int>(c[lane] & 31);
        const int segment = static_cast<int>(c[lane] >> 8 & 31);
        const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
        int from;
        bool inside;
        if constexpr (Mode == 0) { from = lane - distance; inside = from >= most; }
        else if constexpr (Mode == 1) { from = lane + distance; inside = from <= most; }
        else if constexpr (Mode == 2) { from = lane ^ distance; inside = from <= most; }
        else { from = least | (distance & ~segment); inside = from <= most; }
        from = inside ? from & 31 : lane;
        inRange |= inside ? laneBit[lane] : 0;
        result[lane] = value[from];
    }
    for (int i = 0; i < laneCount; ++i) keep<false>(d, i, result[i], context.exec);
    std::uint32_t &p = context.predicates[op.extra];
    p = (p & ~context.exec) | (inRange & context.exec);
}

inline std::uint32_t member(WarpContext &context, std::uint32_t row) {
    return context.source<std::uint32_t>(row)[__builtin_ctz(context.exec)] & context.exec;
}

// vote: a predicate (immediate bit 0: negated); c: member mask
template <int Mode> void vote(WarpContext &context, const MicroOp &op) {
    const std::uint32_t members = member(context, op.c);
    const std::uint32_t votes = (context.predicates[op.a] ^ (op.immediate & 1 ? fullMask : 0u)) & members;
    if constexpr (Mode == 3) { // ballot
        auto *d = context.row<std::uint32_t>(op.d);
        for (int i = 0; i < laneCount; ++i) keep<false>(d, i, votes, context.exec);
    } else {
        const bool holds = Mode == 0 ? votes == members : Mode == 1 ? votes != 0 : votes == members || votes == 0;
        std::uint32_t &p = context.predicates[op.d];
        p = (p & ~context.exec) | (holds ? context.exec : 0u);
    }
}

void activeMask(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<std::uint32_t>(op.d);
    for (int i = 0; i < laneCount; ++i) keep<false>(d, i, context.exec, context.exec);
}

// match.any / match.all: a value, c members, extra: predicate of match.all
template <class R, bool All> void match(WarpContext &context, const MicroOp &op) {
    const auto *a = context.source<R>(op.a);
    const std::uint32_t members = member(context, op.c);
    std::uint32_t result[laneCount] = {};
    bool allEqual = true;
    for (int i = 0; i < laneCount; ++i) {
        if (!(members & laneBit[i])) continue;
        for (int j = 0; j < laneCount; ++j)
            if ((members & laneBit[j]) && a[i] == a[j]) result[i] |= laneBit[j];
        allEqual = allEqual && result[i] == members;
    }
    auto *d = context.row<std::uint32_t>(op.d);
    for (int i = 0; i < laneCount; ++i) keep<false>(d, i, All ? (allEqual ? members : 0u) : result[i], context.exec);
    if constexpr (All) {
        std::uint32_t &p = context.predicates[op.extra];
        p = (p & ~context.exec) | (allEqual ? context.exec : 0u);
    }
}

template <class T, auto F> void reduce(WarpContext &context, const MicroOp &op) {
    const auto *a = context.source<std::uint32_t>(op.a);
    const std::uint32_t members = member(context, op.c);
    bool first = true;
    T total{};
    for (int i = 0; i < laneCount; ++i) {
        if (!(members & laneBit[i])) continue;
        const T value = static_cast<T>(a[i]);
        total = first ? value : F(total, value);
        first = false;
    }
    auto *d = context.row<std::uint32_t>(op.d);
    for (int i = 0; i < laneCount; ++i) keep<false>(d, i, static_cast<std::uint32_t>(total), context.exec);
}

// elect: the lowest member is the leader; d its number, extra the predicate that is true in it alone
void elect(WarpContext &context, const MicroOp &op) {
    const std::uint32_t members = member(context, op.c);
    const std::uint32_t leader = members ? static_cast<std::uint32_t>(__builtin_ctz(members)) : 0u;
    auto *d = context.row<std::uint32_t>(op.d);
    for (int i = 0; i < laneCount; ++i) keep<false>(d, i, leader, context.exec);
    std::uint32_t &p = context.predicates[op.extra];
    p = (p & ~context.exec) | ((1u << leader) & context.exec);
}

bool same(const char *a, const char *b) { return __builtin_strcmp(a, b) == 0; }

} // namespace

Handler selectWarpWide(const char *name, Type type) {
    using u = std::uint32_t;
    using s = std::int32_t;
    const bool wide = ptx::typeBytes(type) == 8, isSigned = ptx::isSigned(type);
    if (same(name, "shfl.up")) return shuffle<0>;
    if (same(name, "shfl.down")) return shuffle<1>;
    if (same(name, "shfl.bfly")) return shuffle<2>;
    if (same(name, "shfl.idx")) return shuffle<3>;
    if (same(name, "vote.all")) return vote<0>;
    if (same(name, "vote.any")) return vote<1>;
    if (same(name, "vote.uni")) return vote<2>;
    if (same(name, "vote.ballot")) return vote<3>;
    if (same(name, "activemask")) return activeMask;
    if (same(name, "elect")) return elect;
    if (same(name, "match.any")) return wide ? match<std::uint64_t, false> : match<u, false>;
    if (same(name, "match.all")) return wide ? match<std::uint64_t, true> : match<u, true>;
    if (same(name, "redux.add")) return reduce<u, [](u a, u b) { return a + b; }>;
    if (same(name, "redux.min")) return isSigned ? reduce<s, [](s a, s b) { return a < b ? a : b; }> : reduce<u, [](u a, u b) { return a < b ? a : b; }>;
    if (same(name, "redux.max")) return isSigned ? reduce<s, [](s a, s b) { return b < a ? a : b; }> : reduce<u, [](u a, u b) { return b < a ? a : b; }>;
    if (same(name, "redux.and")) return reduce<u, [](u a, u b) { return a & b; }>;
    if (same(name, "redux.or")) return reduce<u, [](u a, u b) { return a | b; }>;
    if (same(name, "redux.xor")) return reduce<u, [](u a, u b) { return a ^ b; }>;
    return nullptr;
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
