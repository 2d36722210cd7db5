// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies of many bytes by one lane: cp.async.bulk, its tensor and reducing forms, st.async and red.async. The data
// move when the instruction is issued; their time is counted through mbarriers and bulk groups.
#pragma once

#include "engine/execution/micro_op.h"
#include "engine/ptx/type.h"

#include <vector>

namespace kernelskill::simulator {

enum class BulkKind : std::uint8_t { GlobalToShared, SharedToShared, SharedToGlobal, Prefetch };
inline constexpr std::uint8_t noReduction = 0xff;

// MicroOp.extra: entries in this order, then the rows of a tensor's coordinates. A row is followed by 1 when it is wide.
struct BulkSite {
    BulkKind kind = BulkKind::GlobalToShared;
    std::uint8_t reduction = noReduction; // an AtomicOperation
    ptx::Type type = ptx::Type::B8;       // of the reduction
    bool multicast = false;
    std::uint32_t destination = 0, source = 0, size = 0, barrier = 0, mask = 0; // rows; of a tensor: source or destination is the map
    bool wideDestination = false, wideSource = false, wideSize = false, wideBarrier = false, wideMask = false;
    std::int32_t destinationOffset = 0, sourceOffset = 0, barrierOffset = 0;
    std::vector<std::uint32_t> coordinates;
    [[nodiscard]] std::vector<std::uint32_t> entries() const;
};

void bulkCopyHandler(WarpContext &, const MicroOp &);
void tensorCopyHandler(WarpContext &, const MicroOp &);
void commitBulkGroup(WarpContext &, const MicroOp &);
void waitBulkGroups(WarpContext &, const MicroOp &); // immediate: groups that may still be open
// st.async and red.async: extra is the MemoryOperand with the values' rows; sourceAddress is the barrier's row, d its width.
void storeAsyncHandler(WarpContext &, const MicroOp &);

} // namespace kernelskill::simulator
