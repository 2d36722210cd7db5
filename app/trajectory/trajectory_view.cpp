// SPDX-License-Identifier: Apache-2.0
#include "trajectory/trajectory_view.h"

#include "models/node_text.h"
#include "models/repair_folds.h"
#include "settings/numbers.h"
#include "settings/theme.h"

#include <QFocusEvent>
#include <QPainter>
#include <QScrollBar>
#include <QtConcurrentRun>

#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr qsizetype manyNodes = 500; // from here on their arrangement is left to a worker
constexpr double smallestZoom = 0.02, largestZoom = 2;
constexpr double smallestFit = 0.2, largestFit = 0.72; // what "fit" may choose by itself

} // namespace

TrajectoryView::TrajectoryView(SessionDocument *document, NodeSelection *selection, RepairFolds *folds, QWidget *parent)
    : QAbstractScrollArea(parent), m_document(document), m_selection(selection), m_folds(folds),
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
        takeSelection();
        if (m_selection->selected() != m_lookedAt) lookAt(m_selection->selected());
    });
    connect(selection, &NodeSelection::marksChanged, this, &TrajectoryView::takeSelection);
    connect(folds, &RepairFolds::changed, this, [this] {
        m_foldsChanged = true;
        nodesChanged();
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
    if (m_laidOut == trajectory.nodes.size() && m_laidOutBest == trajectory.best && !m_foldsChanged)
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

// What is folded away takes no place: its children hang on the node that it is folded behind, and a round in which
// nothing is left takes no column.
TrajectoryView::Arrangement TrajectoryView::arrange(const QList<LayoutNode> &nodes, const QList<int> &shown,
                                                    const QList<int> &bestPath, int best)
{
    QList<int> places(nodes.size()), main; // of the nodes to be seen, among themselves
    QList<LayoutNode> seen;
    seen.reserve(nodes.size());
    for (int i = 0; i < nodes.size(); ++i) {
        places[i] = shown[i] == i ? int(seen.size()) : places[shown[i]];
        if (shown[i] == i) seen.append({nodes[i].parent < 0 ? -1 : places[nodes[i].parent], nodes[i].round});
    }
    for (const int node : bestPath) {
        if (shown[node] == node) main.append(places[node]);
    }
    const TreeLayout layout = layoutTree(seen, main);
    Arrangement result{layout, shown, {}, {}, bestPath, best};
    result.layout.nodes.resize(nodes.size());
    result.columns.resize(layout.columnRounds.size());
    result.children.resize(nodes.size());
    for (int i = 0; i < nodes.size(); ++i) {
        result.layout.nodes[i] = layout.nodes[places[i]];
        if (shown[i] != i) continue;
        result.columns[result.layout.nodes[i].column].append(i);
        if (nodes[i].parent >= 0) result.children[shown[nodes[i].parent]].append(i);
    }
    return result;
}

void TrajectoryView::relayout()
{
    const Trajectory &trajectory = m_document->trajectory();
    m_foldsChanged = false;
    accept(arrange(layoutNodes(), m_folds->shownAs(), trajectory.bestPath(), trajectory.best));
}

// One at a time; what came meanwhile is arranged with the next announcement.
void TrajectoryView::relayoutInBackground()
{
    placeNewNodes();
    viewport()->update();
    if (m_arranging.isRunning()) return;
    const Trajectory &trajectory = m_document->trajectory();
    m_foldsChanged = false;
    m_arranging.setFuture(QtConcurrent::run(&TrajectoryView::arrange, layoutNodes(), m_folds->shownAs(), trajectory.bestPath(),
                                            trajectory.best));
    m_arranged = m_generation;
}

void TrajectoryView::accept(Arrangement arrangement)
{
    const int anchor = m_autoFit ? -1 : anchorNode();
    const QPointF before = nodeRect(anchor).center();
    m_scene.layout = std::move(arrangement.layout);
    m_scene.shown = std::move(arrangement.shown);
    m_columns = std::move(arrangement.columns);
    m_children = std::move(arrangement.children);
    m_scene.bestPath = std::move(arrangement.bestPath);
    m_scene.bestNodes = QSet<int>(m_scene.bestPath.begin(), m_scene.bestPath.end());
    m_laidOut = m_scene.layout.nodes.size();
    m_laidOutBest = arrangement.best;
    takeFolds();
    placeNewNodes();
    takeSelection();
    if (m_autoFit) {
        fit();
    } else {
        updateScrollBars();
        if (anchor >= 0 && anchor < m_laidOut) scrollBy(nodeRect(anchor).center() - before);
    }
    if (m_lookWanted) lookAt(m_selection->selected());
    viewport()->update();
}

void TrajectoryView::takeFolds()
{
    m_scene.folds.clear();
    m_scene.closed.clear();
    for (const FailedRepairs &run : m_folds->runs()) {
        if (run.repairs.last() >= m_scene.shown.size()) continue;
        m_scene.folds.insert(run.head, int(run.repairs.size()));
        if (m_scene.isHidden(run.repairs.first())) m_scene.closed.insert(run.head);
    }
}

// What is selected or marked within a closed fold is shown where it is folded.
void TrajectoryView::takeSelection()
{
    const auto shown = [this](int node) { return m_scene.shown.value(node, node); };
    m_scene.selected = shown(m_selection->selected());
    m_scene.compared = shown(m_selection->compared());
    m_scene.marked.clear();
    for (const int node : m_selection->marked())
        m_scene.marked.insert(shown(node));
    viewport()->update();
}

// At once where it stands already, else as soon as its fold is open.
void TrajectoryView::lookAt(int node)
{
    m_lookedAt = node;
    m_lookWanted = m_scene.shown.value(node, node) != node;
    if (!m_lookWanted) ensureVisible(node);
}

// The node that keeps its place on the screen when all are arranged anew: the selected one where it is in view, else
// the one nearest to the middle.
int TrajectoryView::anchorNode() const
{
    const QRectF room(0, headerHeight(), viewport()->width(), viewport()->height() - headerHeight());
    if (m_scene.selected >= 0 && room.intersects(nodeRect(m_scene.selected))) return m_scene.selected;
    int nearest = -1;
    double distance = 1e18;
    for (int node = 0; node < m_scene.layout.nodes.size(); ++node) {
        const QPointF away = nodeRect(node).center() - room.center();
        if (const double squared = QPointF::dotProduct(away, away); squared < distance && !m_scene.isHidden(node)) {
            distance = squared;
            nearest = node;
        }
    }
    return nearest;
}

void TrajectoryView::scrollBy(QPointF distance)
{
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + int(std::lround(distance.x())));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + int(std::lround(distance.y())));
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
        m_scene.shown.append(index);
        if (node.parent >= 0) m_children[m_scene.shown[node.parent]].append(index);
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
    scrollBy(now - anchor);
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
    const auto &nodes = m_document->trajectory().nodes;
    const auto cardOf = [&](qsizetype i) { return m_geometry.nodeRect(m_scene.layout.nodes[i]).translated(zero); };
    // A link leaves its parent, goes up or down right beside it, and along its child's row.
    const auto isFree = [&](const QRectF &box) {
        for (qsizetype i = 0; i < m_scene.layout.nodes.size(); ++i) {
            const QRectF card = cardOf(i);
            if (card.adjusted(-4, -3, 4, 3).intersects(box)) return false;
            const int parent = i < nodes.size() ? nodes[i].parent : -1;
            if (parent < 0 || parent >= m_scene.layout.nodes.size() || m_scene.isHidden(i)) continue;
            const QRectF from = cardOf(parent);
            const QRectF along(from.right(), card.center().y() - 2, std::max(0.0, card.left() - from.right()), 4);
            const QRectF beside = QRectF(from.right(), from.center().y(), 8, card.center().y() - from.center().y()).normalized();
            if (along.intersects(box) || beside.intersects(box)) return false;
        }
        return true;
    };
    const double mainTop = zero.y() - m_geometry.node.height() / 2,
                 mainBottom = zero.y() + m_geometry.node.height() / 2;
    const QSizeF legend = TrajectoryPainter::legendSize(!m_scene.closed.isEmpty());
    const QRectF legendBox(10, mainTop - legend.height() - 4, legend.width(), legend.height());
    if (legendBox.top() >= headerHeight() && isFree(legendBox)) {
        TrajectoryPainter::Legend shown{false, false, !m_scene.closed.isEmpty()};
        for (const TrajectoryNode &node : m_document->trajectory().nodes) {
            if (const auto speedup = node_text::speedup(node))
                (speedup->kind == TimeKind::Measured ? shown.anyMeasured : shown.anyModelled) = true;
        }
        TrajectoryPainter::paintLegend(painter, legendBox.topLeft(), shown);
    }
    const QRectF overviewBox(10, mainBottom + 8, 190, std::min(50.0, viewport()->height() - mainBottom - 14));
    if (overviewBox.height() >= 30 && isFree(overviewBox.adjusted(0, 0, 110, 0))) {
        TrajectoryPainter::paintOverview(painter, overviewBox, m_scene, m_geometry, visibleInGraph());
        painter.setFont(theme().font(TextStyle::Caption));
        painter.setPen(themeColor("text.secondary"));
        const bool all = horizontalScrollBar()->maximum() == 0 && verticalScrollBar()->maximum() == 0;
        qsizetype count = m_scene.layout.nodes.size(), folded = 0;
        for (const int head : std::as_const(m_scene.closed))
            folded += m_scene.folds.value(head);
        const QString others = folded > 0 ? tr(", %1 folded").arg(folded) : all ? tr(", all in view") : QString();
        painter.drawText(QRectF(overviewBox.right() + 8, overviewBox.top(), 200, overviewBox.height()),
                         Qt::AlignVCenter,
                         tr("Overview\n%1 nodes%2").arg(count).arg(others));
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

} // namespace kernelskill
