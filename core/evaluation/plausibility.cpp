// SPDX-License-Identifier: Apache-2.0
#include "plausibility.h"

#include "evaluation/checks.h"

#include <algorithm>

namespace kernelskill {

namespace {

constexpr double floorShare = 0.7; // of the least time: the ceilings themselves are uncertain
constexpr double movedShare = 0.5; // of the least bytes: a profiler's kernels find each other's data in L2

} // namespace

Result<Floor> leastTime(const Task &task, const Sizes &sizes, const GpuSpec &gpu)
{
    const auto bytes = task.bytes.evaluate(sizes);
    const auto flops = task.flops.evaluate(sizes);
    if (!bytes) return std::unexpected(bytes.error());
    if (!flops) return std::unexpected(flops.error());
    const double beyondL2 = std::max(0.0, *bytes - gpu.l2Bytes);
    const double dram_us = gpu.dramPeak_gb_s > 0 ? beyondL2 / (gpu.dramPeak_gb_s * 1e3) : 0;
    const double l2_us = gpu.l2_gb_s > 0 ? *bytes / (gpu.l2_gb_s * 1e3) : 0;
    const double fastest = std::max({gpu.fp32_tflops, gpu.fp16Tensor_tflops, gpu.tf32Tensor_tflops});
    const double math_us = fastest > 0 ? *flops / (fastest * 1e6) : 0;
    const double least = std::max({dram_us, l2_us, math_us});
    if (least == math_us)
        return Floor{least,
                     QStringLiteral("%1 Gflop at %2 Tflop/s").arg(*flops / 1e9, 0, 'g', 3).arg(fastest, 0, 'g', 3)};
    if (least == dram_us)
        return Floor{
            least,
            QStringLiteral("%1 MB beyond L2 at %2 GB/s of DRAM").arg(beyondL2 / 1e6, 0, 'g', 3).arg(gpu.dramPeak_gb_s)};
    return Floor{least, QStringLiteral("%1 MB at %2 GB/s of L2").arg(*bytes / 1e6, 0, 'g', 3).arg(gpu.l2_gb_s)};
}

void checkPlausibility(const Task &task, const GpuSpec &gpu, Evaluation &evaluation)
{
    if (evaluation.timings.isEmpty()) return;
    const QString name = QStringLiteral("plausible time");
    for (const SizeTiming &timing : std::as_const(evaluation.timings)) {
        const auto size = std::ranges::find(task.time, timing.name, &TimeSize::name);
        if (size == task.time.end()) continue;
        const auto floor = leastTime(task, size->sizes, gpu);
        if (!floor) {
            evaluation.checks.append(checks::notMade(name, floor.error().message));
            return;
        }
        if (timing.time_us < floorShare * floor->time_us) {
            evaluation.checks.append(checks::failed(
                name,
                QStringLiteral("%1 µs at size %2 is less than the task's own work needs (%3 µs: %4); work was skipped")
                    .arg(timing.time_us, 0, 'f', 2)
                    .arg(timing.name)
                    .arg(floor->time_us, 0, 'f', 2)
                    .arg(floor->reason)));
            return;
        }
    }
    evaluation.checks.append(checks::passed(name));
}

void checkProfiledWork(const Task &task, const GpuSpec &gpu, Evaluation &evaluation)
{
    const auto moved = evaluation.profile.metric(QStringLiteral("dram_bytes"));
    if (evaluation.kind != TimeKind::Measured || !moved || task.time.isEmpty()) return;
    const auto bytes = task.bytes.evaluate(task.time.first().sizes);
    const double least = bytes ? *bytes - gpu.l2Bytes : 0; // what was written may still lie in L2
    if (least <= 0) return;
    evaluation.checks.append(checks::that(
        *moved >= movedShare * least, QStringLiteral("work in the profile"),
        QStringLiteral("its kernels moved %1 MB to and from DRAM; the task's own work moves at least %2 MB beyond L2")
            .arg(*moved / 1e6, 0, 'g', 3)
            .arg(least / 1e6, 0, 'g', 3)));
}

} // namespace kernelskill
