// SPDX-License-Identifier: Apache-2.0
// Two nodes compared bar by bar: stall reasons of the deciding kernel, or bytes moved at each level of the memory.
#pragma once

#include "charts/chart.h"

namespace kernelskill {

struct BarRow
{
    QString name, tip;
    std::optional<double> before, after; // A, B; missing: no counter
};

class BarsChart : public Chart
{
    Q_OBJECT
public:
    using Chart::Chart;
    [[nodiscard]] QString note() const override { return m_note; }
    [[nodiscard]] QString toCsv() const override;

protected:
    // Rows for the two nodes (A may be missing), longest first; and how a value is written.
    [[nodiscard]] virtual QList<BarRow> rows(const Evaluation *before, const Evaluation &after) const = 0;
    [[nodiscard]] virtual QString valueText(double value) const = 0;
    [[nodiscard]] virtual QString axisLabel() const = 0;
    [[nodiscard]] virtual QString nothing() const = 0;
    void rebuild() override;
    [[nodiscard]] int hitTest(const QPointF &point, QString *text) const override;

private:
    QList<BarRow> m_rows;
    QString m_note;
};

class StallChart : public BarsChart
{
    Q_OBJECT
public:
    using BarsChart::BarsChart;
    [[nodiscard]] QString title() const override { return tr("Stall breakdown"); }

protected:
    [[nodiscard]] QList<BarRow> rows(const Evaluation *before, const Evaluation &after) const override;
    [[nodiscard]] QString valueText(double value) const override;
    [[nodiscard]] QString axisLabel() const override { return tr("share of warp cycles, %"); }
    [[nodiscard]] QString nothing() const override { return tr("No stall reasons were counted for this node."); }
};

class MemoryChart : public BarsChart
{
    Q_OBJECT
public:
    using BarsChart::BarsChart;
    [[nodiscard]] QString title() const override { return tr("Memory traffic"); }

protected:
    [[nodiscard]] QList<BarRow> rows(const Evaluation *before, const Evaluation &after) const override;
    [[nodiscard]] QString valueText(double value) const override;
    [[nodiscard]] QString axisLabel() const override { return tr("MiB moved by all kernels"); }
    [[nodiscard]] QString nothing() const override { return tr("No memory traffic was counted for this node."); }
};

} // namespace kernelskill
