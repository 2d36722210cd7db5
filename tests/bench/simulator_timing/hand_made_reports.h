// SPDX-License-Identifier: Apache-2.0
// Launch reports written by hand from what well-known kernels do, as the engine would count them. They fix the time
// model's sense of proportion independently of the engine.
#pragma once

#include "engine/launch_report.h"

#include <string>
#include <vector>

namespace kernelskill::simulator {

// One kernel, told by what one warp does.
struct KernelSketch
{
    std::string name;
    std::uint32_t gridBlocks = 1, blockThreads = 256;
    int registers = 32, sharedBytes = 0;
    // Warp instructions.
    double fp32 = 0, integer = 0, special = 0, shuffles = 0, branches = 0, barriers = 0, tensor = 0;
    double loads = 0, loadSectors = 4, loadBytes = 128; // requests; sectors and bytes of one
    double stores = 0, storeSectors = 4, storeBytes = 128;
    double loadWavefronts = 0, storeWavefronts = 0; // of one request; 0: not counted
    double l1Hits = 0, l2Hits = 0;                // share of load sectors; of those missed
    double dramReadBytes = 0, dramWriteBytes = 0; // of the whole grid
    double sharedLoads = 0, sharedLoadWavefronts = 0, sharedStores = 0, sharedStoreWavefronts = 0;
    double atomics = 0, atomicSectors = 1, atomicLanes = 1, atomicTurns = 1; // of one request
    std::uint64_t atomicPieces = 1;
    std::uint64_t loadedBytes = 0, storedBytes = 0; // of the allocations; 0: not known
    double flops = 0;                             // of the whole grid
    double criticalCycles = 0, longestCycles = 0; // of a block
    double longScoreboardShare = 0.6;             // of the critical path; the rest is fixed latency
};

// Counters as if every block had run, or the first `blocks` of them.
[[nodiscard]] LaunchReport report(const KernelSketch &sketch, std::uint64_t blocks = 0);

// Families in the order from naive to tuned, on float32: 4096 × 4096 elements, matrix products 1024³.
[[nodiscard]] KernelSketch streamingCopy(bool vectorised);
[[nodiscard]] std::vector<KernelSketch> softmaxLadder();
[[nodiscard]] std::vector<KernelSketch> matmulLadder();
[[nodiscard]] std::vector<KernelSketch> transposeLadder();

} // namespace kernelskill::simulator
