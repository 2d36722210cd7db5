// SPDX-License-Identifier: Apache-2.0
#include "trajectory/trajectory_painter.h"

#include "models/node_text.h"
#include "settings/glyphs.h"
#include "settings/numbers.h"
#include "settings/theme.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QPainter>
#include <QPainterPath>

#include <array>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

QSizeF sizeFrom(const QJsonObject &level)
{
    const QJsonArray size = level["node"_L1].toArray();
    return {size[0].toDouble(), size[1].toDouble()};
}

constexpr double glyphSize = 12, markSize = 11;

bool countsAsFailure(NodeState state)
{
    return state == NodeState::Failed || state == NodeState::Wrong || state == NodeState::Suspect;
}

void drawElided(QPainter &painter, const QRectF &rect, const QString &text, TextStyle style, const QColor &color,
                int alignment = Qt::AlignLeft)
{
    painter.setFont(theme().font(style));
    painter.setPen(color);
    painter.drawText(rect, alignment | Qt::AlignVCenter | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, int(rect.width()) + 1));
}

} // namespace

TrajectoryGeometry TrajectoryGeometry::at(double zoom)
{
    const QJsonObject graph = theme().graph();
    const QJsonObject far = graph["far"_L1].toObject(), middle = graph["mid"_L1].toObject(),
                      near = graph["near"_L1].toObject();
    TrajectoryGeometry geometry;
    geometry.zoom = zoom;
    geometry.columnPitch = graph["columnPitchAtZoom1"_L1].toDouble() * zoom;
    if (zoom < far["below"_L1].toDouble()) {
        geometry.level = DetailLevel::Far;
        geometry.lanePitch = std::max(2.0, 36 * zoom);
        geometry.node = sizeFrom(far);
        geometry.node.setWidth(std::min(geometry.node.width(), std::max(2.0, geometry.columnPitch - 1)));
        geometry.node.setHeight(std::min(geometry.node.height(), std::max(1.0, geometry.lanePitch - 1)));
    } else if (zoom < middle["below"_L1].toDouble()) {
        geometry.level = DetailLevel::Middle;
        geometry.lanePitch = middle["lanePitch"_L1].toDouble();
        const QJsonObject narrow = middle["narrow"_L1].toObject();
        geometry.narrow = geometry.columnPitch < narrow["belowPitch"_L1].toDouble();
        geometry.node = sizeFrom(geometry.narrow ? narrow : middle);
    } else {
        geometry.level = DetailLevel::Near;
        geometry.lanePitch = near["lanePitch"_L1].toDouble();
        geometry.node = sizeFrom(near);
    }
    return geometry;
}

QRectF TrajectoryGeometry::nodeRect(const PlacedNode &place) const
{
    const double left = place.column * columnPitch + (columnPitch - node.width()) / 2;
    return {left, place.lane * lanePitch - node.height() / 2, node.width(), node.height()};
}

QSizeF TrajectoryGeometry::contentSize(const TreeLayout &layout) const
{
    const double lanes = layout.lastLane - layout.firstLane + 1;
    return {layout.columnRounds.size() * columnPitch, lanes * lanePitch};
}

QRectF TrajectoryGeometry::foldHandle(const QRectF &rect) const
{
    if (level == DetailLevel::Near) return rect.adjusted(8, rect.height() * 0.75 - 1, 0, 5);
    if (level == DetailLevel::Middle) return QRectF(rect.right() - 22, rect.top(), 26, rect.height() + 4);
    return {};
}

QString TrajectoryScene::foldText(int node) const
{
    const int count = folds.value(node);
    if (count == 0) return {};
    return closed.contains(node) ? QCoreApplication::translate("TrajectoryScene", "%1 repairs folded").arg(count)
                                 : QCoreApplication::translate("TrajectoryScene", "fold %1 repairs").arg(count);
}

TrajectoryPainter::TrajectoryPainter(QPainter &painter, const TrajectoryScene &scene,
                                     const TrajectoryGeometry &geometry)
    : m_painter(painter), m_scene(scene), m_geometry(geometry)
{
}

void TrajectoryPainter::paintLinks(const QRectF &visible)
{
    const auto &nodes = m_scene.document->trajectory().nodes;
    QPainterPath tree, running, best;
    for (qsizetype i = 0; i < nodes.size(); ++i) {
        const TrajectoryNode &node = nodes[i];
        if (node.parent < 0 || node.parent >= nodes.size() || m_scene.isHidden(i)) continue;
        const QRectF from = m_geometry.nodeRect(m_scene.layout.nodes[node.parent]);
        const QRectF to = m_geometry.nodeRect(m_scene.layout.nodes[i]);
        if (!QRectF(from.topLeft(), to.bottomRight()).normalized().united(from).intersects(visible)) continue;
        const double gap = std::min(6.0, (m_geometry.columnPitch - m_geometry.node.width()) / 2);
        const bool onBest = m_scene.bestNodes.contains(node.id) && m_scene.bestNodes.contains(node.parent);
        QPainterPath &path = onBest ? best : node.state == NodeState::Running ? running : tree;
        path.moveTo(from.right(), from.center().y());
        path.lineTo(from.right() + gap, from.center().y());
        path.lineTo(from.right() + gap, to.center().y());
        path.lineTo(to.left(), to.center().y());
    }
    m_painter.save();
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    const double edge = theme().stroke(u"edge"_s);
    m_painter.setPen(QPen(themeColor("surface.control"), edge));
    m_painter.drawPath(tree);
    QPen dashed(themeColor("surface.control"), edge, Qt::CustomDashLine, Qt::FlatCap);
    dashed.setDashPattern({4, 3});
    m_painter.setPen(dashed);
    m_painter.drawPath(running);
    m_painter.setPen(QPen(themeColor("state.best"), theme().stroke(u"bestPath"_s), Qt::SolidLine, Qt::FlatCap));
    m_painter.drawPath(best);
    m_painter.restore();
}

void TrajectoryPainter::paintNodes(const QRectF &visible)
{
    if (m_geometry.level == DetailLevel::Far) {
        paintFar(visible);
        return;
    }
    const auto &nodes = m_scene.document->trajectory().nodes;
    for (qsizetype i = 0; i < nodes.size(); ++i) {
        if (m_scene.isHidden(i)) continue;
        const QRectF card = m_geometry.nodeRect(m_scene.layout.nodes[i]);
        if (!card.adjusted(-6, -6, 6, 6).intersects(visible)) continue;
        m_painter.save();
        if (m_scene.dimFailures && countsAsFailure(nodes[i].state)) m_painter.setOpacity(0.4);
        if (m_scene.closed.contains(nodes[i].id)) paintStack(nodes[i], card);
        paintFrame(nodes[i], card);
        if (m_geometry.level == DetailLevel::Near)
            paintCard(nodes[i], card);
        else
            paintMiddle(nodes[i], card);
        m_painter.restore();
    }
}

void TrajectoryPainter::paintFar(const QRectF &visible)
{
    // One call a state: ten thousand nodes stay fluid.
    std::array<QList<QRectF>, 6> full;
    QList<QRectF> hollow, framed;
    QRectF selected;
    const auto &nodes = m_scene.document->trajectory().nodes;
    for (qsizetype i = 0; i < nodes.size(); ++i) {
        if (m_scene.isHidden(i)) continue;
        const QRectF box = m_geometry.nodeRect(m_scene.layout.nodes[i]);
        if (!box.intersects(visible)) continue;
        if (nodes[i].id == m_scene.selected) selected = box;
        auto &list = full[size_t(nodes[i].state)];
        switch (nodes[i].state) {
        case NodeState::Verified:
        case NodeState::Unproven:
            list.append(box);
            break;
        case NodeState::Wrong:
            list.append(box.adjusted(0, box.height() / 2, 0, 0));
            if (m_scene.closed.contains(nodes[i].id))
                list.append(QRectF(box.left() + box.width() / 3, box.bottom() + 1, box.width() * 2 / 3, 1));
            break;
        case NodeState::Failed:
            list.append(QRectF(box.left(), box.center().y() - 1, box.width(), 2));
            if (m_scene.closed.contains(nodes[i].id)) // a fold: one below the other
                list.append(QRectF(box.left() + box.width() / 3, box.bottom() - 1, box.width() * 2 / 3, 1));
            break;
        case NodeState::Suspect:
            hollow.append(box.adjusted(1, 1, -1, -1));
            break;
        case NodeState::Running:
            framed.append(box.adjusted(0.5, 0.5, -0.5, -0.5));
            list.append(QRectF(box.topLeft(), QSizeF(box.width() * 0.4, box.height())));
            break;
        }
    }
    m_painter.save();
    m_painter.setPen(Qt::NoPen);
    for (size_t state = 0; state < full.size(); ++state) {
        QColor color = glyphs::stateColor(NodeState(state));
        if (m_scene.dimFailures && countsAsFailure(NodeState(state))) color.setAlphaF(0.4f);
        m_painter.setBrush(color);
        m_painter.drawRects(full[state]);
    }
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(QPen(themeColor("state.suspect"), 2));
    m_painter.drawRects(hollow);
    m_painter.setPen(QPen(themeColor("state.running"), 1));
    m_painter.drawRects(framed);
    if (!selected.isNull()) {
        m_painter.setPen(QPen(themeColor("accent.accent"), 2));
        m_painter.drawRect(selected.adjusted(-2, -2, 2, 2));
    }
    m_painter.restore();
}

// The cards of the hidden repairs look out below the one they are folded behind.
void TrajectoryPainter::paintStack(const TrajectoryNode &node, const QRectF &card)
{
    const double step = m_geometry.level == DetailLevel::Near ? 3 : 2;
    const double radius = theme().radius(u"card"_s);
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setPen(QPen(themeColor("surface.control"), 1));
    m_painter.setBrush(themeColor("surface.raised"));
    for (int behind = std::min(2, m_scene.folds.value(node.id)); behind > 0; --behind)
        m_painter.drawRoundedRect(QRectF(card.toAlignedRect()).adjusted(0.5, 0.5, -0.5, -0.5).translated(step * behind, step * behind),
                                  radius, radius);
    m_painter.restore();
}

void TrajectoryPainter::paintFrame(const TrajectoryNode &node, const QRectF &card)
{
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    const double radius = theme().radius(u"card"_s);
    // A step that is played again is framed in dots: the solid frames are what was paid for.
    QPen frame(themeColor("surface.control"), 1);
    if (node.recorded) {
        frame.setStyle(Qt::CustomDashLine);
        frame.setDashPattern({1.5, 2});
        frame.setCapStyle(Qt::FlatCap);
    }
    m_painter.setPen(frame);
    m_painter.setBrush(themeColor("surface.raised"));
    const QRectF outline = QRectF(card.toAlignedRect()).adjusted(0.5, 0.5, -0.5, -0.5);
    m_painter.drawRoundedRect(outline, radius, radius);
    if (const auto speedup = node_text::speedup(node)) {
        const double width = theme().tokens()["kind"_L1]["band"_L1]["width"_L1].toDouble();
        QPainterPath clip;
        clip.addRoundedRect(outline.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
        m_painter.setClipPath(clip, Qt::IntersectClip);
        glyphs::paintBand(m_painter, QRectF(outline.left() + 0.5, outline.top(), width, outline.height()),
                          glyphs::stateColor(node.state), speedup->kind);
        m_painter.setClipping(false);
    }
    const double ringRadius = theme().radius(u"ring"_s);
    if (node.id == m_scene.selected) {
        m_painter.setPen(QPen(themeColor("accent.accent"), theme().stroke(u"focusRing"_s)));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRoundedRect(outline.adjusted(-2.5, -2.5, 2.5, 2.5), ringRadius, ringRadius);
    } else if (node.id == m_scene.compared) {
        QPen pen(themeColor("accent.accent"), 1.5, Qt::CustomDashLine, Qt::FlatCap);
        pen.setDashPattern({4 / 1.5, 3 / 1.5});
        m_painter.setPen(pen);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRoundedRect(outline.adjusted(-2, -2, 2, 2), ringRadius, ringRadius);
    }
    if (m_scene.marked.contains(node.id)) { // a line below, whatever ring it has
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(themeColor("accent.accent"));
        m_painter.drawRect(QRectF(outline.left() + 4, outline.bottom() + 5, outline.width() - 8, 3));
    }
    m_painter.restore();
}

double TrajectoryPainter::paintMarks(const TrajectoryNode &node, double right, double centreY)
{
    const auto box = [&](double size) {
        const QRectF result(right - size, centreY - size / 2, size, size);
        right -= size + 3;
        return result;
    };
    if (node.isBest) glyphs::paintMark(m_painter, box(markSize), glyphs::Mark::Best);
    if (node.isBase) glyphs::paintMark(m_painter, box(markSize), glyphs::Mark::Base);
    if (node.isHuman) glyphs::paintMark(m_painter, box(markSize), glyphs::Mark::Human);
    return right;
}

void TrajectoryPainter::paintCard(const TrajectoryNode &node, const QRectF &card)
{
    const QColor primary = themeColor("text.primary"), secondary = themeColor("text.secondary");
    const double left = card.left() + 10, right = card.right() - 5;
    const double line = (card.height() - 4) / 4;
    const auto lineRect = [&](int number, double from, double to) {
        return QRectF(from, card.top() + 2 + number * line, to - from, line);
    };
    // First line: glyph, speedup or state, marks, id or the letter of its side.
    const double centre = lineRect(0, left, right).center().y() + 1;
    glyphs::paintState(m_painter, QRectF(left, centre - glyphSize / 2, glyphSize, glyphSize), node.state);
    double end = right;
    if (node.id == m_scene.selected || node.id == m_scene.compared) {
        glyphs::paintLetter(m_painter, QRectF(right - 13, centre - 7, 14, 14),
                            node.id == m_scene.selected ? u'B' : u'A');
        end -= 18;
    } else {
        const QString id = QString::number(node.id);
        m_painter.setFont(theme().font(TextStyle::Caption));
        const double width = m_painter.fontMetrics().horizontalAdvance(id);
        m_painter.setPen(secondary);
        m_painter.drawText(QRectF(right - width, centre - line / 2 - 1, width, line), Qt::AlignCenter, id);
        end -= width + 5;
    }
    end = paintMarks(node, end, centre);
    drawElided(m_painter, lineRect(0, left + glyphSize + 5, end).translated(0, 1), node_text::headline(node),
               TextStyle::Title, primary);
    double detailEnd = right;
    if (node.recorded) {
        const double middle = lineRect(1, left, right).center().y();
        glyphs::paintMark(m_painter, QRectF(right - markSize, middle - markSize / 2, markSize, markSize), glyphs::Mark::Recorded);
        detailEnd -= markSize + 3;
    }
    drawElided(m_painter, lineRect(1, left, detailEnd), node_text::detail(node, m_scene.document->stageText(node.id)),
               TextStyle::Caption, secondary);
    drawElided(m_painter, lineRect(2, left, right), node_text::title(node), TextStyle::Body, primary);
    paintLastLine(node, lineRect(3, left, right));
}

// What came of the step, or the fold that begins here. The figures stay whole, the metric's name gives way.
void TrajectoryPainter::paintLastLine(const TrajectoryNode &node, const QRectF &line)
{
    if (const QString fold = m_scene.foldText(node.id); !fold.isEmpty()) {
        drawElided(m_painter, line, fold, TextStyle::Caption, themeColor("text.link"));
        return;
    }
    const node_text::Observation seen = node_text::observationParts(node);
    m_painter.setFont(theme().font(TextStyle::Caption));
    const double valueWidth = seen.value.isEmpty() ? 0 : m_painter.fontMetrics().horizontalAdvance(u' ' + seen.value);
    m_painter.setPen(themeColor("text.secondary"));
    QString name = seen.name;
    const int nameRoom = int(line.width() - valueWidth) + 1;
    const QString shortened = m_painter.fontMetrics().elidedText(name, Qt::ElideRight, nameRoom);
    if (shortened != name && shortened.size() < 10)
        name = name.section(u' ', 0, 0); // "DRAM" for "DRAM throughput" says more than "DRAM…"
    name = m_painter.fontMetrics().elidedText(name, Qt::ElideRight, nameRoom);
    m_painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                       seen.value.isEmpty() ? name : name + u' ' + seen.value);
}

void TrajectoryPainter::paintMiddle(const TrajectoryNode &node, const QRectF &card)
{
    const QColor primary = themeColor("text.primary"), secondary = themeColor("text.secondary");
    const auto speedup = node_text::speedup(node);
    const double left = card.left() + 9, right = card.right() - 3;
    const double half = card.height() / 2;
    if (!speedup) {
        const double glyph = glyphSize;
        const int repairs = m_scene.folds.value(node.id);
        const bool alone = m_geometry.narrow && repairs == 0;
        const double glyphLeft = alone ? card.center().x() - glyph / 2 : card.left() + (repairs > 0 ? 4 : 7);
        glyphs::paintState(m_painter, QRectF(glyphLeft, card.center().y() - glyph / 2, glyph, glyph), node.state);
        double end = right;
        if (repairs > 0) { // "+4" and "−4": what a click on it adds and takes away
            const QString count = (m_scene.closed.contains(node.id) ? u'+' : QChar(0x2212)) + QString::number(repairs);
            m_painter.setFont(theme().font(TextStyle::Caption));
            end -= m_painter.fontMetrics().horizontalAdvance(count);
            m_painter.setPen(themeColor("text.link"));
            m_painter.drawText(QRectF(end, card.top(), right - end, card.height()), Qt::AlignRight | Qt::AlignVCenter, count);
        }
        if (!m_geometry.narrow)
            drawElided(m_painter, QRectF(glyphLeft + glyph + 4, card.top(), end - glyphLeft - glyph - 4, card.height()),
                       node_text::headline(node), TextStyle::Caption, secondary);
        return;
    }
    double textLeft = left;
    if (!m_geometry.narrow) {
        glyphs::paintState(m_painter, QRectF(left, card.center().y() - 5.5, 11, 11), node.state);
        textLeft += 14;
    }
    double end = right;
    if (!m_geometry.narrow) {
        if (node.isBest) glyphs::paintMark(m_painter, QRectF(right - 9, card.top() + 2, 9, 9), glyphs::Mark::Best);
        if (node.isBase) glyphs::paintMark(m_painter, QRectF(right - 9, card.bottom() - 12, 9, 9), glyphs::Mark::Base);
        if (node.isHuman) glyphs::paintMark(m_painter, QRectF(right - 9, card.top() + 2, 9, 9), glyphs::Mark::Human);
        const bool topTaken = node.isBest || node.isHuman;
        if (node.recorded && (!topTaken || !node.isBase))
            glyphs::paintMark(m_painter, QRectF(right - 9, topTaken ? card.bottom() - 12 : card.top() + 2, 9, 9), glyphs::Mark::Recorded);
        if (topTaken || node.isBase || node.recorded) end -= 10;
    }
    QFont strong = theme().font(TextStyle::Strong);
    strong.setPixelSize(11);
    m_painter.setFont(strong);
    m_painter.setPen(primary);
    m_painter.drawText(QRectF(textLeft, card.top() + 1, end - textLeft + 2, half), Qt::AlignLeft | Qt::AlignVCenter,
                       numbers::speedupValue(speedup->value));
    drawElided(m_painter, QRectF(textLeft, card.top() + half - 1, right - textLeft, half),
               node.id == 0 ? (m_geometry.narrow ? u"base"_s : u"baseline"_s) : numbers::halfWidth(*speedup),
               TextStyle::Caption, secondary);
}

QSizeF TrajectoryPainter::legendSize(bool anyFolded)
{
    return {anyFolded ? 410.0 : 350.0, 62};
}

void TrajectoryPainter::paintLegend(QPainter &painter, const QPointF &at, const Legend &legend)
{
    painter.save();
    painter.setFont(theme().font(TextStyle::Caption));
    painter.setPen(themeColor("text.secondary"));
    double x = at.x(), y = at.y() + 8;
    const auto word = [&](const QString &text) {
        painter.setPen(themeColor("text.secondary"));
        painter.drawText(QPointF(x + 17, y + 4), text);
        x += 17 + painter.fontMetrics().horizontalAdvance(text) + 13;
    };
    const auto glyph = [&] { return QRectF(x, y - 5.5, 11, 11); };
    for (const NodeState state :
         {NodeState::Verified, NodeState::Wrong, NodeState::Failed, NodeState::Suspect, NodeState::Running}) {
        glyphs::paintState(painter, glyph(), state);
        word(toString(state));
    }
    x = at.x();
    y += 20;
    glyphs::paintMark(painter, glyph(), glyphs::Mark::Best);
    word(u"best"_s);
    glyphs::paintMark(painter, glyph(), glyphs::Mark::Base);
    word(u"base"_s);
    glyphs::paintMark(painter, glyph(), glyphs::Mark::Human);
    word(u"edited by a person"_s);
    glyphs::paintMark(painter, glyph(), glyphs::Mark::Recorded);
    word(u"recorded"_s);
    if (legend.anyFolded) {
        glyphs::paintMark(painter, glyph(), glyphs::Mark::Folded);
        word(u"folded"_s);
    }
    x = at.x();
    y += 20;
    glyphs::fillValue(painter, glyph().adjusted(0, 1, 1, -1), themeColor("kind.modelled"), TimeKind::Modelled);
    word(legend.anyModelled ? u"modelled"_s : u"modelled (none here)"_s);
    glyphs::fillValue(painter, glyph().adjusted(0, 1, 1, -1), themeColor("kind.measured"), TimeKind::Measured);
    word(legend.anyMeasured ? u"measured"_s : u"measured (none here)"_s);
    painter.fillRect(QRectF(x, y - 1, 14, 2), themeColor("state.best"));
    word(u"best path"_s);
    painter.restore();
}

void TrajectoryPainter::paintOverview(QPainter &painter, const QRectF &box, const TrajectoryScene &scene,
                                      const TrajectoryGeometry &geometry, const QRectF &visible)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(themeColor("surface.control"));
    painter.setBrush(themeColor("surface.panel"));
    painter.drawRect(box.adjusted(0, 0, -1, -1));
    const QSizeF content = geometry.contentSize(scene.layout);
    const QRectF inner = box.adjusted(4, 4, -5, -5);
    const double top = (scene.layout.firstLane - 0.5) * geometry.lanePitch;
    const double scaleX = inner.width() / std::max(1.0, content.width());
    const double scaleY = std::min(inner.height() / std::max(1.0, content.height()), 14 / geometry.lanePitch);
    const double offsetY = inner.top() + (inner.height() - content.height() * scaleY) / 2;
    const auto mapped = [&](const QRectF &r) {
        return QRectF(inner.left() + r.left() * scaleX, offsetY + (r.top() - top) * scaleY, r.width() * scaleX,
                      r.height() * scaleY);
    };
    const auto &nodes = scene.document->trajectory().nodes;
    painter.setPen(QPen(themeColor("state.best"), 1));
    for (qsizetype i = 1; i < scene.bestPath.size(); ++i) {
        const QRectF a = mapped(geometry.nodeRect(scene.layout.nodes[scene.bestPath[i - 1]]));
        const QRectF b = mapped(geometry.nodeRect(scene.layout.nodes[scene.bestPath[i]]));
        painter.drawLine(a.center(), b.center());
    }
    for (qsizetype i = 0; i < nodes.size(); ++i) {
        if (scene.isHidden(i)) continue;
        const QRectF full = mapped(geometry.nodeRect(scene.layout.nodes[i]));
        const QSizeF small(std::clamp(full.width() * 0.7, 1.0, 8.0), std::clamp(full.height() * 0.7, 1.0, 5.0));
        painter.fillRect(QRectF(full.center() - QPointF(small.width() / 2, small.height() / 2), small),
                         glyphs::stateColor(nodes[i].state));
    }
    painter.setPen(QPen(themeColor("accent.accent"), 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(mapped(visible).intersected(box.adjusted(1, 1, -2, -2)));
    painter.restore();
}

} // namespace kernelskill
