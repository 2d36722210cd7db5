// SPDX-License-Identifier: Apache-2.0
// Every node against the device's roofs: work per DRAM byte, and work per second.
#pragma once

#include "charts/chart.h"
#include "profile/gpu_spec.h"

namespace kernelskill {

class RooflineChart : public NodesChart
{
    Q_OBJECT
public:
    using NodesChart::NodesChart;
    [[nodiscard]] QString title() const override { return tr("Roofline"); }
    [[nodiscard]] QString note() const override { return m_note; }
    [[nodiscard]] QString toCsv() const override;

protected:
    void rebuild() override;
    [[nodiscard]] int hitTest(const QPointF &point, QString *text) const override;

private:
    [[nodiscard]] QList<NodePoint> collect() const;
    void addRoof(double gb_s, double flopRoof, const QString &label, bool main);
    std::optional<GpuSpec> m_device;
    QList<QCPItemText *> m_words;
    QString m_note;
};

} // namespace kernelskill
