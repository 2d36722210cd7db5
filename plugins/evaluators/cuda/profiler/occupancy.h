// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launch_row.h"

#include <optional>

namespace kernelskill::cuda {

// Blocks that fit on a multiprocessor by each resource alone, as NVIDIA's occupancy rules have it since compute
// capability 7.0: registers are given to warps in units of 256 from four files, shared memory to blocks in units of 128
// bytes. Shared memory counts with the largest carve-out; ncu's own limit counts with the one the driver chose.
struct Occupancy
{
    int byRegisters = 0, byShared = 0, byWarps = 0, byBlocks = 0;
    int residentBlocks = 0;
    double theoretical_pct = 0;
    double wavesPerSm = 0;
};

// Empty when the device or the launch is not known well enough.
[[nodiscard]] std::optional<Occupancy> occupancy(const LaunchRow &launch, const DeviceLimits &device);

} // namespace kernelskill::cuda
