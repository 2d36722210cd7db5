// SPDX-License-Identifier: Apache-2.0
// One block's critical path: the engine's clock, with what a sample's cold caches add to it taken off again.
#pragma once

#include "timing/gpu_model.h"

namespace kernelskill::simulator {

// What a missed sector waits for: share of it that comes from DRAM, as counted and as it would be for the whole grid.
struct MissOrigin
{
    double countedDramShare = 0, trueDramShare = 0;
};

// The factor (0…1] that turns the engine's critical cycles into the modelled ones. A sample of blocks starts with cold
// caches: where the whole grid's DRAM traffic is known to be smaller (fetchesAtMost in work.cpp), fewer of its loads wait
// for DRAM.
[[nodiscard]] double criticalPathFactor(const LaunchReport &report, const GpuModel &gpu, MissOrigin origin);

} // namespace kernelskill::simulator
