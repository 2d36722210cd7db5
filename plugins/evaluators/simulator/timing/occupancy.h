// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel an SM holds at a time, and what limits them.
//
// The rules are those of the vendor's occupancy calculator for compute capability 7.0 and later: registers are given to
// a warp in units (256), shared memory to a block in units (128 bytes) with a reserved kibibyte on top, and a warp's
// registers come from one of four register files, so the warps that registers allow are rounded down to fours.
#pragma once

#include "timing/gpu_model.h"

#include <string_view>

namespace kernelskill::simulator {

enum class OccupancyLimiter { Registers, SharedMemory, Warps, Blocks, Launch };
[[nodiscard]] std::string_view
name(OccupancyLimiter limiter); // "registers", "shared memory", "warps", "blocks", "launch"

struct Occupancy
{
    int warpsPerBlock = 0;
    int residentBlocks = 0; // per SM; 0: the block does not fit at all (limiter Launch)
    int residentWarps = 0;
    double theoretical = 0; // residentWarps over the SM's warps, 0…1
    // Blocks each resource alone would allow.
    int registerBlocks = 0, sharedBlocks = 0, warpBlocks = 0, blockBlocks = 0;
    int sharedBytesPerBlock = 0; // as allocated, with the reserved part
    OccupancyLimiter limiter = OccupancyLimiter::Warps;
};

// A full SM is limited by its warps; otherwise a tie names registers before warps before shared memory, as the policy
// does, and blocks last.
[[nodiscard]] Occupancy occupancy(const KernelResources &resources, std::uint64_t threadsPerBlock, const GpuModel &gpu);

} // namespace kernelskill::simulator
