// SPDX-License-Identifier: Apache-2.0
#include "timing/stalls.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace kernelskill::simulator {
namespace {

// A busy resource makes warps wait in the way the profiler names. Where a queue fills (throttle) and where the data is
// awaited (scoreboard) both show; the split is a rule of thumb from profiles of bound kernels, not a measurement.
std::vector<std::pair<std::string_view, double>> reasonsOf(Bound bound)
{
    switch (bound) {
    case Bound::Issue:
        return {{"not_selected", 1}};
    case Bound::Fma:
    case Bound::Alu:
    case Bound::Fp64:
    case Bound::Special:
    case Bound::Tensor:
        return {{"math_pipe_throttle", 1}};
    case Bound::Control:
        return {{"branch", 1}};
    case Bound::Shared:
        return {{"mio_throttle", 0.6}, {"short_scoreboard", 0.4}};
    case Bound::L1:
        return {{"lg_throttle", 0.5}, {"long_scoreboard", 0.5}};
    case Bound::L2Port:
    case Bound::Inflight:
    case Bound::L2:
    case Bound::Dram:
        return {{"long_scoreboard", 1}};
    case Bound::Atomics:
        return {{"lg_throttle", 0.5}, {"long_scoreboard", 0.5}};
    case Bound::BlockStart:
        return {{"no_instruction", 1}};
    case Bound::Latency:
    case Bound::Count:
        break;
    }
    return {};
}

// The warps' own waits on an idle SM. They are capped by the warps' life: where blocks overlap fully none is lost.
double addIdleStalls(const LaunchReport &report, double scale, ModelledLaunch &launch)
{
    double sum = 0;
    for (std::size_t i = 0; i < stallReasonCount; ++i) {
        const double cycles = static_cast<double>(report.counters.stallCycles[i]) * scale;
        launch.stalls[std::string(name(static_cast<StallReason>(i)))] += cycles;
        sum += cycles;
    }
    return sum;
}

void addContention(double cycles, const GpuModel &gpu, const BoundCycles &bounds, ModelledLaunch &launch)
{
    // L1's bound contains that of shared memory (one data path): only its own part counts here.
    BoundCycles weights = bounds;
    weights[static_cast<std::size_t>(Bound::Latency)] = 0;
    double &l1 = weights[static_cast<std::size_t>(Bound::L1)];
    l1 = std::max(0.0, l1 - weights[static_cast<std::size_t>(Bound::Shared)]);
    const double largest = *std::ranges::max_element(weights);
    if (largest <= 0) return;
    double sum = 0;
    for (double &weight : weights) {
        weight = std::pow(weight / largest, gpu.model.overlapExponent);
        sum += weight;
    }
    for (std::size_t i = 0; i < boundCount; ++i) {
        for (const auto &[reason, part] : reasonsOf(static_cast<Bound>(i)))
            launch.stalls[std::string(reason)] += cycles * weights[i] / sum * part;
    }
}

} // namespace

void modelStalls(const LaunchReport &report, const GpuModel &gpu, double warpCycles, const BoundCycles &bounds,
                 ModelledLaunch &launch)
{
    launch.stalls.clear();
    launch.issuingShare = 0;
    if (report.counters.blocks == 0) return;
    for (const auto name : {"long_scoreboard", "short_scoreboard", "wait", "barrier", "branch", "math_pipe_throttle",
                            "lg_throttle", "mio_throttle", "not_selected", "no_instruction"})
        launch.stalls[name] = 0;
    const double issuing = launch.work.instructions * static_cast<double>(report.blocksTotal);
    const double idle = addIdleStalls(report, launch.scale, launch);
    const double contention = warpCycles - issuing - idle;
    if (contention > 0) addContention(contention, gpu, bounds, launch);

    double sum = 0;
    for (const auto &[reason, cycles] : launch.stalls)
        sum += cycles;
    if (sum <= 0) {
        launch.stalls["wait"] = 1;
        launch.issuingShare = issuing > 0 ? 1 : 0;
        return;
    }
    for (auto &[reason, cycles] : launch.stalls)
        cycles /= sum;
    launch.issuingShare = issuing / (issuing + sum);
}

} // namespace kernelskill::simulator
