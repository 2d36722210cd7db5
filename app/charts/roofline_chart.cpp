// SPDX-License-Identifier: Apache-2.0
#include "charts/roofline_chart.h"

#include "models/node_text.h"
#include "settings/numbers.h"
#include "settings/theme.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

// A long session goes to and fro between the same spots: each way is drawn once, with gaps between what is left.
std::pair<QVector<double>, QVector<double>> wayThrough(const QList<NodePoint> &points, const QList<int> &nodes)
{
    using Spot = std::pair<long, long>; // to a hundredth of a natural logarithm, which is less than a pixel
    const auto spotOf = [](const NodePoint &point) { return Spot(std::lround(std::log(point.x) * 100), std::lround(std::log(point.y) * 100)); };
    std::pair<QVector<double>, QVector<double>> way;
    const auto add = [&way](double x, double y) {
        way.first.append(x);
        way.second.append(y);
    };
    std::set<std::pair<Spot, Spot>> gone;
    const NodePoint *from = nullptr, *last = nullptr; // where the way is, and where what is drawn of it ends
    for (const int node : nodes) {
        const auto point = std::ranges::lower_bound(points, node, {}, &NodePoint::node); // in the order of their numbers
        if (point == points.end() || point->node != node) continue;
        if (from) {
            const Spot a = spotOf(*from), b = spotOf(*point);
            if (a == b) continue;
            if (!gone.insert({std::min(a, b), std::max(a, b)}).second) {
                from = &*point;
                continue;
            }
            if (last != from) {
                add(qQNaN(), qQNaN());
                add(from->x, from->y);
            }
        }
        add(point->x, point->y);
        from = last = &*point;
    }
    return way;
}

} // namespace

QList<NodePoint> RooflineChart::collect() const
{
    QList<NodePoint> points;
    for (const TrajectoryNode &node : m_document->trajectory().nodes) {
        const std::optional<NodeWork> &work = node.work;
        const auto speedup = node_text::speedup(node);
        if (!work || !speedup) continue;
        NodePoint point;
        point.node = node.id;
        point.state = node.state;
        point.kind = speedup->kind;
        point.x = work->flops / work->dramBytes;
        point.y = work->flops / work->time_us * 1e-6; // flop per µs → TFLOP/s
        point.label = QString::number(node.id);
        point.best = node.isBest && node.id != 0;
        point.human = node.isHuman;
        point.recorded = node.recorded.has_value();
        points.append(point);
    }
    return points;
}

void RooflineChart::rebuild()
{
    clearMarks();
    m_words.clear();
    m_note.clear();
    const QString id = m_document->deviceId();
    if (!m_device || m_device->id != id) {
        const auto found = id.isEmpty() ? Result<GpuSpec>(failure(u"none"_s, {})) : GpuSpec::find(id);
        m_device = found ? std::optional(*found) : std::nullopt;
    }
    QList<NodePoint> points = collect();
    if (points.isEmpty()) {
        m_empty = m_document->isEmpty()
                      ? tr("Candidates appear here, against the device's roofs, once one is profiled.")
                      : tr("No candidate has both counters the roofline needs: FP32 operations and DRAM bytes.");
        return;
    }
    double left = 1e300, right = 0, bottom = 1e300, top = 0;
    for (const NodePoint &point : std::as_const(points)) {
        left = std::min(left, point.x);
        right = std::max(right, point.x);
        bottom = std::min(bottom, point.y);
        top = std::max(top, point.y);
    }
    left = std::min(left / 2.5, right / 8);
    right = std::max(right * 3, left * 20);
    if (m_device && m_device->dram_gb_s > 0) top = std::max(top, std::min(right * m_device->dram_gb_s * 1e-3, top * 6));
    xAxis->setScaleType(QCPAxis::stLogarithmic);
    yAxis->setScaleType(QCPAxis::stLogarithmic);
    xAxis->setRange(left, right);
    yAxis->setRange(bottom / 3, top * 2);
    setLogTicks(xAxis, {});
    setLogTicks(yAxis, {});
    xAxis->setLabel(tr("FLOP per DRAM byte"));
    yAxis->setLabel(tr("TFLOP/s"));
    if (m_device) {
        const double flopRoof = m_device->fp32_tflops;
        if (m_device->l2_gb_s > 0)
            addRoof(m_device->l2_gb_s, flopRoof,
                    tr("L2 %1%2TB/s").arg(numbers::plain(m_device->l2_gb_s / 1000)).arg(QChar(numbers::narrowSpace)),
                    false);
        if (m_device->dram_gb_s > 0)
            addRoof(
                m_device->dram_gb_s, flopRoof,
                tr("DRAM %1%2TB/s").arg(numbers::fixed(m_device->dram_gb_s / 1000, 2)).arg(QChar(numbers::narrowSpace)),
                true);
        if (flopRoof > yAxis->range().upper) {
            auto *note = new QCPItemText(this);
            note->position->setType(QCPItemPosition::ptAxisRectRatio);
            note->position->setCoords(0.99, 0.98);
            note->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
            note->setText(tr("FP32 roof %1%2TFLOP/s is off the scale")
                              .arg(numbers::plain(flopRoof))
                              .arg(QChar(numbers::narrowSpace)));
            note->setFont(theme().font(TextStyle::Caption));
            note->setColor(themeColor("text.secondary"));
            m_words.append(note);
        }
    }
    // The way from the baseline to the best.
    const auto [x, y] = wayThrough(points, m_document->trajectory().bestPath());
    auto *path = new QCPCurve(xAxis, yAxis);
    QPen pen(themeColor("state.best"), theme().stroke(u"chartLine"_s));
    const bool modelled = points.first().kind == TimeKind::Modelled;
    // Dashes of a path that long run into each other, and take long to draw; the glyphs say that it is modelled.
    constexpr qsizetype longPath = 200;
    if (modelled && x.size() <= longPath) pen.setDashPattern({5 / 1.5, 3 / 1.5});
    path->setPen(pen);
    path->setData(x, y);
    setMarks(points, m_words);
    m_note = tr("%1, all nodes, %2").arg(m_device ? m_device->name : id, modelled ? tr("modelled") : tr("measured")) + recordedNote(points);
}

void RooflineChart::addRoof(double gb_s, double flopRoof, const QString &label, bool main)
{
    const double left = xAxis->range().lower, right = xAxis->range().upper;
    const double knee = flopRoof > 0 ? flopRoof * 1000 / gb_s : right;
    QVector<double> x{left}, y{left * gb_s * 1e-3};
    if (knee > left && knee < right) {
        x.append(knee);
        y.append(flopRoof);
    }
    x.append(right);
    y.append(knee < right ? flopRoof : right * gb_s * 1e-3);
    auto *roof = new QCPCurve(xAxis, yAxis);
    roof->setPen(main ? QPen(themeColor("text.primary"), theme().stroke(u"chartLine"_s))
                      : QPen(themeColor("text.secondary"), 1, Qt::DashLine));
    roof->setData(x, y);
    // The words run along the line, where it is in view.
    const double from = std::max(left, yAxis->range().lower * 1000 / gb_s);
    const double to = std::min({right, yAxis->range().upper * 1000 / gb_s, knee});
    const double at = from * std::pow(to / from, main ? 0.85 : 0.4);
    const QPointF a(xAxis->coordToPixel(left), yAxis->coordToPixel(left * gb_s)),
        b(xAxis->coordToPixel(right), yAxis->coordToPixel(right * gb_s));
    auto *text = new QCPItemText(this);
    text->position->setCoords(at, at * gb_s * 1e-3);
    text->setPositionAlignment(main ? Qt::AlignTop | Qt::AlignHCenter : Qt::AlignBottom | Qt::AlignHCenter);
    text->setRotation(-std::atan2(a.y() - b.y(), b.x() - a.x()) * 180 / M_PI);
    text->setPadding(QMargins(0, 3, 0, 3));
    text->setText(label);
    text->setFont(theme().font(TextStyle::Caption));
    text->setColor(themeColor("text.secondary"));
    m_words.append(text);
}

int RooflineChart::hitTest(const QPointF &where, QString *text) const
{
    const NodePoint *point = pointAt(where);
    const TrajectoryNode *node = point ? m_document->node(point->node) : nullptr;
    if (!node) return -1;
    *text = node_text::summary(*node, {}) + tr("\n%1%3FLOP per DRAM byte, %2%3TFLOP/s")
                                                .arg(numbers::plain(point->x), numbers::plain(point->y))
                                                .arg(QChar(numbers::narrowSpace));
    return node->id;
}

QString RooflineChart::toCsv() const
{
    QString csv = u"node,flop_per_dram_byte,tflops,kind,verdict,recorded\n"_s;
    for (const NodePoint &point : collect())
        csv += u"%1,%2,%3,%4,%5,%6\n"_s.arg(point.node)
                   .arg(point.x)
                   .arg(point.y)
                   .arg(toString(point.kind), toString(point.state), point.recorded ? u"yes"_s : u"no"_s);
    return csv;
}

} // namespace kernelskill
