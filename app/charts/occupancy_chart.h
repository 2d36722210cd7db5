// SPDX-License-Identifier: Apache-2.0
// How many warps an SM holds, how many it could, and what stands in the way: the deciding kernels of two nodes.
#pragma once

#include "charts/bars_chart.h"

namespace kernelskill {

class OccupancyChart : public BarsChart
{
    Q_OBJECT
public:
    using BarsChart::BarsChart;
    [[nodiscard]] QString title() const override { return tr("Occupancy and its limiter"); }

protected:
    // Achieved, allowed in all, then what registers, shared memory, block size and the number of blocks allow each.
    [[nodiscard]] QList<BarRow> rows(const Evaluation *before, const Evaluation &after) const override;
    [[nodiscard]] QString valueText(double value) const override;
    [[nodiscard]] QString axisLabel() const override { return tr("% of the warps an SM can hold"); }
    [[nodiscard]] QString nothing() const override { return tr("No occupancy was counted for this node."); }
};

} // namespace kernelskill
