// SPDX-License-Identifier: Apache-2.0
// What mouse and keys do to the trajectory.
#include "models/node_text.h"
#include "models/repair_folds.h"
#include "settings/popup_menu.h"
#include "trajectory/trajectory_view.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

// The fold that a node belongs to, as its head or as one of its repairs.
int TrajectoryView::foldOf(int node) const
{
    return m_scene.folds.contains(node) ? node : m_folds->headOf(node);
}

// The head whose count is there.
int TrajectoryView::foldAt(const QPoint &position) const
{
    if (position.y() < headerHeight()) return -1;
    for (auto fold = m_scene.folds.keyBegin(); fold != m_scene.folds.keyEnd(); ++fold) {
        if (m_geometry.foldHandle(nodeRect(*fold)).contains(position)) return *fold;
    }
    return -1;
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
    if (event->button() != Qt::LeftButton) return;
    if (const int head = foldAt(m_pressedAt); head >= 0 && event->modifiers() == Qt::NoModifier) {
        m_folds->toggle(head);
        return;
    }
    const int node = nodeAt(m_pressedAt);
    if (node < 0) return;
    if (event->modifiers() & Qt::ShiftModifier)
        m_selection->toggleMark(node);
    else if (event->modifiers() & Qt::ControlModifier)
        m_selection->compareWith(node);
    else
        m_selection->select(node);
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
    viewport()->setCursor(nodeAt(position) >= 0 || foldAt(position) >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void TrajectoryView::mouseReleaseEvent(QMouseEvent *)
{
    m_panning = false;
    viewport()->setCursor(Qt::ArrowCursor);
}

void TrajectoryView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const QPoint position = event->position().toPoint();
    const int node = nodeAt(position);
    if (foldAt(position) >= 0)
        mousePressEvent(event); // the second of two quick clicks on it
    else if (node < 0)
        fit();
    else if (m_scene.folds.contains(node))
        m_folds->toggle(node);
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
        target = m_scene.shown.value(node->parent, node->parent);
    } else if (key == Qt::Key_Right) {
        target = heirOf(current);
    } else {
        // The next node above or below, in this column first, then in the nearest one.
        const PlacedNode here = m_scene.layout.nodes[current];
        double nearest = 1e18;
        for (int other = 0; other < m_scene.layout.nodes.size(); ++other) {
            if (m_scene.isHidden(other)) continue;
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
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (const int head = foldOf(m_selection->selected()); head >= 0)
            m_folds->toggle(head);
        else
            QAbstractScrollArea::keyPressEvent(event);
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

bool TrajectoryView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const int fold = foldAt(help->pos());
        const TrajectoryNode *node = m_document->node(nodeAt(help->pos()));
        if (fold >= 0)
            QToolTip::showText(help->globalPos(),
                               node_text::failedRepairs(m_folds->repairsOf(fold)) + u'\n' +
                                   (m_folds->isOpen(fold) ? tr("A click or Enter folds them.")
                                                          : tr("A click or Enter shows them.")),
                               this);
        else if (node)
            QToolTip::showText(help->globalPos(), node_text::summary(*node, m_document->stageText(node->id)), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace kernelskill
