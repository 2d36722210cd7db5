// SPDX-License-Identifier: Apache-2.0
#include "trajectory/trajectory_view.h"

#include "models/node_text.h"
#include "settings/numbers.h"
#include "settings/popup_menu.h"
#include "settings/theme.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <QtConcurrentRun>

#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr qsizetype manyNodes = 500; // from here on their arrangement is left to a worker
constexpr double smallestZoom = 0.02, largestZoom = 2;
constexpr double smallestFit = 0.2, largestFit = 0.72; // what "fit" may choose by itself

} // namespace

TrajectoryView::TrajectoryView(SessionDocument *document, NodeSelection *selection, QWidget *parent)
    : QAbstractScrollArea(parent), m_document(document), m_selection(selection),
      m_geometry(TrajectoryGeometry::at(0.61))
{
    m_scene.document = document;
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Trajectory graph"));
    viewport()->setMouseTracking(true);
    connect(document, &SessionDocument::reset, this, [this] {
        m_autoFit = true;
        ++m_generation;
        relayout();
    });
    // A new node gets its place at once: whoever paints or walks looks places up by node.
    connect(document, &SessionDocument::nodeTouched, this, [this] {
        const qsizetype count = m_document->trajectory().nodes.size();
        if (count >= manyNodes)
            placeNewNodes();
        else if (m_laidOut != count)
            relayout();
    });
    connect(document, &SessionDocument::nodesChanged, this, &TrajectoryView::nodesChanged);
    connect(document, &SessionDocument::stageChanged, this, [this] { viewport()->update(); });
    connect(selection, &NodeSelection::changed, this, [this] {
        const int before = m_scene.selected;
        m_scene.selected = m_selection->selected();
        m_scene.compared = m_selection->compared();
        if (before != m_scene.selected) ensureVisible(m_scene.selected);
        viewport()->update();
    });
    connect(selection, &NodeSelection::marksChanged, this, [this] {
        m_scene.marked = m_selection->marked();
        viewport()->update();
    });
    connect(&m_arranging, &QFutureWatcherBase::finished, this, [this] {
        if (m_arranged == m_generation) accept(m_arranging.future().takeResult());
        nodesChanged(); // what came meanwhile
    });
    relayout();
}

int TrajectoryView::headerHeight() const
{
    return themeSize("rowCompact");
}

// Most changes are of what a node says of itself, not of where it stands.
void TrajectoryView::nodesChanged()
{
    const Trajectory &trajectory = m_document->trajectory();
    if (m_laidOut == trajectory.nodes.size() && m_laidOutBest == trajectory.best)
        viewport()->update();
    else if (trajectory.nodes.size() < manyNodes)
        relayout();
    else
        relayoutInBackground();
}

QList<LayoutNode> TrajectoryView::layoutNodes(qsizetype from) const
{
    const auto &nodes = m_document->trajectory().nodes;
    QList<LayoutNode> result;
    result.reserve(nodes.size() - from);
    for (qsizetype i = from; i < nodes.size(); ++i)
        result.append({nodes[i].parent < nodes[i].id ? nodes[i].parent : -1, nodes[i].round});
    return result;
}

TrajectoryView::Arrangement TrajectoryView::arrange(const QList<LayoutNode> &nodes, const QList<int> &bestPath, int best)
{
    Arrangement result{layoutTree(nodes, bestPath), {}, {}, bestPath, best};
    result.columns.resize(result.layout.columnRounds.size());
    result.children.resize(nodes.size());
    for (int i = 0; i < nodes.size(); ++i) {
        result.columns[result.layout.nodes[i].column].append(i);
        if (nodes[i].parent >= 0) result.children[nodes[i].parent].append(i);
    }
    return result;
}

void TrajectoryView::relayout()
{
    const Trajectory &trajectory = m_document->trajectory();
    accept(arrange(layoutNodes(), trajectory.bestPath(), trajectory.best));
}

// One at a time; what came meanwhile is arranged with the next announcement.
void TrajectoryView::relayoutInBackground()
{
    placeNewNodes();
    viewport()->update();
    if (m_arranging.isRunning()) return;
    const Trajectory &trajectory = m_document->trajectory();
    m_arranging.setFuture(QtConcurrent::run(&TrajectoryView::arrange, layoutNodes(), trajectory.bestPath(), trajectory.best));
    m_arranged = m_generation;
}

void TrajectoryView::accept(Arrangement arrangement)
{
    m_scene.layout = std::move(arrangement.layout);
    m_columns = std::move(arrangement.columns);
    m_children = std::move(arrangement.children);
    m_scene.bestPath = std::move(arrangement.bestPath);
    m_scene.bestNodes = QSet<int>(m_scene.bestPath.begin(), m_scene.bestPath.end());
    m_laidOut = m_scene.layout.nodes.size();
    m_laidOutBest = arrangement.best;
    placeNewNodes();
    m_scene.selected = m_selection->selected();
    m_scene.compared = m_selection->compared();
    if (m_autoFit)
        fit();
    else
        updateScrollBars();
    viewport()->update();
}

// Whoever paints or walks looks places up by node: each has one at once, until all are arranged anew.
void TrajectoryView::placeNewNodes()
{
    const qsizetype placed = m_scene.layout.nodes.size();
    if (placed >= m_document->trajectory().nodes.size()) return;
    for (const LayoutNode &node : layoutNodes(placed)) {
        placeProvisionally(m_scene.layout, node);
        const int index = int(m_scene.layout.nodes.size()) - 1;
        m_columns.resize(m_scene.layout.columnRounds.size());
        m_columns[m_scene.layout.nodes.last().column].append(index);
        m_children.append(QList<int>());
        if (node.parent >= 0) m_children[node.parent].append(index);
    }
    updateScrollBars();
}

void TrajectoryView::fit()
{
    const double pitchAtOne = theme().graph()["columnPitchAtZoom1"_L1].toDouble();
    const double columns = std::max<qsizetype>(1, m_scene.layout.columnRounds.size());
    const double zoom = viewport()->width() / (columns * pitchAtOne);
    m_geometry = TrajectoryGeometry::at(std::clamp(zoom, smallestFit, largestFit));
    // Whole cards are worth less than seeing every node: too many lanes for them go down one level.
    const double room = viewport()->height() - headerHeight();
    if (m_geometry.level == DetailLevel::Near &&
        m_geometry.contentSize(m_scene.layout).height() > room + m_geometry.lanePitch - m_geometry.node.height())
        m_geometry =
            TrajectoryGeometry::at(std::min(m_geometry.zoom, theme().graph()["mid"_L1]["below"_L1].toDouble() - 0.01));
    m_autoFit = true;
    updateScrollBars();
    Q_EMIT zoomChanged(m_geometry.zoom);
    viewport()->update();
}

void TrajectoryView::zoomBy(double factor)
{
    setZoom(m_geometry.zoom * factor, QPointF(viewport()->rect().center()));
}

void TrajectoryView::setZoom(double zoom, QPointF anchor)
{
    zoom = std::clamp(zoom, smallestZoom, largestZoom);
    const double columnAtAnchor = (anchor.x() - origin().x()) / m_geometry.columnPitch;
    const double laneAtAnchor = (anchor.y() - origin().y()) / m_geometry.lanePitch;
    m_geometry = TrajectoryGeometry::at(zoom);
    m_autoFit = false;
    updateScrollBars();
    const QPointF now =
        origin() + QPointF(columnAtAnchor * m_geometry.columnPitch, laneAtAnchor * m_geometry.lanePitch);
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + int(std::lround(now.x() - anchor.x())));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + int(std::lround(now.y() - anchor.y())));
    Q_EMIT zoomChanged(zoom);
    viewport()->update();
}

void TrajectoryView::setDimFailures(bool dim)
{
    m_scene.dimFailures = dim;
    viewport()->update();
}

void TrajectoryView::setLive(bool live)
{
    m_live = live;
    viewport()->update();
}

void TrajectoryView::updateScrollBars()
{
    const QSizeF content = m_geometry.contentSize(m_scene.layout);
    const QSize room(viewport()->width(), viewport()->height() - headerHeight());
    horizontalScrollBar()->setRange(0, std::max(0, int(std::ceil(content.width())) - room.width()));
    horizontalScrollBar()->setPageStep(room.width());
    horizontalScrollBar()->setSingleStep(int(m_geometry.columnPitch / 4) + 1);
    // Half a lane of slack so that the outer lanes do not stick to the frame.
    const int spare = int(std::ceil(content.height())) - room.height();
    verticalScrollBar()->setRange(0, std::max(0, spare));
    verticalScrollBar()->setPageStep(room.height());
    verticalScrollBar()->setSingleStep(int(m_geometry.lanePitch / 4) + 1);
}

QPointF TrajectoryView::origin() const
{
    const QSizeF content = m_geometry.contentSize(m_scene.layout);
    const double room = viewport()->height() - headerHeight();
    const double slack = std::max(0.0, (room - content.height()) / 2);
    const double top = headerHeight() + slack - verticalScrollBar()->value();
    return {double(-horizontalScrollBar()->value()),
            std::round(top + (-m_scene.layout.firstLane + 0.5) * m_geometry.lanePitch)};
}

QRectF TrajectoryView::visibleInGraph() const
{
    const QPointF zero = origin();
    return QRectF(-zero.x(), headerHeight() - zero.y(), viewport()->width(), viewport()->height() - headerHeight());
}

QRectF TrajectoryView::nodeRect(int node) const
{
    if (node < 0 || node >= m_scene.layout.nodes.size()) return {};
    return m_geometry.nodeRect(m_scene.layout.nodes[node]).translated(origin());
}

int TrajectoryView::nodeAt(const QPoint &position) const
{
    if (position.y() < headerHeight()) return -1;
    const double reach = m_geometry.level == DetailLevel::Far ? 3 : 0;
    int nearest = -1;
    double distance = 1e18;
    const int column = int(std::floor((position.x() - origin().x()) / m_geometry.columnPitch));
    for (int near = std::max(0, column - 1); near <= std::min(int(m_columns.size()) - 1, column + 1); ++near) {
        for (const int node : m_columns[near]) {
            const QRectF rect = nodeRect(node);
            if (!rect.adjusted(-reach, -reach, reach, reach).contains(position)) continue;
            const QPointF away = rect.center() - position;
            if (const double squared = QPointF::dotProduct(away, away); squared < distance) {
                distance = squared;
                nearest = node;
            }
        }
    }
    return nearest;
}

void TrajectoryView::ensureVisible(int node)
{
    const QRectF rect = nodeRect(node);
    if (rect.isNull()) return;
    const double margin = 8;
    if (rect.left() < margin)
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() + int(rect.left() - margin));
    else if (rect.right() > viewport()->width() - margin)
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() +
                                        int(rect.right() - viewport()->width() + margin));
    if (rect.top() < headerHeight() + margin)
        verticalScrollBar()->setValue(verticalScrollBar()->value() + int(rect.top() - headerHeight() - margin));
    else if (rect.bottom() > viewport()->height() - margin)
        verticalScrollBar()->setValue(verticalScrollBar()->value() +
                                      int(rect.bottom() - viewport()->height() + margin));
}

void TrajectoryView::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), themeColor("surface.panel"));
    if (m_document->isEmpty()) {
        paintEmpty(painter);
        return;
    }
    const QPointF zero = origin();
    const Trajectory &trajectory = m_document->trajectory();
    // The round under way is tinted over its whole column.
    if (m_live && !trajectory.nodes.isEmpty() && trajectory.nodes.last().state == NodeState::Running) {
        const int live = m_scene.layout.nodes.last().column;
        painter.fillRect(QRectF(zero.x() + live * m_geometry.columnPitch, headerHeight(), m_geometry.columnPitch,
                                viewport()->height()),
                         themeColor("diff.currentLine"));
    }
    painter.save();
    painter.setClipRect(0, headerHeight(), viewport()->width(), viewport()->height() - headerHeight());
    paintExtras(painter);
    painter.translate(zero);
    const QRectF visible = visibleInGraph();
    TrajectoryPainter graph(painter, m_scene, m_geometry);
    graph.paintLinks(visible);
    graph.paintNodes(visible);
    painter.restore();
    paintHeader(painter);
    if (hasFocus() && m_showFocus) {
        painter.setPen(QPen(themeColor("accent.focus"), theme().stroke(u"focusRing"_s)));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
}

void TrajectoryView::paintEmpty(QPainter &painter)
{
    painter.setFont(theme().font(TextStyle::Body));
    painter.setPen(themeColor("text.secondary"));
    painter.drawText(viewport()->rect(), Qt::AlignCenter,
                     tr("The candidates of a run appear here, round by round. Start a run to fill it."));
}

void TrajectoryView::paintHeader(QPainter &painter)
{
    const QRect strip(0, 0, viewport()->width(), headerHeight());
    painter.fillRect(strip, themeColor("surface.panel"));
    const auto &rounds = m_scene.layout.columnRounds;
    const bool live = m_live;
    const double left = origin().x();
    painter.setFont(theme().font(TextStyle::Caption));
    const QFontMetrics metrics(painter.font());
    const double minimumLabel = metrics.horizontalAdvance(u"Round 00"_s) + 10;
    double lastEnd = -1e9;
    for (qsizetype column = 0; column < rounds.size(); ++column) {
        if (column > 0 && rounds[column] == rounds[column - 1]) continue;
        const double x = left + double(column) * m_geometry.columnPitch;
        const double width = m_geometry.columnPitch * m_scene.layout.roundColumns(rounds[column]);
        if (x > viewport()->width() || x + width < 0) continue;
        const bool isLive = live && column + m_scene.layout.roundColumns(rounds[column]) == rounds.size();
        if (isLive) painter.fillRect(QRectF(x, 0, width, strip.height()), themeColor("diff.currentLine"));
        if (m_geometry.columnPitch >= 30)
            painter.fillRect(QRectF(std::round(x), 3, 1, strip.height() - 3), themeColor("surface.line"));
        QString text = width >= minimumLabel ? tr("Round %1").arg(rounds[column]) : QString::number(rounds[column]);
        if (isLive && width >= minimumLabel + 30) text += tr(" · live");
        const double need = metrics.horizontalAdvance(text) + 8;
        if (x < lastEnd) continue; // no room for this one's number
        painter.setFont(theme().font(TextStyle::Caption));
        painter.setPen(isLive ? themeColor("text.link") : themeColor("text.secondary"));
        painter.drawText(QRectF(x + 6, 0, std::max(width, need), strip.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         text);
        lastEnd = x + need;
    }
    painter.fillRect(QRect(0, strip.bottom(), strip.width(), 1), themeColor("surface.line"));
}

// Legend and overview go where nothing else is.
void TrajectoryView::paintExtras(QPainter &painter)
{
    if (m_geometry.level != DetailLevel::Near) return;
    const QPointF zero = origin();
    const auto isFree = [&](const QRectF &box) {
        for (const PlacedNode &place : m_scene.layout.nodes) {
            if (m_geometry.nodeRect(place).translated(zero).adjusted(-4, -3, 4, 3).intersects(box)) return false;
        }
        return true;
    };
    const double mainTop = zero.y() - m_geometry.node.height() / 2,
                 mainBottom = zero.y() + m_geometry.node.height() / 2;
    const QSizeF legend = TrajectoryPainter::legendSize();
    const QRectF legendBox(10, mainTop - legend.height() - 4, legend.width(), legend.height());
    if (legendBox.top() >= headerHeight() && isFree(legendBox)) {
        bool measured = false, modelled = false;
        for (const TrajectoryNode &node : m_document->trajectory().nodes) {
            if (const auto speedup = node_text::speedup(node))
                (speedup->kind == TimeKind::Measured ? measured : modelled) = true;
        }
        TrajectoryPainter::paintLegend(painter, legendBox.topLeft(), measured, modelled);
    }
    const QRectF overviewBox(10, mainBottom + 8, 190, std::min(50.0, viewport()->height() - mainBottom - 14));
    if (overviewBox.height() >= 30 && isFree(overviewBox.adjusted(0, 0, 110, 0))) {
        TrajectoryPainter::paintOverview(painter, overviewBox, m_scene, m_geometry, visibleInGraph());
        painter.setFont(theme().font(TextStyle::Caption));
        painter.setPen(themeColor("text.secondary"));
        const bool all = horizontalScrollBar()->maximum() == 0 && verticalScrollBar()->maximum() == 0;
        const qsizetype count = m_scene.layout.nodes.size();
        painter.drawText(QRectF(overviewBox.right() + 8, overviewBox.top(), 200, overviewBox.height()),
                         Qt::AlignVCenter,
                         tr("Overview\n%1 nodes%2").arg(count).arg(all ? tr(", all in view") : QString()));
    }
}

void TrajectoryView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    if (m_autoFit)
        fit();
    else
        updateScrollBars();
}

void TrajectoryView::wheelEvent(QWheelEvent *event)
{
    if (event->modifiers() & Qt::ShiftModifier || event->angleDelta().y() == 0) {
        const QPoint delta = event->pixelDelta().isNull() ? event->angleDelta() / 2 : event->pixelDelta();
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - (delta.x() != 0 ? delta.x() : delta.y()));
    } else {
        setZoom(m_geometry.zoom * std::pow(1.2, event->angleDelta().y() / 120.0), event->position());
    }
    event->accept();
}

void TrajectoryView::mousePressEvent(QMouseEvent *event)
{
    m_pressedAt = event->position().toPoint();
    m_scrollAtPress = {horizontalScrollBar()->value(), verticalScrollBar()->value()};
    m_panning = false;
    if (event->button() == Qt::LeftButton || event->button() == Qt::RightButton) {
        const int node = nodeAt(m_pressedAt);
        if (node >= 0 && event->button() == Qt::LeftButton) {
            if (event->modifiers() & Qt::ShiftModifier)
                m_selection->toggleMark(node);
            else if (event->modifiers() & Qt::ControlModifier)
                m_selection->compareWith(node);
            else
                m_selection->select(node);
        }
    }
}

void TrajectoryView::mouseMoveEvent(QMouseEvent *event)
{
    const QPoint position = event->position().toPoint();
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        const QPoint moved = position - m_pressedAt;
        if (!m_panning && moved.manhattanLength() >= QApplication::startDragDistance()) m_panning = true;
        if (m_panning) {
            viewport()->setCursor(Qt::ClosedHandCursor);
            horizontalScrollBar()->setValue(m_scrollAtPress.x() - moved.x());
            verticalScrollBar()->setValue(m_scrollAtPress.y() - moved.y());
        }
        return;
    }
    viewport()->setCursor(nodeAt(position) >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void TrajectoryView::mouseReleaseEvent(QMouseEvent *)
{
    m_panning = false;
    viewport()->setCursor(Qt::ArrowCursor);
}

void TrajectoryView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (nodeAt(event->position().toPoint()) < 0) fit();
}

int TrajectoryView::heirOf(int node) const
{
    int heir = -1;
    for (const int child : m_children.value(node)) {
        if (m_scene.layout.nodes[child].lane == m_scene.layout.nodes[node].lane) return child;
        if (heir < 0) heir = child;
    }
    return heir;
}

void TrajectoryView::walk(int key)
{
    const int current = m_selection->selected();
    const TrajectoryNode *node = m_document->node(current);
    if (!node) return;
    int target = -1;
    if (key == Qt::Key_Left) {
        target = node->parent;
    } else if (key == Qt::Key_Right) {
        target = heirOf(current);
    } else {
        // The next node above or below, in this column first, then in the nearest one.
        const PlacedNode here = m_scene.layout.nodes[current];
        double nearest = 1e18;
        for (int other = 0; other < m_scene.layout.nodes.size(); ++other) {
            const PlacedNode there = m_scene.layout.nodes[other];
            const int lanes = key == Qt::Key_Up ? here.lane - there.lane : there.lane - here.lane;
            if (lanes <= 0) continue;
            const double distance = std::abs(there.column - here.column) * 3.0 + lanes;
            if (distance < nearest) {
                nearest = distance;
                target = other;
            }
        }
    }
    if (target >= 0) m_selection->select(target);
}

void TrajectoryView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        walk(event->key());
        return;
    case Qt::Key_Home:
        m_selection->select(0);
        return;
    case Qt::Key_End:
        m_selection->select(m_document->trajectory().best);
        return;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomBy(1.25);
        return;
    case Qt::Key_Minus:
        zoomBy(0.8);
        return;
    case Qt::Key_M:
        m_selection->toggleMark(m_selection->selected());
        return;
    case Qt::Key_0:
        fit();
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void TrajectoryView::contextMenuEvent(QContextMenuEvent *event)
{
    const int hit = nodeAt(event->pos());
    const int node = hit >= 0 ? hit : event->reason() == QContextMenuEvent::Keyboard ? m_selection->selected() : -1;
    QMenu *menu = newPopupMenu(this);
    Q_EMIT menuWanted(menu, node);
    if (!menu->isEmpty()) menu->addSeparator();
    menu->addAction(tr("Fit"), this, &TrajectoryView::fit);
    popUp(menu, event->globalPos());
}

void TrajectoryView::focusInEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusInEvent(event);
    m_showFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
                  event->reason() == Qt::ShortcutFocusReason;
    viewport()->update();
}

void TrajectoryView::focusOutEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusOutEvent(event);
    m_showFocus = false;
    viewport()->update();
}

void TrajectoryView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) viewport()->update();
}

bool TrajectoryView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const TrajectoryNode *node = m_document->node(nodeAt(help->pos()));
        if (node)
            QToolTip::showText(help->globalPos(), node_text::summary(*node, m_document->stageText(node->id)), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace kernelskill
