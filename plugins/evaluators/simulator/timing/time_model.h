// SPDX-License-Identifier: Apache-2.0
// From what a launch did to how long a GPU would take for it. Everything that comes out is modelled, never measured.
//
// The model. A grid of B blocks runs in waves: an SM holds R blocks at a time (occupancy.h), the device R × SMs. For
// each wave the model asks of every resource how long it would be busy if it alone mattered:
//   - resources of an SM (issue slots, pipes, shared memory, L1, the path to L2, bytes in flight) with the n blocks of
//     the busiest SM, n = ceil(blocks of the wave / SMs);
//   - resources of the device (L2, DRAM, atomic units) with all blocks of the wave;
//   - latency: no block ends before its own critical path, which the engine measures with each warp alone on an idle SM
//     (in-order issue, register scoreboard, latencies by cache level); latency.h says what is taken off it again. R
//     resident blocks share it: they overlap.
// A wave takes the p-norm of these times, (Σ tᵖ)^(1/p): close to the largest, somewhat above where several are near it, and
// more where few go their own ways, as blocks whose warps meet at barriers do (cf. the "roofline with overlap" family of
// models, e.g. Hong & Kim 2009 for latency hiding by warps, Little 1961 for bytes in flight, Williams et al. 2009 for
// ceilings). Full waves repeat; the last, partial wave is computed with its own, smaller block count: fewer blocks an
// SM take less throughput time but no less latency, which is the tail effect. Few blocks leave SMs idle by the same
// formula. Irregular blocks: the average makes the waves, the longest one's excess is added at the end. The time of a
// launch is kernel_fixed_us (an empty kernel's duration) + the waves; time_us adds the gap to the next kernel of the
// stream, so that many small kernels cost what they do on a device.
#pragma once

#include "timing/gpu_model.h"
#include "timing/occupancy.h"
#include "timing/work.h"

#include <functional>
#include <map>
#include <string>

namespace kernelskill::simulator {

struct ModelledLaunch
{
    double time_us = 0;           // device time in a stream, the gap to the next kernel included
    double duration_us = 0;       // what a profiler would call the kernel's duration
    double roofline_us = 0;       // least time its own flops and compulsory DRAM bytes need
    double tail_us = 0;           // of duration_us, lost to the partial last wave
    double waves = 0;             // blocks over the blocks the device holds
    Bound bound = Bound::Latency; // the largest
    BoundCycles bounds_us{};      // each bound alone
    Occupancy occupancy;
    double achievedOccupancy = 0; // 0…1
    BlockWork work;               // of one average block
    double scale = 1;             // blocks of the grid over blocks that ran

    // Reason → share of stall cycles; sums to 1 (empty when nothing ran). Names: long_scoreboard, short_scoreboard,
    // wait, barrier, branch, math_pipe_throttle, lg_throttle, mio_throttle, not_selected, no_instruction.
    std::map<std::string, double, std::less<>> stalls;
    double issuingShare = 0; // of a warp's cycles: those in which it issued
    // Under the names of core's metric catalogue. A metric that cannot be known is absent.
    std::map<std::string, double, std::less<>> metrics;
    std::string sentence; // "DRAM bandwidth: 31.2 of 33.9 µs; …" for a person
};

[[nodiscard]] ModelledLaunch model(const LaunchReport &report, const GpuModel &gpu);

} // namespace kernelskill::simulator
