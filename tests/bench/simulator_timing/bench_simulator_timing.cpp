// SPDX-License-Identifier: Apache-2.0
// Prints what the time model makes of the hand-made reports: a table to read after changing a constant.
// Usage: bench_simulator_timing [GPU.json]
#include "hand_made_reports.h"
#include "timing/time_model.h"

#include <chrono>
#include <print>
#include <vector>

using namespace kernelskill::simulator;

namespace {

void print(const KernelSketch &sketch, const GpuModel &gpu)
{
    const ModelledLaunch launch = model(report(sketch), gpu);
    std::string stall = "none";
    double share = 0;
    for (const auto &[reason, part] : launch.stalls) {
        if (part > share) std::tie(stall, share) = std::tie(reason, part);
    }
    const double tflops = sketch.flops / launch.duration_us * 1e-6;
    const double gb_s = launch.metrics.at("dram_bytes") / launch.duration_us * 1e-3;
    std::println("{:36} {:9.1f} {:9.1f} {:8.2f} {:8.0f} {:6.1f} {:6.1f} {:6.1f}  {:12} {} {:.0f} %", sketch.name,
                 launch.time_us, launch.roofline_us, tflops, gb_s, launch.metrics.at("dram_throughput_pct"),
                 launch.metrics.at("l1_throughput_pct"), launch.metrics.at("sm_throughput_pct"), name(launch.bound),
                 stall, share * 100);
}

} // namespace

int main(int argc, char **argv)
{
    const auto gpu = GpuModel::read(argc > 1 ? argv[1] : SOURCE_DIR "/resources/gpus/h200.json");
    if (!gpu) {
        std::println(stderr, "{}", gpu.error());
        return 2;
    }
    std::println("{:36} {:>9} {:>9} {:>8} {:>8} {:>6} {:>6} {:>6}  {:12} main stall", "kernel (modelled)", "time µs",
                 "roof µs", "TFLOP/s", "GB/s", "dram%", "l1%", "sm%", "bound");
    std::vector<KernelSketch> sketches{streamingCopy(false), streamingCopy(true)};
    for (const auto &ladder : {softmaxLadder(), matmulLadder(), transposeLadder()})
        sketches.insert(sketches.end(), ladder.begin(), ladder.end());
    for (const KernelSketch &sketch : sketches)
        print(sketch, *gpu);

    constexpr int repetitions = 10000;
    const LaunchReport sample = report(sketches.back());
    const auto start = std::chrono::steady_clock::now();
    double sum = 0;
    for (int i = 0; i < repetitions; ++i)
        sum += model(sample, *gpu).time_us;
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
    std::println("one model run: {:.1f} µs (mean time {:.1f} µs)", spent.count() / repetitions, sum / repetitions);
    return 0;
}
