// SPDX-License-Identifier: Apache-2.0
// Speedup over the baseline by round, on a log axis, with intervals and the best so far.
#pragma once

#include "charts/chart.h"

namespace kernelskill {

class SpeedupChart : public NodesChart
{
    Q_OBJECT
public:
    using NodesChart::NodesChart;
    [[nodiscard]] QString title() const override { return tr("Speedup by round"); }
    [[nodiscard]] QString note() const override { return m_note; }
    [[nodiscard]] QString toCsv() const override;

protected:
    void rebuild() override;
    [[nodiscard]] int hitTest(const QPointF &point, QString *text) const override;

private:
    [[nodiscard]] QList<NodePoint> collect() const;
    void addBestSoFar(double lastRound);
    void addRoof(double top);
    QString m_note;
};

} // namespace kernelskill
