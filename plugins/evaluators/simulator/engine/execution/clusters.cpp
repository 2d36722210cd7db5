// SPDX-License-Identifier: Apache-2.0
// Clusters: their blocks are started together and take turns until all have ended. The barrier of a cluster has two halves;
// each lane remembers whether it has arrived and whether the phase it arrived in is complete.
#include "engine/execution/launcher.h"

#include <algorithm>

namespace kernelskill::simulator {

std::uint64_t Launcher::leaderOf(std::uint64_t linear) const {
    const auto &g = m_state.grid;
    const auto &c = m_state.cluster;
    const std::uint64_t x = linear % g[0], y = linear / g[0] % g[1], z = linear / g[0] / g[1];
    return x / c[0] * c[0] + g[0] * (y / c[1] * c[1] + std::uint64_t{g[1]} * (z / c[2] * c[2]));
}

bool Launcher::leadsCluster(std::uint64_t linear) const { return leaderOf(linear) == linear; }

void Launcher::startCluster(BlockStorage &leader, std::uint64_t linear) {
    auto cluster = std::make_unique<ClusterState>();
    const auto &g = m_state.grid;
    const auto &c = m_state.cluster;
    for (std::uint32_t rank = 0; rank < m_state.clusterBlocks; ++rank) {
        const std::uint64_t x = rank % c[0], y = rank / c[0] % c[1], z = rank / c[0] / c[1];
        BlockStorage *storage = &leader;
        if (rank != 0) {
            if (m_free.empty()) leader.peers.push_back(std::make_unique<BlockStorage>());
            else {
                leader.peers.push_back(std::move(m_free.back()));
                m_free.pop_back();
            }
            storage = leader.peers.back().get();
        }
        startBlock(*storage, linear + x + g[0] * (y + std::uint64_t{g[1]} * z));
        storage->state.cluster = cluster.get();
        storage->state.clusterRank = rank;
        cluster->blocks.push_back(storage);
    }
    leader.cluster = std::move(cluster);
}

// All lanes of the cluster that have not exited have arrived?
bool Launcher::openClusterBarrier(const std::vector<BlockStorage *> &blocks) {
    std::uint64_t latest = 0;
    bool anybody = false;
    for (const auto *storage : blocks)
        for (const auto &warp : storage->warps) {
            if ((warp.live & ~warp.clusterArrived) != 0) return false;
            anybody = anybody || (warp.live & warp.clusterArrived) != 0;
            latest = std::max(latest, warp.clock);
        }
    if (!anybody) return false;
    for (auto *storage : blocks) {
        for (auto &warp : storage->warps) {
            warp.clusterPassed |= warp.clusterArrived;
            warp.clusterArrived = 0;
            if (warp.barrierMask != 0 && warp.barrierId == clusterBarrier && (warp.barrierMask & ~warp.clusterPassed) == 0) {
                warp.clusterPassed &= ~warp.barrierMask;
                passBarrier(*storage, clusterBarrier, {warp.index});
                warp.clock = std::max(warp.clock, latest);
            }
        }
        orderBlock(storage->state);
    }
    return true;
}

void Launcher::arriveAtCluster(WarpContext &context) { context.warp->clusterArrived |= context.exec; }

bool Launcher::openClusterBarrier(BlockStorage &storage) {
    if (storage.state.cluster != nullptr) return openClusterBarrier(storage.state.cluster->blocks);
    return openClusterBarrier(std::vector<BlockStorage *>{&storage}); // a cluster of its own
}

bool Launcher::waitForCluster(WarpContext &context, std::uint32_t active) {
    WarpState &warp = *context.warp;
    if ((active & ~warp.clusterPassed) != 0) (void)openClusterBarrier(*reinterpret_cast<BlockStorage *>(context.block));
    if ((active & ~warp.clusterPassed) != 0) return true;
    warp.clusterPassed &= ~active;
    orderBlock(*context.block);
    return false;
}

Launcher::BlockStop Launcher::runCluster(BlockStorage &leader) {
    ClusterState &cluster = *leader.state.cluster;
    for (;;) {
        bool progressed = false, alive = false;
        for (auto *storage : cluster.blocks) {
            if (storage->done) continue;
            const std::uint64_t before = storage->state.instructions;
            const BlockStop stop = runBlock(*storage, untilItStops);
            if (stop == BlockStop::Fatal) return stop;
            storage->done = stop == BlockStop::Done;
            alive = alive || !storage->done;
            // a block that polls executes too, but only a little
            progressed = progressed || storage->done || storage->state.instructions - before > 4096 || openClusterBarrier(cluster.blocks);
        }
        if (!alive) return BlockStop::Done;
        if (progressed) continue;
        const bool stuck = std::ranges::all_of(cluster.blocks, [](const BlockStorage *s) {
            return s->done || std::ranges::all_of(s->warps, [](const WarpState &w) { return w.live == 0 || w.barrierMask == w.live; });
        });
        if (!stuck) return BlockStop::Waiting;
        for (auto *storage : cluster.blocks)
            if (!storage->done) {
                reportDeadlock(*storage);
                return BlockStop::Fatal;
            }
    }
}

BlockState *Launcher::peerOf(const WarpContext &context, std::uint64_t address) {
    const std::uint64_t rank = address / blockWindowBytes - 1;
    const ClusterState *cluster = context.block->cluster;
    if (cluster == nullptr) return rank == 0 ? context.block : nullptr;
    if (rank >= cluster->blocks.size() || cluster->blocks[rank]->done) return nullptr; // a block that has ended has no memory
    return &cluster->blocks[rank]->state;
}

void Launcher::orderBlock(BlockState &block) {
    if (block.sharedEpoch + 1 < (1u << 20)) ++block.sharedEpoch;
    if (m_state.raceChecks && block.tagUsed) nextTag(block);
}

} // namespace kernelskill::simulator
