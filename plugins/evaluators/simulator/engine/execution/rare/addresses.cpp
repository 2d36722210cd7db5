// SPDX-License-Identifier: Apache-2.0
#include "engine/execution/rare/addresses.h"

#include "engine/execution/launcher.h"
#include "engine/execution/rare/lane_operation.h"

#include <algorithm>
#include <bit>
#include <format>

namespace kernelskill::simulator {

void mapToRankLanes(WarpContext &context, const MicroOp &op) {
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(context.exec >> lane & 1)) continue;
        const std::uint64_t address = laneValue(context, op.a, op.immediate & 2, lane);
        const std::uint64_t rank = laneValue(context, op.b, op.immediate & 4, lane) & 0xffff'ffffu;
        if (rank >= context.launch->clusterBlocks) {
            Launcher::of(context).find(context, "out_of_bounds", true, lane, address, [&] {
                return std::format("mapa to rank {} of a cluster of {} blocks", rank, context.launch->clusterBlocks);
            });
            return;
        }
        const bool generic = address - sharedWindow < sharedWindowBytes;
        const std::uint64_t offset = (generic ? address - sharedWindow : address) % blockWindowBytes;
        const std::uint64_t part = context.launch->clusterBlocks == 1 ? 0 : rank + 1;
        setLaneValue(context, op.d, op.immediate & 1, lane, (generic ? sharedWindow : 0) + part * blockWindowBytes + offset);
    }
}

void rankOfAddressLanes(WarpContext &context, const MicroOp &op) {
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(context.exec >> lane & 1)) continue;
        std::uint64_t address = laneValue(context, op.a, op.immediate & 2, lane);
        if (address - sharedWindow < sharedWindowBytes) address -= sharedWindow;
        const std::uint64_t part = address / blockWindowBytes;
        setLaneValue(context, op.d, op.immediate & 1, lane, part == 0 ? context.block->clusterRank : part - 1);
    }
}

void isConstantAddress(WarpContext &context, const MicroOp &op) {
    std::uint32_t mask = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        const Allocation *a = context.exec >> lane & 1 ? findAllocation(context, context.source<std::uint64_t>(op.a)[lane]) : nullptr;
        if (a != nullptr && a->readOnly) mask |= 1u << lane;
    }
    std::uint32_t &p = context.predicates[op.d];
    p = (p & ~context.exec) | (mask & context.exec);
}

void allocateOnStack(WarpContext &context, const MicroOp &op) {
    const std::uint32_t end = context.launch->localBytes;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(context.exec >> lane & 1)) continue;
        const std::uint64_t bytes = laneValue(context, op.a, op.immediate & 2, lane);
        const std::uint64_t alignment = std::bit_ceil(std::clamp<std::uint64_t>(laneValue(context, op.b, op.immediate & 4, lane), 8, 4096));
        std::uint32_t &taken = context.warp->allocaBytes[lane];
        const std::uint64_t room = end - taken;
        const std::uint64_t place = bytes > room ? 0 : (room - bytes) / alignment * alignment;
        if (bytes > room || place < context.warp->frameBase[lane]) {
            Launcher::of(context).find(context, "out_of_bounds", true, lane, bytes, [&] {
                return std::format("alloca of {} bytes: the thread's stack has {} left", bytes, room - std::min<std::uint64_t>(room, context.warp->frameBase[lane]));
            });
            return;
        }
        taken = static_cast<std::uint32_t>(end - place);
        setLaneValue(context, op.d, op.immediate & 1, lane, place);
    }
}

void saveStack(WarpContext &context, const MicroOp &op) {
    for (unsigned lane = 0; lane < 32; ++lane)
        if (context.exec >> lane & 1) setLaneValue(context, op.d, op.immediate & 1, lane, context.warp->allocaBytes[lane]);
}

void restoreStack(WarpContext &context, const MicroOp &op) {
    for (unsigned lane = 0; lane < 32; ++lane)
        if (context.exec >> lane & 1)
            context.warp->allocaBytes[lane] = std::min(context.warp->allocaBytes[lane], static_cast<std::uint32_t>(laneValue(context, op.a, op.immediate & 2, lane)));
}

void specialPredicate(WarpContext &context, const MicroOp &op) {
    std::uint64_t values[32];
    (void)specialRow(context, static_cast<int>(op.immediate), values);
    std::uint32_t mask = 0;
    for (unsigned lane = 0; lane < 32; ++lane) mask |= values[lane] != 0 ? 1u << lane : 0;
    std::uint32_t &p = context.predicates[op.d];
    p = (p & ~context.exec) | (mask & context.exec);
}

} // namespace kernelskill::simulator
