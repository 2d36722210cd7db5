// SPDX-License-Identifier: Apache-2.0
#include "charts/timeline_chart.h"

#include "settings/numbers.h"
#include "settings/theme.h"

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr double idle_pct = 0.5; // a unit that never does more has no line

// The profiler's names by what they begin with, in the order of the lines.
struct Known
{
    QLatin1String begin;
    const char *name;
};
constexpr Known known[] = {{"dram__read"_L1, QT_TRANSLATE_NOOP("TimelineChart", "DRAM read")},
                           {"dram__write"_L1, QT_TRANSLATE_NOOP("TimelineChart", "DRAM write")},
                           {"lts__t_sectors"_L1, QT_TRANSLATE_NOOP("TimelineChart", "L2")},
                           {"sm__inst_executed"_L1, QT_TRANSLATE_NOOP("TimelineChart", "Issue slots")},
                           {"sm__pipe_tensor"_L1, QT_TRANSLATE_NOOP("TimelineChart", "Tensor pipe")},
                           {"sm__warps_active"_L1, QT_TRANSLATE_NOOP("TimelineChart", "Resident warps")}};

QString nameOf(const QString &counter)
{
    const auto found = std::ranges::find_if(known, [&](const Known &one) { return counter.startsWith(one.begin); });
    return found == std::end(known) ? counter.section(u'.', 0, 0) : TimelineChart::tr(found->name);
}

// Told apart by dash and colour.
QPen penOf(int place)
{
    static const QList<QList<qreal>> dashes{{}, {6, 3}, {2, 2}, {8, 2, 2, 2}, {1, 3}, {12, 3}};
    QPen pen(theme().color(u"series.s%1"_s.arg(place % 6 + 1)), theme().stroke(u"chartLine"_s));
    if (const auto &dash = dashes[place % dashes.size()]; !dash.isEmpty()) pen.setDashPattern(dash);
    return pen;
}

} // namespace

void TimelineChart::rebuild()
{
    clearPlottables();
    clearItems();
    m_series.clear();
    m_note.clear();
    const TrajectoryNode *node = m_document->node(m_selection->selected());
    const Evaluation *evaluation = node ? m_document->evaluation(node->id) : nullptr;
    const KernelProfile *kernel = evaluation ? evaluation->profile.deciding() : nullptr;
    if (!kernel) {
        m_empty = node ? tr("Node %1 has no profile yet.").arg(node->id) : tr("Select a profiled node to see its counters over time.");
        return;
    }
    if (kernel->timeline.isEmpty()) {
        m_empty = evaluation->kind == TimeKind::Modelled
                      ? tr("A modelled node has no counters over time: they are sampled on a GPU.")
                      : tr("Node %1's kernel was not sampled over time: it is too short, or the profiler cannot.").arg(node->id);
        return;
    }
    m_interval_us = kernel->timeline.interval_us;
    qsizetype length = 0;
    double most = 0;
    const auto &metrics = kernel->timeline.metrics;
    for (auto metric = metrics.begin(); metric != metrics.end(); ++metric) {
        Series series{nameOf(metric.key()), metric.key(), QVector<double>(metric->begin(), metric->end())};
        double largest = 0;
        for (const double value : *metric)
            if (std::isfinite(value)) largest = std::max(largest, value);
        if (largest < idle_pct) continue;
        most = std::max(most, largest);
        length = std::max(length, metric->size());
        m_series.append(series);
    }
    if (m_series.isEmpty()) {
        m_empty = tr("All of the sampled counters of node %1 are 0.").arg(node->id);
        return;
    }
    xAxis->setRange(0, double(length) * m_interval_us);
    xAxis->setLabel(tr("µs after the launch of %1").arg(kernel->name.section(u'(', 0, 0)));
    // Room above the lines for their names.
    yAxis->setRange(0, std::max(10.0, most * 1.25));
    yAxis->setLabel(tr("% of the peak, measured"));
    for (int i = 0; i < m_series.size(); ++i)
        addSeries(m_series[i], i);
    addNames();
    m_note = tr("node %1, every %2").arg(node->id).arg(numbers::duration_us(m_interval_us));
}

void TimelineChart::addSeries(const Series &series, int place)
{
    QVector<double> times(series.values.size());
    for (qsizetype i = 0; i < times.size(); ++i)
        times[i] = (double(i) + 0.5) * m_interval_us;
    QCPGraph *graph = addGraph();
    graph->setPen(penOf(place));
    graph->setName(series.name);
    graph->setData(times, series.values, true);
}

// In the chart's own colours at the top, over the lines.
void TimelineChart::addNames()
{
    legend->setVisible(true);
    legend->setFont(theme().font(TextStyle::Caption));
    legend->setTextColor(themeColor("text.primary"));
    legend->setBrush(themeColor("surface.panel"));
    legend->setBorderPen(Qt::NoPen);
    legend->setMargins(QMargins(4, 2, 4, 2));
    legend->setRowSpacing(0);
    legend->setFillOrder(QCPLegend::foColumnsFirst);
    legend->setWrap(3);
    axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
}

int TimelineChart::hitTest(const QPointF &where, QString *text) const
{
    if (m_series.isEmpty() || m_interval_us <= 0 || !axisRect()->rect().contains(where.toPoint())) return -1;
    const auto at = qsizetype(xAxis->pixelToCoord(where.x()) / m_interval_us);
    *text = tr("%1 after the launch").arg(numbers::duration_us((double(at) + 0.5) * m_interval_us));
    for (const Series &series : m_series) {
        const double value = series.values.value(at, std::nan(""));
        *text += u'\n' + series.name + u": "_s + (std::isfinite(value) ? numbers::withUnit(value, u"%"_s) : tr("no value"));
    }
    return -1;
}

QString TimelineChart::toCsv() const
{
    QString csv = u"time_us"_s;
    qsizetype length = 0;
    for (const Series &series : m_series) {
        csv += u',' + series.counter;
        length = std::max(length, series.values.size());
    }
    csv += u'\n';
    for (qsizetype i = 0; i < length; ++i) {
        csv += QString::number((double(i) + 0.5) * m_interval_us);
        for (const Series &series : m_series) {
            const double value = series.values.value(i, std::nan(""));
            csv += u',' + (std::isfinite(value) ? QString::number(value) : QString());
        }
        csv += u'\n';
    }
    return csv;
}

} // namespace kernelskill
