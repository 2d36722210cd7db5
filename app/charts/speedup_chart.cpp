// SPDX-License-Identifier: Apache-2.0
#include "charts/speedup_chart.h"

#include "models/node_text.h"
#include "settings/numbers.h"
#include "settings/theme.h"

#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

// The nodes that were better than all before them, the baseline first.
QList<const TrajectoryNode *> gains(const Trajectory &trajectory)
{
    QList<const TrajectoryNode *> found;
    double best = 0;
    for (const TrajectoryNode &node : trajectory.nodes) {
        const auto speedup = node_text::speedup(node);
        if (!speedup || node.state != NodeState::Verified) continue;
        const bool gained = speedup->value > best && !(node.stepSpeedup && node.stepSpeedup->touchesOne());
        if (node.id != 0 && !gained) continue;
        best = speedup->value;
        found.append(&node);
    }
    return found;
}

// The baseline's time over the least time the device's roofline allows for its work; empty without a profile.
std::optional<double> roofSpeedup(const SessionDocument &document)
{
    const Evaluation *baseline = document.evaluation(0);
    if (!baseline || !baseline->time_us()) return std::nullopt;
    // A fused candidate needs less than the sum of a baseline's kernels: the lowest bound holds. Of those that gained only:
    // they are few, and an evaluation must be read from the file.
    double least = 0;
    for (const TrajectoryNode *node : gains(document.trajectory())) {
        const Evaluation *evaluation = document.evaluation(node->id);
        if (!evaluation) continue;
        double roofline = 0;
        for (const KernelProfile &kernel : evaluation->profile.kernels)
            roofline += kernel.roofline_us;
        if (roofline > 0) least = least > 0 ? std::min(least, roofline) : roofline;
    }
    return least > 0 ? std::optional(*baseline->time_us() / least) : std::nullopt;
}

QCPItemText *addLine(QCustomPlot *plot, double y, const QPen &pen, const QString &text, bool above)
{
    auto *line = new QCPItemStraightLine(plot);
    line->point1->setCoords(0, y);
    line->point2->setCoords(1, y);
    line->setPen(pen);
    line->setSelectable(false);
    auto *label = new QCPItemText(plot);
    label->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    label->position->setTypeY(QCPItemPosition::ptPlotCoords);
    label->position->setCoords(above ? 0.01 : 0.99, y);
    label->setPositionAlignment((above ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignBottom);
    label->setText(text);
    label->setFont(theme().font(TextStyle::Caption));
    label->setColor(themeColor("text.secondary"));
    label->setPadding(QMargins(2, 0, 2, 1));
    label->setSelectable(false);
    return label;
}

} // namespace

QList<NodePoint> SpeedupChart::collect() const
{
    QList<NodePoint> points;
    QHash<int, int> perRound, seen;
    const auto &nodes = m_document->trajectory().nodes;
    for (const TrajectoryNode &node : nodes)
        ++perRound[node.round];
    double best = 0;
    for (const TrajectoryNode &node : nodes) {
        NodePoint point;
        point.node = node.id;
        point.state = node.state;
        // Several nodes of one round stand side by side.
        const int count = perRound[node.round], place = seen[node.round]++;
        point.x = node.round + (count > 1 ? (place - (count - 1) / 2.0) * std::min(0.3, 0.8 / count) : 0);
        point.best = node.isBest && node.id != 0;
        point.human = node.isHuman;
        point.recorded = node.recorded.has_value();
        if (const auto speedup = node_text::speedup(node)) {
            point.y = speedup->value;
            point.kind = speedup->kind;
            if (node.id != 0) point.interval = speedup->interval;
            const bool noChange = node.id != 0 && node.stepSpeedup && node.stepSpeedup->touchesOne();
            if (speedup->value > best * 1.02 && node.id != 0 && !noChange)
                point.label = numbers::speedupValue(speedup->value) + u' ' + numbers::bounds(speedup->interval);
            else if (noChange)
                point.label = tr("no change");
            if (!noChange) best = std::max(best, speedup->value);
        } else {
            point.below = true;
        }
        points.append(point);
    }
    return points;
}

void SpeedupChart::rebuild()
{
    clearMarks();
    m_note.clear();
    const auto &nodes = m_document->trajectory().nodes;
    if (nodes.isEmpty()) {
        m_empty = tr("Speedups appear here as soon as a candidate is timed.");
        return;
    }
    const QList<NodePoint> points = collect();
    double low = 0.8, high = 2;
    for (const NodePoint &point : points) {
        if (point.below) continue;
        low = std::min(low, (point.interval ? point.interval->low : point.y) * 0.85);
        high = std::max(high, (point.interval ? point.interval->high : point.y) * 1.3);
    }
    const auto roof = roofSpeedup(*m_document);
    if (roof && *roof > 1 && *roof < high * 8) high = std::max(high, *roof * 2.2);
    const double lastRound = std::max(1, m_document->trajectory().lastRound());
    xAxis->setRange(-0.4, lastRound + 0.6);
    yAxis->setScaleType(QCPAxis::stLogarithmic);
    yAxis->setRange(low, high);
    setLogTicks(yAxis, u"×"_s);
    auto rounds = QSharedPointer<QCPAxisTickerText>::create();
    const int stride = std::max(1, int(std::ceil(lastRound * 24 / std::max(60, width() - 60))));
    for (int round = 0; round <= int(lastRound); round += stride)
        rounds->addTick(round, QString::number(round));
    xAxis->setTicker(rounds);
    xAxis->setTickLabelPadding(theme().space(16) + theme().space(4)); // room for nodes without a time
    xAxis->setLabel(tr("round"));
    xAxis->grid()->setVisible(false);

    QList<QCPItemText *> words{addLine(this, 1, QPen(themeColor("text.primary"), 1), tr("baseline 1×"), false)};
    if (roof && *roof > 1 && *roof <= high) {
        QPen dotted(themeColor("text.secondary"), 1, Qt::DotLine);
        words.append(addLine(this, *roof, dotted, tr("roofline %1, modelled").arg(numbers::speedupValue(*roof)), true));
    }
    addBestSoFar(lastRound + 0.4);
    m_note += recordedNote(points);
    setMarks(points, words);
}

void SpeedupChart::addBestSoFar(double end)
{
    QVector<double> x, y;
    bool modelled = true;
    for (const TrajectoryNode *node : gains(m_document->trajectory())) {
        const auto speedup = node_text::speedup(*node);
        modelled = speedup->kind == TimeKind::Modelled;
        x.append(node->round);
        y.append(speedup->value);
    }
    if (x.isEmpty()) return;
    x.append(end);
    y.append(y.last());
    QCPGraph *graph = addGraph();
    graph->setLineStyle(QCPGraph::lsStepLeft);
    QPen pen(themeColor("state.best"), theme().stroke(u"chartLine"_s));
    if (modelled) pen.setDashPattern({5 / 1.5, 3 / 1.5});
    graph->setPen(pen);
    graph->setData(x, y, true);
    m_note = modelled ? tr("best so far, modelled") : tr("best so far, measured");
}

int SpeedupChart::hitTest(const QPointF &where, QString *text) const
{
    const NodePoint *point = pointAt(where);
    if (!point) return -1;
    if (const TrajectoryNode *node = m_document->node(point->node))
        *text = node_text::summary(*node, m_document->stageText(node->id));
    return point->node;
}

QString SpeedupChart::toCsv() const
{
    QString csv = u"round,node,skill,speedup,low,high,kind,verdict,time_us,recorded_node\n"_s;
    for (const TrajectoryNode &node : m_document->trajectory().nodes) {
        const auto speedup = node_text::speedup(node);
        csv += u"%1,%2,%3,"_s.arg(node.round).arg(node.id).arg(node.skill);
        csv += speedup ? u"%1,%2,%3,%4,"_s.arg(speedup->value)
                             .arg(speedup->interval.low)
                             .arg(speedup->interval.high)
                             .arg(toString(speedup->kind))
                       : u",,,,"_s;
        csv += toString(node.state) + u',' +
               (speedup && node.time_us ? QString::number(*node.time_us) : QString()) + u',' +
               (node.recorded ? QString::number(node.recorded->node) : QString()) + u'\n';
    }
    return csv;
}

} // namespace kernelskill
