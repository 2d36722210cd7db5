// SPDX-License-Identifier: Apache-2.0
#include "charts/bars_chart.h"

#include "models/metric_help.h"
#include "models/node_text.h"
#include "profile/metric_catalogue.h"
#include "settings/glyphs.h"
#include "settings/numbers.h"
#include "settings/theme.h"

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int mostRows = 7;

QString shortTitle(const QString &metric)
{
    const MetricInfo *info = metricInfo(metric);
    QString title = info ? info->title : node_text::titleOfSkill(metric);
    if (title.startsWith("Stall: "_L1)) title = title.mid(7);
    return title;
}

QCPBars *addBars(QCustomPlot *plot, const QColor &color, TimeKind kind, const QVector<double> &places,
                 const QVector<double> &values)
{
    auto *bars = new QCPBars(plot->yAxis, plot->xAxis); // horizontal: names on the value axis' side
    bars->setWidthType(QCPBars::wtAbsolute);
    bars->setWidth(7);
    bars->setPen(QPen(color, 1));
    bars->setBrush(kind == TimeKind::Modelled ? glyphs::hatch(color, plot->devicePixelRatioF()) : QBrush(color));
    bars->setAntialiased(false);
    bars->setData(places, values, true);
    return bars;
}

} // namespace

void BarsChart::rebuild()
{
    clearPlottables();
    clearItems();
    m_rows.clear();
    m_note.clear();
    const TrajectoryNode *node = m_document->node(m_selection->selected());
    const Evaluation *after = node ? m_document->evaluation(node->id) : nullptr;
    const int comparedId = m_selection->compared();
    const Evaluation *before = m_document->evaluation(comparedId);
    if (!after) {
        m_empty =
            node ? tr("Node %1 has no profile yet.").arg(node->id) : tr("Select a profiled node to see its counters.");
        return;
    }
    m_rows = rows(before, *after);
    if (m_rows.isEmpty()) {
        m_empty = nothing();
        return;
    }
    const bool both = std::ranges::any_of(m_rows, [](const BarRow &row) { return row.before.has_value(); });
    double most = 0;
    QVector<double> places, beforeValues, afterPlaces, afterValues;
    auto names = QSharedPointer<QCPAxisTickerText>::create();
    auto figures = QSharedPointer<QCPAxisTickerText>::create();
    names->setSubTickCount(0);
    for (qsizetype i = 0; i < m_rows.size(); ++i) {
        const double place = double(m_rows.size() - 1 - i);
        const BarRow &row = m_rows[i];
        names->addTick(place, row.name);
        const auto text = [this](std::optional<double> value) { return value ? valueText(*value) : tr("no counter"); };
        figures->addTick(place, both ? text(row.before) + u" → "_s + text(row.after) : text(row.after));
        if (row.before) {
            places.append(place + 0.2);
            beforeValues.append(*row.before);
        }
        if (row.after) {
            afterPlaces.append(both ? place - 0.2 : place);
            afterValues.append(*row.after);
        }
        most = std::max({most, row.before.value_or(0), row.after.value_or(0)});
    }
    if (both) addBars(this, themeColor("series.s6"), before->kind, places, beforeValues);
    addBars(this, themeColor("series.s1"), after->kind, afterPlaces, afterValues);
    yAxis->setScaleType(QCPAxis::stLinear);
    yAxis->setTicker(names);
    yAxis->setRange(-0.6, double(m_rows.size()) - 0.4);
    yAxis->grid()->setVisible(false);
    yAxis->setBasePen(QPen(themeColor("text.primary"), 1));
    yAxis->setTickLabelColor(themeColor("text.primary"));
    yAxis2->setVisible(true);
    style(yAxis2, false);
    yAxis2->setBasePen(Qt::NoPen);
    yAxis2->setTicker(figures);
    yAxis2->setRange(yAxis->range());
    yAxis2->setTickLabels(true);
    xAxis->setRange(0, most > 0 ? most * 1.06 : 1);
    auto ticker = QSharedPointer<QCPAxisTicker>::create();
    ticker->setTickCount(4);
    xAxis->setTicker(ticker);
    xAxis->setNumberFormat(u"f"_s);
    xAxis->setNumberPrecision(most >= 8 ? 0 : most >= 0.8 ? 1 : 2);
    xAxis->setLabel(u"%1, %2"_s.arg(axisLabel(), toString(after->kind)));
    m_note = both ? tr("grey A %1, blue B %2").arg(comparedId).arg(node->id) : tr("node %1").arg(node->id);
}

int BarsChart::hitTest(const QPointF &where, QString *text) const
{
    if (m_rows.isEmpty() || !axisRect()->rect().contains(where.toPoint())) return -1;
    const int row = int(m_rows.size()) - 1 - int(std::lround(yAxis->pixelToCoord(where.y())));
    if (row < 0 || row >= m_rows.size()) return -1;
    const BarRow &entry = m_rows[row];
    *text = entry.name;
    const auto line = [&](const QString &side, std::optional<double> value) {
        *text += u'\n' + side + u": "_s + (value ? valueText(*value) : tr("no counter"));
    };
    if (entry.before) line(tr("A, node %1").arg(m_selection->compared()), entry.before);
    line(tr("B, node %1").arg(m_selection->selected()), entry.after);
    if (!entry.tip.isEmpty()) *text += u'\n' + entry.tip;
    return -1;
}

QString BarsChart::toCsv() const
{
    QString csv = u"name,a,b\n"_s;
    const auto text = [](std::optional<double> value) { return value ? QString::number(*value) : u"no counter"_s; };
    for (const BarRow &row : m_rows)
        csv += u"%1,%2,%3\n"_s.arg(row.name, text(row.before), text(row.after));
    return csv;
}

QList<BarRow> StallChart::rows(const Evaluation *before, const Evaluation &after) const
{
    const KernelProfile *now = after.profile.deciding();
    const KernelProfile *then = before ? before->profile.deciding() : nullptr;
    QList<BarRow> result;
    if (!now) return result;
    QStringList reasons = now->stalls.keys();
    if (then) {
        for (const QString &reason : then->stalls.keys()) {
            if (!reasons.contains(reason)) reasons.append(reason);
        }
    }
    const auto share = [](const KernelProfile *kernel, const QString &reason) -> std::optional<double> {
        if (!kernel || !kernel->stalls.contains(reason)) return std::nullopt;
        return kernel->stalls.value(reason) * 100;
    };
    for (const QString &reason : std::as_const(reasons)) {
        const QString metric = u"stall_"_s + reason;
        result.append({shortTitle(metric), metricInfo(metric) ? metricHelp(metric) : QString(), share(then, reason),
                       share(now, reason)});
    }
    std::ranges::stable_sort(result, std::ranges::greater(),
                             [](const BarRow &row) { return std::max(row.before.value_or(0), row.after.value_or(0)); });
    return result.mid(0, mostRows);
}

QString StallChart::valueText(double value) const
{
    return numbers::fixed(value, value < 10 ? 1 : 0);
}

QList<BarRow> MemoryChart::rows(const Evaluation *before, const Evaluation &after) const
{
    const auto total = [](const Evaluation *evaluation, const QString &metric) -> std::optional<double> {
        if (!evaluation || evaluation->profile.isEmpty()) return std::nullopt;
        double sum = 0;
        for (const KernelProfile &kernel : evaluation->profile.kernels) {
            const auto value = kernel.metric(metric);
            if (!value) return std::nullopt;
            sum += *value;
        }
        return sum / (1024 * 1024);
    };
    QList<BarRow> result;
    for (const auto &[metric, name] : {std::pair(u"l1_bytes"_s, tr("L1")), std::pair(u"l2_bytes"_s, tr("L2")),
                                       std::pair(u"dram_bytes"_s, tr("DRAM"))}) {
        const auto now = total(&after, metric);
        const auto then = total(before, metric);
        if (now || then) result.append({name, metricHelp(metric), then, now});
    }
    return result;
}

QString MemoryChart::valueText(double value) const
{
    return numbers::plain(value);
}

} // namespace kernelskill
