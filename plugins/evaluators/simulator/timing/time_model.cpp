// SPDX-License-Identifier: Apache-2.0
#include "timing/time_model.h"

#include "timing/metrics.h"
#include "timing/stalls.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace kernelskill::simulator {
namespace {

std::size_t index(Bound bound)
{
    return static_cast<std::size_t>(bound);
}

struct Wave
{
    double cycles = 0;
    BoundCycles bounds{};
    double busySms = 0;
    double warpsPerSm = 0; // resident on the busy ones
};

// The bounds in groups. What one instruction or one byte passes at the same time counts once: an instruction takes its issue
// slot and its pipe together, a byte its port and L2. L1's bound holds shared memory's.
std::array<double, 7> groups(const BoundCycles &bounds)
{
    const auto most = [&bounds](std::initializer_list<Bound> some) {
        double result = 0;
        for (const Bound bound : some)
            result = std::max(result, bounds[index(bound)]);
        return result;
    };
    return {most({Bound::Issue, Bound::Fma, Bound::Alu, Bound::Fp64, Bound::Special, Bound::Tensor, Bound::Control}),
            most({Bound::Shared, Bound::L1}),
            most({Bound::L2Port, Bound::L2}),
            most({Bound::Inflight, Bound::Dram}),
            bounds[index(Bound::Atomics)],
            bounds[index(Bound::BlockStart)],
            bounds[index(Bound::Latency)]};
}

// (Σ tᵖ)^(1/p), scaled by the largest so that pow neither overflows nor loses small waves. A lone agent uses one thing after
// the other, so the bounds add up but for what one path through the block holds of several; with n of them the others fill a
// gap but for one n-th, and for less where n is more than there are things to use.
double joined(const BoundCycles &bounds, const ModelConstants &model, double agents)
{
    const std::array parts = groups(bounds);
    const double largest = *std::ranges::max_element(parts);
    if (largest <= 0) return 0;
    double powers = 0, sum = 0;
    for (const double part : parts) {
        powers += std::pow(part / largest, model.overlapExponent);
        sum += part;
    }
    constexpr double stations = 4; // cores, L1, memory, latency: beyond that many agents the bottleneck hardly ever idles
    const double serial = model.serialShare * (sum - largest) / (agents * std::max(1.0, agents / stations));
    const double queueing = largest * (std::pow(powers, 1 / model.overlapExponent) - 1);
    return largest + std::hypot(queueing, serial); // two views of one loss: the larger counts
}

Wave wave(const BlockWork &work, const GpuModel &gpu, double blocks, double latency)
{
    Wave result;
    if (blocks <= 0) return result;
    const double sms = gpu.smCount;
    const double busiest = std::ceil(blocks / sms);
    result.busySms = std::min(blocks, sms);
    result.warpsPerSm = blocks / result.busySms * work.warps;
    const double schedulers = gpu.rate("issue");
    const double schedulerShare = std::min(schedulers, busiest * work.warps) / schedulers;
    for (std::size_t i = 0; i < boundCount; ++i) {
        const Bound bound = static_cast<Bound>(i);
        const double share = isPerScheduler(bound) ? schedulerShare : 1;
        result.bounds[i] = work.demand[i] * (isDeviceWide(bound) ? blocks : busiest) / share;
    }
    result.bounds[index(Bound::Latency)] = latency;
    result.cycles = joined(result.bounds, gpu.model, busiest * work.agents);
    return result;
}

// The whole grid: equal full waves, then the partial one.
struct Schedule
{
    double cycles = 0;
    BoundCycles bounds{};
    double tailCycles = 0;
    double busySmCycles = 0; // Σ over SMs of the cycles they hold a block
    double warpCycles = 0;   // Σ over warps of the cycles they are resident
};

void append(Schedule &schedule, const Wave &wave, double times)
{
    schedule.cycles += wave.cycles * times;
    for (std::size_t i = 0; i < boundCount; ++i)
        schedule.bounds[i] += wave.bounds[i] * times;
    schedule.busySmCycles += wave.cycles * wave.busySms * times;
    schedule.warpCycles += wave.cycles * wave.busySms * wave.warpsPerSm * times;
}

Schedule schedule(const BlockWork &work, const GpuModel &gpu, double blocks, double residentBlocks)
{
    Schedule result;
    const double capacity = std::max(residentBlocks, 1.0) * gpu.smCount;
    const double full = std::floor(blocks / capacity);
    const double rest = blocks - full * capacity;
    const double average = work[Bound::Latency];
    // A lone wave ends with its longest block.
    append(result, wave(work, gpu, capacity, average), full);
    if (rest > 0) append(result, wave(work, gpu, rest, full == 0 ? work.longestCycles : average), 1);
    if (full > 0) {
        // Blocks of uneven length fill free slots as they come; at the end some SMs wait for the longest.
        const double excess = std::max(0.0, work.longestCycles - average) * gpu.model.stragglerShare;
        result.cycles += excess;
        result.bounds[index(Bound::Latency)] += excess;
        const double even = wave(work, gpu, capacity, average).cycles * blocks / capacity;
        result.tailCycles = std::max(0.0, result.cycles - even);
    }
    return result;
}

double roofline(const LaunchReport &report, const ModelledLaunch &launch, const GpuModel &gpu)
{
    const LaunchCounters &counters = report.counters;
    const double blocks = static_cast<double>(report.blocksTotal);
    // What was fetched more than once is not compulsory; nor is what nobody asked for.
    double bytes = std::min(launch.work.dramBytes(), launch.work.usefulBytes) * blocks;
    const double loaded = static_cast<double>(report.loadedAllocationBytes);
    const double stored = static_cast<double>(report.storedAllocationBytes);
    if (loaded + stored > 0)
        bytes = std::min(bytes, std::min(launch.work.dramReadBytes * blocks, loaded) +
                                    std::min(launch.work.dramWriteBytes * blocks, stored));
    const double writeShare = launch.work.dramBytes() > 0 ? launch.work.dramWriteBytes / launch.work.dramBytes() : 0;
    const double memory_us = bytes / gpu.dramBytesPerCycle(writeShare) / gpu.cyclesPerMicrosecond();
    const auto flops_us = [&](std::uint64_t flops, double tflops) {
        return tflops > 0 ? static_cast<double>(flops) * launch.scale / (tflops * 1e6) : 0.0;
    };
    return std::max({memory_us, flops_us(counters.fp32Flops, gpu.fp32_tflops),
                     flops_us(counters.fp64Flops, gpu.fp64_tflops),
                     flops_us(counters.tensorFlops, gpu.fp16Tensor_tflops)});
}

std::string sentence(const ModelledLaunch &launch, const GpuModel &gpu)
{
    std::string text = std::format("{}: {:.1f} of {:.1f} µs", title(launch.bound),
                                   launch.bounds_us[index(launch.bound)], launch.duration_us);
    if (launch.metrics.contains("grid_blocks") && launch.metrics.at("grid_blocks") < gpu.smCount)
        text += std::format("; {:.0f} blocks leave {:.0f} of {} SMs idle", launch.metrics.at("grid_blocks"),
                            gpu.smCount - launch.metrics.at("grid_blocks"), gpu.smCount);
    else if (launch.tail_us > 0.1 * launch.duration_us)
        text += std::format("; {:.1f} µs lost to the last, partial wave ({:.2f} waves)", launch.tail_us, launch.waves);
    return text;
}

} // namespace

ModelledLaunch model(const LaunchReport &report, const GpuModel &gpu)
{
    ModelledLaunch launch;
    launch.occupancy = occupancy(report.resources, report.block.count(), gpu);
    const double blocks = static_cast<double>(std::max(report.blocksTotal, report.counters.blocks));
    if (report.counters.blocks > 0) launch.scale = blocks / static_cast<double>(report.counters.blocks);
    const double resident = std::max(launch.occupancy.residentBlocks, 1);
    launch.waves = blocks / (resident * gpu.smCount);
    launch.work = blockWork(report, gpu, launch.waves);

    const Schedule plan = report.counters.blocks > 0 ? schedule(launch.work, gpu, blocks, resident) : Schedule{};
    const double cyclesPer_us = gpu.cyclesPerMicrosecond();
    launch.duration_us = gpu.model.kernelFixed_us + plan.cycles / cyclesPer_us;
    launch.time_us = launch.duration_us + gpu.model.launchGap_us;
    launch.tail_us = plan.tailCycles / cyclesPer_us;
    for (std::size_t i = 0; i < boundCount; ++i)
        launch.bounds_us[i] = plan.bounds[i] / cyclesPer_us;
    launch.bound = static_cast<Bound>(std::ranges::max_element(launch.bounds_us) - launch.bounds_us.begin());
    if (plan.busySmCycles > 0) launch.achievedOccupancy = plan.warpCycles / plan.busySmCycles / gpu.maxWarpsPerSm;
    launch.roofline_us = report.counters.blocks > 0 ? roofline(report, launch, gpu) : 0;
    modelStalls(report, gpu, plan.warpCycles, plan.bounds, launch);
    modelMetrics(report, gpu, launch);
    launch.sentence = sentence(launch, gpu);
    return launch;
}

} // namespace kernelskill::simulator
