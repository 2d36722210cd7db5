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

double issued(const LaunchCounters &counters, InstructionClass c)
{
    return value(counters.warpInstructions[static_cast<std::size_t>(c)]);
}

double missLatency(const GpuModel &gpu, double dramShare)
{
    return gpu.latency("l2") + std::clamp(dramShare, 0.0, 1.0) * (gpu.latency("dram") - gpu.latency("l2"));
}

// Share of the waits that is left when loads are moved up, see the header.
double hoisted(double waitingCycles, double latency, double loads, const LaunchCounters &counters, const GpuModel &gpu)
{
    if (waitingCycles <= 0 || latency <= 0 || loads <= 0) return 1;
    const double waits = std::min(waitingCycles / latency, loads);
    const double blocks = std::max(issued(counters, InstructionClass::Branch), value(counters.warps));
    const double separated = blocks / gpu.model.loopUnroll + value(counters.barriers);
    return std::clamp(separated / waits, 1 / gpu.model.loadsHoisted, 1.0);
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

    const double l1Hits =
        counters.globalLoad.sectors > 0
            ? std::min(1.0, value(counters.globalLoad.l1HitSectors) / value(counters.globalLoad.sectors))
            : 0;
    const double miss = missLatency(gpu, origin.countedDramShare);
    const double global = stalled(counters, StallReason::LongScoreboard);
    const double globalLeft = hoisted(global, l1Hits * gpu.latency("l1") + (1 - l1Hits) * miss,
                                      issued(counters, InstructionClass::LoadGlobal), counters, gpu) *
                              missLatency(gpu, origin.trueDramShare) / miss;
    const double shared = stalled(counters, StallReason::ShortScoreboard);
    const double sharedLeft =
        hoisted(shared, gpu.latency("shared"), issued(counters, InstructionClass::LoadShared), counters, gpu);
    return std::clamp(1 - (global * (1 - std::min(1.0, globalLeft)) + shared * (1 - sharedLeft)) / path, 0.05, 1.0);
}

} // namespace kernelskill::simulator
