// SPDX-License-Identifier: Apache-2.0
// What the selected node's deciding kernel did over the length of one launch, where a GPU sampled it.
#pragma once

#include "charts/chart.h"

namespace kernelskill {

class TimelineChart : public Chart
{
    Q_OBJECT
public:
    using Chart::Chart;
    [[nodiscard]] QString title() const override { return tr("Counters over time"); }
    [[nodiscard]] QString note() const override { return m_note; }
    [[nodiscard]] QString toCsv() const override;

protected:
    void rebuild() override;
    [[nodiscard]] int hitTest(const QPointF &point, QString *text) const override;

private:
    struct Series
    {
        QString name, counter;
        QVector<double> values; // % of the peak; NaN: none
    };
    void addSeries(const Series &series, int place);
    void addNames();
    QList<Series> m_series;
    double m_interval_us = 0;
    QString m_note;
};

} // namespace kernelskill
