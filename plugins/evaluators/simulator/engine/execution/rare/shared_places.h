// SPDX-License-Identifier: Apache-2.0
// Shared memory of the cluster, lane by lane, for asynchronous copies and mbarriers.
#pragma once

#include "engine/execution/launcher.h"
#include "engine/execution/rare/lane_operation.h"

namespace kernelskill::simulator {

// Bytes in the shared memory of a block of the cluster.
struct SharedPlace {
    BlockState *block = nullptr; // null: a finding was made
    std::uint32_t offset = 0;
    [[nodiscard]] std::byte *bytes() const { return block->shared + offset; }
};

// A lane's address in the cluster's window, given as a generic or a shared one; reports what lies outside or is misaligned.
[[nodiscard]] SharedPlace sharedPlace(WarpContext &context, std::uint64_t address, unsigned lane, std::uint64_t bytes, unsigned alignment, AccessKind kind);
// The same place in the block of another rank.
[[nodiscard]] SharedPlace inRank(WarpContext &context, const SharedPlace &place, std::uint32_t rank, unsigned lane);
[[nodiscard]] std::uint64_t laneAddress(const WarpContext &context, std::uint32_t row, bool wide, std::int64_t offset, unsigned lane);

// mbarriers
void completeTransaction(WarpContext &context, const SharedPlace &barrier, std::int64_t bytes, std::uint64_t arrival, unsigned lane);

} // namespace kernelskill::simulator
