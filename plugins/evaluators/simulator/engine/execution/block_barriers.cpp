// SPDX-License-Identifier: Apache-2.0
// Barriers of a block: who has arrived, when it opens, and what a barrier nobody can complete means.
#include "engine/execution/launcher.h"

#include <algorithm>
#include <format>

namespace kernelskill::simulator {

bool Launcher::arrive(WarpContext &context, const MicroOp &op, std::uint32_t active) {
    const BarrierSite &site = m_program->barriers[op.extra];
    WarpState &warp = *context.warp;
    const auto lane = static_cast<unsigned>(__builtin_ctz(active));
    const std::uint32_t id = site.kind == BarrierSite::Kind::ClusterWait ? clusterBarrier : context.source<std::uint32_t>(site.id)[lane] & 15u;
    auto *storage = reinterpret_cast<BlockStorage *>(context.block); // the state is the storage's first member
    auto &barrier = storage->barriers[id];
    if (site.kind == BarrierSite::Kind::ClusterWait && !waitForCluster(context, active)) return false;
    if (site.kind == BarrierSite::Kind::Arrive) {
        barrier.arrivedWarps += 1;
        m_totals.barriers += 1;
        return false;
    }
    if (warp.barrierMask == 0) m_totals.barriers += 1;
    warp.barrierMask |= active;
    warp.barrierId = id;
    warp.barrierWarps = site.counted ? (context.source<std::uint32_t>(site.count)[lane] + 31) / 32 : 0;
    const std::uint32_t votes = (warp.predicates[site.predicate] ^ (site.predicateNegated ? fullMask : 0u)) & active;
    barrier.count += static_cast<std::uint32_t>(__builtin_popcount(votes));
    barrier.all = barrier.all && votes == active;
    barrier.any = barrier.any || votes != 0;
    return true;
}

bool arriveAtBarrier(WarpContext &context, const MicroOp &op, std::uint32_t active) { return Launcher::of(context).arrive(context, op, active); }

bool Launcher::completeBarriers(BlockStorage &storage) {
    bool opened = false;
    for (std::uint32_t first = 0; first < storage.state.warpCount; ++first) {
        const WarpState &leader = storage.warps[first];
        if (leader.live == 0 || leader.barrierMask == 0 || leader.barrierMask != leader.live) continue;
        const std::uint32_t id = leader.barrierId;
        std::vector<std::uint32_t> here;
        bool everybody = true;
        std::uint32_t wanted = 0;
        for (const auto &warp : storage.warps) {
            if (warp.live == 0) continue;
            if (warp.barrierMask == warp.live && warp.barrierId == id) {
                here.push_back(warp.index);
                wanted = std::max(wanted, warp.barrierWarps);
            } else everybody = false;
        }
        if (id == clusterBarrier) { // opens when all blocks of the cluster have come (clusters.cpp)
            opened = openClusterBarrier(storage) || opened;
            continue;
        }
        const bool complete = wanted != 0 ? here.size() + storage.barriers[id].arrivedWarps >= wanted : everybody;
        if (!complete) continue;
        passBarrier(storage, id, here);
        opened = true;
    }
    return opened;
}

void Launcher::finishFragment(BlockStorage &storage, WarpState &warp, Fragment &fragment, std::uint32_t id) {
    const BarrierSite &site = m_program->barriers[m_program->code[fragment.pc].extra];
    const auto &barrier = storage.barriers[id];
    if (site.kind == BarrierSite::Kind::ReduceCount) {
        auto *row = reinterpret_cast<std::uint32_t *>(warp.registers + site.result);
        for (unsigned lane = 0; lane < 32; ++lane)
            if (fragment.mask >> lane & 1) row[lane] = barrier.count;
    } else if (site.kind == BarrierSite::Kind::ReduceAnd || site.kind == BarrierSite::Kind::ReduceOr) {
        const bool value = site.kind == BarrierSite::Kind::ReduceAnd ? barrier.all : barrier.any;
        std::uint32_t &p = warp.predicates[site.result];
        p = (p & ~fragment.mask) | (value ? fragment.mask : 0u);
    }
    fragment.pc += 1;
    fragment.state = Fragment::State::Ready;
}

void Launcher::passBarrier(BlockStorage &storage, std::uint32_t id, const std::vector<std::uint32_t> &warps) {
    std::uint64_t latest = 0;
    const Fragment *elsewhere = nullptr;
    std::uint32_t elsewhereWarp = 0;
    std::uint32_t firstPc = ~0u;
    for (const auto w : warps) {
        const WarpState &warp = storage.warps[w];
        latest = std::max(latest, warp.clock);
        for (std::uint32_t f = 0; f < warp.fragmentCount; ++f) {
            if (firstPc == ~0u) firstPc = warp.fragments[f].pc;
            const bool sameLine = m_program->placeOfPc[warp.fragments[f].pc] == m_program->placeOfPc[firstPc];
            if (warp.fragments[f].pc != firstPc && (!sameLine || warp.fragmentCount > 1)) { elsewhere = &warp.fragments[f]; elsewhereWarp = w; }
        }
    }
    if (elsewhere != nullptr && m_request.checks) {
        WarpContext context = contextOf(storage, storage.warps[elsewhereWarp]);
        context.pc = elsewhere->pc;
        find(context, "divergent_barrier", false, static_cast<unsigned>(__builtin_ctz(elsewhere->mask)), 0, [&] {
            return std::format("threads of one block wait at different barriers: some at line {}, others at line {}; every thread of the block must reach the same __syncthreads()",
                               placeOf(firstPc).line, placeOf(elsewhere->pc).line);
        });
    }
    for (const auto w : warps) {
        WarpState &warp = storage.warps[w];
        for (std::uint32_t f = 0; f < warp.fragmentCount; ++f) {
            if (warp.fragments[f].state != Fragment::State::AtBarrier) continue;
            m_stalls[warp.fragments[f].pc].cycles[static_cast<std::size_t>(StallReason::Barrier)] += latest - warp.clock;
            finishFragment(storage, warp, warp.fragments[f], id);
        }
        warp.barrierMask = 0;
        warp.unorderedCount = warp.unorderedHigh = 0;
        warp.unorderedLow = ~0u;
        warp.clock = latest + static_cast<std::uint64_t>(m_model.barrierLatency);
    }
    storage.barriers[id] = {};
    BlockState &b = storage.state;
    if (m_state.raceChecks && b.tagUsed) nextTag(b);
    if (++b.sharedEpoch >= (1u << 20)) {
        // the tags go; what they know about written bytes is kept
        for (std::size_t byte = 0; byte < storage.sharedWritten.size(); ++byte)
            if (const std::uint32_t tag = storage.sharedWriter[byte / 4]; tag > (b.sharedFirstEpoch << 10 | 15u) && (tag >> (byte & 3) & 1u)) storage.sharedWritten[byte] = 1;
        std::ranges::fill(storage.sharedWriter, 0u);
        std::ranges::fill(storage.sharedReader, 0u);
        b.sharedEpoch = b.sharedFirstEpoch = 1;
    }
}

void Launcher::reportDeadlock(BlockStorage &storage) {
    for (auto &warp : storage.warps) {
        if (warp.live == 0 || warp.fragmentCount == 0) continue;
        WarpContext context = contextOf(storage, warp);
        context.pc = warp.fragments[0].pc;
        find(context, "divergent_barrier", true, static_cast<unsigned>(__builtin_ctz(warp.fragments[0].mask)), 0, [&] {
            std::uint32_t waiting = 0, alive = 0;
            for (const auto &w : storage.warps) {
                waiting += static_cast<std::uint32_t>(__builtin_popcount(w.barrierMask));
                alive += static_cast<std::uint32_t>(__builtin_popcount(w.live));
            }
            return std::format("the barrier never opens: {} of the {} threads still running wait, at barriers that differ or that expect more threads than can come",
                               waiting, alive);
        });
        return;
    }
}

void Launcher::reportEndless(BlockStorage &storage, WarpState &warp, const char *what, std::uint64_t budget) {
    WarpContext context = contextOf(storage, warp);
    find(context, "endless_loop", true, warp.active ? static_cast<unsigned>(__builtin_ctz(warp.active)) : 0u, 0, [&] {
        return std::format("the {} has executed more than {} warp instructions and has not ended; the loop around this line does not seem to terminate", what, budget);
    });
}

} // namespace kernelskill::simulator
