// SPDX-License-Identifier: Apache-2.0
// The trajectory as a graph: rounds as columns, the best path straight. Wheel zooms, dragging pans, arrow keys walk,
// a click selects, Ctrl+click compares, Enter opens a fold. Only what is in view is painted.
#pragma once

#include "trajectory/trajectory_painter.h"

#include <QAbstractScrollArea>
#include <QFutureWatcher>

class QMenu;

namespace kernelskill {

class RepairFolds;

class TrajectoryView : public QAbstractScrollArea
{
    Q_OBJECT
public:
    TrajectoryView(SessionDocument *document, NodeSelection *selection, RepairFolds *folds, QWidget *parent = nullptr);

    [[nodiscard]] double zoom() const { return m_geometry.zoom; }
    void setZoom(double zoom, QPointF anchor); // anchor in the viewport stays where it is
    void zoomBy(double factor);
    void fit(); // until the next manual zoom, new columns keep fitting
    void setDimFailures(bool dim);
    void setLive(bool live);                                // a run is under way: its round is tinted
    [[nodiscard]] int nodeAt(const QPoint &position) const; // −1 none
    [[nodiscard]] QRectF nodeRect(int node) const;          // in the viewport; a folded one: where it is folded
    [[nodiscard]] int foldAt(const QPoint &position) const; // the head whose fold a click there opens or closes; −1 none
    [[nodiscard]] qsizetype columnCount() const { return m_scene.layout.columnRounds.size(); }
    void ensureVisible(int node);

    QSize minimumSizeHint() const override { return {200, 90}; }

Q_SIGNALS:
    void zoomChanged(double zoom);
    void exportRequested();
    void menuWanted(QMenu *menu, int node); // whoever knows what can be done with it fills the menu

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    // Places of all nodes, and what is looked up by column and parent.
    struct Arrangement
    {
        TreeLayout layout;
        QList<int> shown; // RepairFolds::shownAs()
        QList<QList<int>> columns, children; // of what is to be seen
        QList<int> bestPath;
        int best = -1;
    };
    [[nodiscard]] static Arrangement arrange(const QList<LayoutNode> &nodes, const QList<int> &shown, const QList<int> &bestPath,
                                             int best);
    void relayout();
    void relayoutInBackground();
    void accept(Arrangement arrangement);
    void placeNewNodes();
    void takeFolds();
    void takeSelection();
    void lookAt(int node);
    [[nodiscard]] int anchorNode() const;
    void scrollBy(QPointF distance);
    [[nodiscard]] int foldOf(int node) const;
    [[nodiscard]] QList<LayoutNode> layoutNodes(qsizetype from = 0) const;
    void updateScrollBars();
    [[nodiscard]] QPointF origin() const; // the graph's (0, 0) in the viewport
    [[nodiscard]] QRectF visibleInGraph() const;
    [[nodiscard]] int headerHeight() const;
    void paintHeader(QPainter &painter);
    void paintEmpty(QPainter &painter);
    void paintExtras(QPainter &painter);
    void walk(int key);
    [[nodiscard]] int heirOf(int node) const;
    void nodesChanged();

    SessionDocument *m_document;
    NodeSelection *m_selection;
    RepairFolds *m_folds;
    TrajectoryScene m_scene;
    TrajectoryGeometry m_geometry;
    QList<QList<int>> m_columns; // the nodes of each column
    QList<QList<int>> m_children;
    qsizetype m_laidOut = -1; // nodes of the last whole layout, and the best of its main path
    int m_laidOutBest = -1;
    bool m_foldsChanged = false; // since the last layout began
    int m_lookedAt = -1;         // the node that was brought into view last
    bool m_lookWanted = false;   // into view as soon as its fold is open
    QFutureWatcher<Arrangement> m_arranging{this};
    int m_generation = 0; // of the document's contents
    int m_arranged = 0;   // the generation that m_arranging is of
    bool m_autoFit = true;
    QPoint m_pressedAt;
    QPoint m_scrollAtPress;
    bool m_panning = false;
    bool m_showFocus = false; // only a focus that came by keyboard needs a ring
    bool m_live = false;
};

} // namespace kernelskill
