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

// Calls f(members, lanes) for the lanes that name the same members: all at once, mostly, but each tile of a warp names its own.
template <class F> void eachCompany(WarpContext &context, std::uint32_t row, F &&f) {
    std::uint32_t masks[laneCount];
    __builtin_memcpy(masks, context.source<std::uint32_t>(row), sizeof masks);
    const std::uint32_t first = masks[__builtin_ctz(context.exec)];
    std::uint32_t other = 0;
    for (int i = 0; i < laneCount; ++i) other |= masks[i] != first ? laneBit[i] : 0u;
    std::uint32_t rest = other & context.exec;
    f(first & context.exec, context.exec & ~rest);
    while (rest != 0) {
        const std::uint32_t mask = masks[__builtin_ctz(rest)];
        std::uint32_t lanes = 0;
        for (int i = 0; i < laneCount; ++i) lanes |= masks[i] == mask ? laneBit[i] : 0u;
        lanes &= rest;
        f(mask & context.exec, lanes);
        rest &= ~lanes;
    }
}

// vote: a predicate (immediate bit 0: negated); c: member mask
template <int Mode> void vote(WarpContext &context, const MicroOp &op) {
    const std::uint32_t source = context.predicates[op.a] ^ (op.immediate & 1 ? fullMask : 0u);
    eachCompany(context, op.c, [&](std::uint32_t members, std::uint32_t lanes) {
        const std::uint32_t votes = source & members;
        if constexpr (Mode == 3) { // ballot
            auto *d = context.row<std::uint32_t>(op.d);
            for (int i = 0; i < laneCount; ++i) keep<false>(d, i, votes, lanes);
        } else {
            const bool holds = Mode == 0 ? votes == members : Mode == 1 ? votes != 0 : votes == members || votes == 0;
            std::uint32_t &p = context.predicates[op.d];
            p = (p & ~lanes) | (holds ? lanes : 0u);
        }
    });
}

void activeMask(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<std::uint32_t>(op.d);
    for (int i = 0; i < laneCount; ++i) keep<false>(d, i, context.exec, context.exec);
}

// match.any / match.all: a value, c members, extra: predicate of match.all
template <class R, bool All> void match(WarpContext &context, const MicroOp &op) {
    R value[laneCount];
    __builtin_memcpy(value, context.source<R>(op.a), sizeof value);
    eachCompany(context, op.c, [&](std::uint32_t members, std::uint32_t lanes) {
        std::uint32_t result[laneCount] = {};
        bool allEqual = true;
        for (int i = 0; i < laneCount; ++i) {
            if (!(members & laneBit[i])) continue;
            for (int j = 0; j < laneCount; ++j)
                if ((members & laneBit[j]) && value[i] == value[j]) result[i] |= laneBit[j];
            allEqual = allEqual && result[i] == members;
        }
        auto *d = context.row<std::uint32_t>(op.d);
        for (int i = 0; i < laneCount; ++i) keep<false>(d, i, All ? (allEqual ? members : 0u) : result[i], lanes);
        if constexpr (All) {
            std::uint32_t &p = context.predicates[op.extra];
            p = (p & ~lanes) | (allEqual ? lanes : 0u);
        }
    });
}

template <class T, auto F> void reduce(WarpContext &context, const MicroOp &op) {
    std::uint32_t value[laneCount];
    __builtin_memcpy(value, context.source<std::uint32_t>(op.a), sizeof value);
    eachCompany(context, op.c, [&](std::uint32_t members, std::uint32_t lanes) {
        bool first = true;
        T total{};
        for (int i = 0; i < laneCount; ++i) {
            if (!(members & laneBit[i])) continue;
            const T one = static_cast<T>(value[i]);
            total = first ? one : F(total, one);
            first = false;
        }
        auto *d = context.row<std::uint32_t>(op.d);
        for (int i = 0; i < laneCount; ++i) keep<false>(d, i, static_cast<std::uint32_t>(total), lanes);
    });
}

// elect: the lowest member is the leader; d its number, extra the predicate that is true in it alone
void elect(WarpContext &context, const MicroOp &op) {
    eachCompany(context, op.c, [&](std::uint32_t members, std::uint32_t lanes) {
        const std::uint32_t leader = members ? static_cast<std::uint32_t>(__builtin_ctz(members)) : 0u;
        auto *d = context.row<std::uint32_t>(op.d);
        for (int i = 0; i < laneCount; ++i) keep<false>(d, i, leader, lanes);
        std::uint32_t &p = context.predicates[op.extra];
        p = (p & ~lanes) | ((1u << leader) & lanes);
    });
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
