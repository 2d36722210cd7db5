// SPDX-License-Identifier: Apache-2.0
#include "timing/latency.h"

#include <algorithm>

namespace kernelskill::simulator {
namespace {

double value(std::uint64_t count)
{
    return static_cast<double>(count);
}

double stalled(const LaunchCounters &counters, StallReason reason)
{
    return value(counters.stallCycles[static_cast<std::size_t>(reason)]);
}

double missLatency(const GpuModel &gpu, double dramShare)
{
    return gpu.latency("l2") + std::clamp(dramShare, 0.0, 1.0) * (gpu.latency("dram") - gpu.latency("l2"));
}

} // namespace

double criticalPathFactor(const LaunchReport &report, const GpuModel &gpu, MissOrigin origin)
{
    const LaunchCounters &counters = report.counters;
    double path = 0; // of all warps: what they issue and wait for, but for each other
    for (const std::uint64_t count : counters.warpInstructions)
        path += value(count);
    for (const std::uint64_t cycles : counters.stallCycles)
        path += value(cycles);
    path -= stalled(counters, StallReason::Barrier);
    if (path <= 0) return 1;

    const double global = stalled(counters, StallReason::LongScoreboard);
    const double left = missLatency(gpu, origin.trueDramShare) / missLatency(gpu, origin.countedDramShare);
    return std::clamp(1 - global * (1 - std::min(1.0, left)) / path, 0.05, 1.0);
}

} // namespace kernelskill::simulator
