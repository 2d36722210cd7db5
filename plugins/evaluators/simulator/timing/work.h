// SPDX-License-Identifier: Apache-2.0
// What one average block of a launch asks of each resource of the GPU, in cycles of that resource.
#pragma once

#include "timing/gpu_model.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace kernelskill::simulator {

// The resources a kernel can be bound by. The names are shown, stored and tested: rename none.
enum class Bound : std::uint8_t {
    Issue, // issue slots of the four schedulers
    Fma,   // float32, half and integer multiply-add pipe
    Alu,   // integer, logic and compare pipe
    Fp64,
    Special, // transcendental unit
    Tensor,
    Control,    // branches, votes
    Shared,     // shared-memory wavefronts and shuffles
    L1,         // global-memory wavefronts of L1, with those of shared memory: they share one data path
    L2Port,     // one SM's path to L2
    Inflight,   // bytes an SM keeps on the way (Little's law)
    BlockStart, // front end that starts blocks
    L2,         // bandwidth of the whole L2
    Dram,
    Atomics, // L2's atomic units and same-address order
    Latency, // one block's critical path
    Count
};
inline constexpr std::size_t boundCount = static_cast<std::size_t>(Bound::Count);
[[nodiscard]] std::string_view name(Bound bound);  // "dram"
[[nodiscard]] std::string_view title(Bound bound); // "DRAM bandwidth"
// Shared by the whole device, not one per SM.
[[nodiscard]] constexpr bool isDeviceWide(Bound bound)
{
    return bound == Bound::L2 || bound == Bound::Dram || bound == Bound::Atomics;
}
// Split over an SM's four schedulers, so that fewer than four warps reach only a part.
[[nodiscard]] constexpr bool isPerScheduler(Bound bound)
{
    return bound <= Bound::Control;
}

using BoundCycles = std::array<double, boundCount>;

struct BlockWork
{
    double warps = 0;        // of one block
    double instructions = 0; // warp instructions issued
    double agents = 1;       // of a block, that fill each other's gaps: 1 when its warps march together, see work.cpp
    // Cycles one block keeps each resource busy at its achievable rate; device-wide ones as if the block had the device
    // to itself, Latency the critical path.
    BoundCycles demand{};
    double longestCycles = 0; // critical path of the longest block
    double l1Bytes = 0, l2Bytes = 0, dramReadBytes = 0, dramWriteBytes = 0, usefulBytes = 0;
    double dramAgainBytes = 0; // of those read: by a block that had fetched them before
    double l1Wavefronts = 0, sharedWavefronts = 0;

    [[nodiscard]] double operator[](Bound bound) const { return demand[static_cast<std::size_t>(bound)]; }
    [[nodiscard]] double dramBytes() const { return dramReadBytes + dramWriteBytes; }
};

// The average over the blocks that ran. A report without blocks gives no work.
// waves: of the whole grid.
[[nodiscard]] BlockWork blockWork(const LaunchReport &report, const GpuModel &gpu, double waves);

// Wavefronts of L1 for one kind of access. Where the engine did not count them, a request costs one look-up for each
// 128-byte line it touches, and the lines follow from how full the sectors are: full ones lie four to a line, and when a
// sector serves one lane each sector is likely to be a line of its own.
[[nodiscard]] double tagWavefronts(const AccessCounters &access);

} // namespace kernelskill::simulator
