// SPDX-License-Identifier: Apache-2.0
// Draws nodes, links, legend and overview of a trajectory at three levels of detail. Knows nothing of scrolling.
#pragma once

#include "models/session_document.h"
#include "trajectory/tree_layout.h"

#include <QHash>
#include <QRectF>
#include <QSet>

class QPainter;

namespace kernelskill {

enum class DetailLevel { Far, Middle, Near };

// Where things are at one zoom, in the graph's own coordinates: x grows with columns, y with lanes, lane 0 around y 0.
struct TrajectoryGeometry
{
    double zoom = 0.61;
    DetailLevel level = DetailLevel::Near;
    double columnPitch = 0, lanePitch = 0;
    QSizeF node;
    bool narrow = false; // middle level with little room: two lines, no words

    [[nodiscard]] static TrajectoryGeometry at(double zoom);
    [[nodiscard]] QRectF nodeRect(const PlacedNode &place) const;
    [[nodiscard]] QSizeF contentSize(const TreeLayout &layout) const;
    // Of the card in `rect`: what a click opens or closes a fold with. Null where there is no room for it.
    [[nodiscard]] QRectF foldHandle(const QRectF &rect) const;
};

struct TrajectoryScene
{
    const SessionDocument *document = nullptr;
    TreeLayout layout;     // a hidden node stands where it is shown
    QList<int> shown;      // for each node: itself, or the node that it is folded behind
    QHash<int, int> folds; // head of a run of failed repairs → how many, open or closed
    QSet<int> closed;      // those of them that hide their repairs
    QList<int> bestPath; // node ids
    QSet<int> bestNodes; // the same
    int selected = -1, compared = -1;
    QSet<int> marked; // for a comparison of several
    bool dimFailures = false;
    bool focused = false;

    [[nodiscard]] bool isHidden(qsizetype node) const { return shown[node] != node; }
    // "4 repairs folded", "fold 4 repairs"; empty where none fold.
    [[nodiscard]] QString foldText(int node) const;
};

class TrajectoryPainter
{
public:
    TrajectoryPainter(QPainter &painter, const TrajectoryScene &scene, const TrajectoryGeometry &geometry);

    void paintLinks(const QRectF &visible);
    void paintNodes(const QRectF &visible);
    // Legend of shapes; the rectangle is at least legendSize().
    struct Legend
    {
        bool anyMeasured = false, anyModelled = false, anyFolded = false;
    };
    static void paintLegend(QPainter &painter, const QPointF &at, const Legend &legend);
    [[nodiscard]] static QSizeF legendSize(bool anyFolded);
    // The whole graph small, with the part in view framed.
    static void paintOverview(QPainter &painter, const QRectF &box, const TrajectoryScene &scene,
                              const TrajectoryGeometry &geometry, const QRectF &visible);

private:
    void paintFar(const QRectF &visible);
    void paintCard(const TrajectoryNode &node, const QRectF &card);
    void paintMiddle(const TrajectoryNode &node, const QRectF &card);
    void paintStack(const TrajectoryNode &node, const QRectF &card);
    void paintFrame(const TrajectoryNode &node, const QRectF &card);
    void paintLastLine(const TrajectoryNode &node, const QRectF &line);
    // Marks from the right edge leftwards; returns the left end.
    double paintMarks(const TrajectoryNode &node, double right, double centreY);

    QPainter &m_painter;
    const TrajectoryScene &m_scene;
    const TrajectoryGeometry &m_geometry;
};

} // namespace kernelskill
