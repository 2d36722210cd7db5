// SPDX-License-Identifier: Apache-2.0
// One block's critical path: the engine's clock, with what the engine's order of instructions and a sample's cold
// caches add to it taken off again.
#pragma once

#include "timing/gpu_model.h"

namespace kernelskill::simulator {

// What a missed sector waits for: share of it that comes from DRAM, as counted and as it would be for the whole grid.
struct MissOrigin
{
    double countedDramShare = 0, trueDramShare = 0;
};

// The factor (0…1] that turns the engine's critical cycles into the modelled ones.
//
// The engine executes PTX in its own order and waits where a result is first used. The assembler that makes machine
// code from PTX moves loads up: within a basic block all loads whose addresses are known go out together, up to what
// registers hold, and small loops are unrolled so that blocks grow. A warp that waits E times for memory by the
// counters (waiting cycles over the mean latency of a load) and executes B branches then waits about B / loop_unroll
// times, never fewer than E / loads_hoisted times, never more than E. A kernel whose PTX already waits once a block is
// left as it is. The same holds for loads from shared memory. A sample of blocks starts with cold caches: where the
// whole grid's DRAM traffic is known to be smaller (see limitDram in work.cpp), fewer of its loads wait for
// DRAM.
[[nodiscard]] double criticalPathFactor(const LaunchReport &report, const GpuModel &gpu, MissOrigin origin);

} // namespace kernelskill::simulator
