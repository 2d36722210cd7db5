// SPDX-License-Identifier: Apache-2.0
// Why warps waited, as shares of a warp's life, from the engine's idle-SM clocks and the model's contention.
#pragma once

#include "timing/time_model.h"

namespace kernelskill::simulator {

// Fills stalls and issuingShare. warpCycles: Σ over all warps of the grid of the cycles they are resident.
// bounds: cycles of each bound over the whole kernel.
void modelStalls(const LaunchReport &report, const GpuModel &gpu, double warpCycles, const BoundCycles &bounds,
                 ModelledLaunch &launch);

} // namespace kernelskill::simulator
