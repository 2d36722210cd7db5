// SPDX-License-Identifier: Apache-2.0
// The modelled launch in the profiler's vocabulary (core/profile/metric_catalogue.h has titles, units and meanings).
#pragma once

#include "timing/time_model.h"

namespace kernelskill::simulator {

// Fills launch.metrics from everything else in it.
void modelMetrics(const LaunchReport &report, const GpuModel &gpu, ModelledLaunch &launch);

} // namespace kernelskill::simulator
