// SPDX-License-Identifier: Apache-2.0
#include "charts/occupancy_chart.h"

#include "models/metric_help.h"
#include "profile/gpu_spec.h"
#include "settings/numbers.h"

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

struct Limit
{
    QString name, tip;
    std::optional<double> pct; // of the warps an SM can hold, at most 100
};

// The SM's blocks as a share of its warps: what all limits together allow, over the least of them.
std::optional<double> pctOfABlock(const KernelProfile &kernel)
{
    const auto allowed = kernel.metric(u"theoretical_occupancy_pct"_s);
    double least = 0;
    for (const QString &metric :
         {u"occ_limit_registers_blocks"_s, u"occ_limit_sharedmem_blocks"_s, u"occ_limit_warps_blocks"_s}) {
        const auto blocks = kernel.metric(metric);
        if (!blocks) return std::nullopt;
        least = least > 0 ? std::min(least, *blocks) : *blocks;
    }
    if (!allowed || least <= 0) return std::nullopt;
    return *allowed / least;
}

// In the order they are shown; the same names for every kernel.
QList<Limit> limitsOf(const KernelProfile *kernel, const std::optional<GpuSpec> &device)
{
    const std::optional<double> share = kernel ? pctOfABlock(*kernel) : std::nullopt;
    const auto byBlocks = [&](std::optional<double> blocks) -> std::optional<double> {
        if (!share || !blocks) return std::nullopt;
        return std::min(100.0, *blocks * *share);
    };
    const auto metric = [&](const QString &name) { return kernel ? kernel->metric(name) : std::nullopt; };
    // Occupancy is counted where there is work: an SM that gets no block has none to be low.
    std::optional<double> blocksOfGrid;
    QString grid = OccupancyChart::tr("Blocks of the grid");
    if (kernel && device && device->smCount > 0) {
        const double blocks = double(kernel->grid[0]) * kernel->grid[1] * kernel->grid[2];
        blocksOfGrid = std::max(1.0, blocks / device->smCount);
        if (blocks < device->smCount) grid = OccupancyChart::tr("Grid on %1 of %2 SMs").arg(int(blocks)).arg(device->smCount);
    }
    return {
        {OccupancyChart::tr("Registers"), metricHelp(u"occ_limit_registers_blocks"_s), byBlocks(metric(u"occ_limit_registers_blocks"_s))},
        {OccupancyChart::tr("Shared memory"), metricHelp(u"occ_limit_sharedmem_blocks"_s), byBlocks(metric(u"occ_limit_sharedmem_blocks"_s))},
        {OccupancyChart::tr("Block size"), metricHelp(u"occ_limit_warps_blocks"_s), byBlocks(metric(u"occ_limit_warps_blocks"_s))},
        {grid, OccupancyChart::tr("What the grid's blocks fill of the SMs that get any, spread evenly."), byBlocks(blocksOfGrid)},
    };
}

} // namespace

QList<BarRow> OccupancyChart::rows(const Evaluation *before, const Evaluation &after) const
{
    const KernelProfile *now = after.profile.deciding();
    const KernelProfile *then = before ? before->profile.deciding() : nullptr;
    QList<BarRow> result;
    if (!now) return result;
    const auto found = GpuSpec::find(after.profile.device);
    const std::optional<GpuSpec> device = found ? std::optional(*found) : std::nullopt;
    for (const QString &metric : {u"achieved_occupancy_pct"_s, u"theoretical_occupancy_pct"_s}) {
        const auto a = then ? then->metric(metric) : std::nullopt, b = now->metric(metric);
        if (a || b)
            result.append({metric.startsWith("achieved"_L1) ? tr("Achieved") : tr("Allowed"),
                           metricHelp(metric), a, b});
    }
    if (result.isEmpty()) return result;
    const QList<Limit> nowLimits = limitsOf(now, device), thenLimits = limitsOf(then, device);
    double least = 100;
    for (const Limit &limit : nowLimits)
        least = std::min(least, limit.pct.value_or(100));
    for (qsizetype i = 0; i < nowLimits.size(); ++i) {
        const Limit &limit = nowLimits[i];
        if (!limit.pct && !thenLimits[i].pct) continue;
        // Said in words: what limits B.
        const bool limits = limit.pct && least < 100 && *limit.pct <= least;
        result.append({limits ? tr("%1 limits").arg(limit.name) : limit.name, limit.tip, thenLimits[i].pct, limit.pct});
    }
    return result;
}

QString OccupancyChart::valueText(double value) const
{
    return numbers::fixed(value, value < 10 ? 1 : 0);
}

} // namespace kernelskill
