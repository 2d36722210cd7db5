// SPDX-License-Identifier: Apache-2.0
// What all charts share: theme, hover, click on a node, a sentence when there is nothing to show.
#pragma once

#include "charts/plot.h"
#include "models/session_document.h"

namespace kernelskill {

class Chart : public QCustomPlot
{
    Q_OBJECT
public:
    Chart(SessionDocument *document, NodeSelection *selection, QWidget *parent = nullptr);

    [[nodiscard]] virtual QString title() const = 0;
    // What stands at the right of the header: "best so far, modelled".
    [[nodiscard]] virtual QString note() const { return {}; }
    [[nodiscard]] QString emptySentence() const { return m_empty; } // empty: there is data
    // Rows of comma-separated values with a header; every speedup with interval, kind and verdict.
    [[nodiscard]] virtual QString toCsv() const = 0;
    void refresh(); // soon, once for many calls; when it is wanted again, if it is not now
    // Whether its pane shows it, or would if there were anything to show.
    void setWanted(bool wanted);
    // 0, 1, …: charts that show the same news take turns.
    void setTurn(int turn);

Q_SIGNALS:
    void refreshed();

protected:
    virtual void rebuild() = 0; // clear and fill; set m_empty
    // Another node is selected, the nodes are the same. Charts of all nodes move a ring, those of one node are made anew.
    virtual void showSelection() { refresh(); }
    // Node and text under a point of the widget; −1 none.
    [[nodiscard]] virtual int hitTest(const QPointF &point, QString *text) const = 0;
    void applyTheme();
    static void style(QCPAxis *axis, bool grid);
    // Ticks at 1, 2 and 5 of each decade in range.
    static void setLogTicks(QCPAxis *axis, const QString &suffix);

    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void changeEvent(QEvent *event) override;

    SessionDocument *m_document;
    NodeSelection *m_selection;
    QString m_empty;

private:
    QTimer *m_soon;
    int m_pause_ms = 0, m_turn_ms = 0;
    bool m_stale = true, m_wanted = false;
};

struct NodePoint
{
    int node = -1;
    NodeState state = NodeState::Verified;
    TimeKind kind = TimeKind::Modelled;
    double x = 0, y = 0;
    std::optional<Interval> interval; // in y
    QString label;                    // beside the point; empty: none
    bool best = false, human = false;
    bool below = false;    // without a value: under the axis
    bool recorded = false; // played again from a record: a diamond, or with dots under it
};

// Points of a chart as the glyphs of the trajectory, with intervals and labels. Of points that fall together one is drawn.
class NodeMarks : public QCPAbstractPlottable
{
    Q_OBJECT
public:
    NodeMarks(QCPAxis *keyAxis, QCPAxis *valueAxis);
    void setPoints(QList<NodePoint> points);
    // Words of the chart itself that labels must not lie over.
    void keepClear(const QList<QCPItemText *> &texts) { m_texts = texts; }
    [[nodiscard]] const QList<NodePoint> &points() const { return m_points; }
    [[nodiscard]] QPointF position(const NodePoint &point) const;
    [[nodiscard]] const NodePoint *at(const QPointF &position) const;
    [[nodiscard]] const NodePoint *ofNode(int node) const;
    [[nodiscard]] static double halfOf(const NodePoint &point); // px

    double selectTest(const QPointF &pos, bool onlySelectable, QVariant *details = nullptr) const override;
    QCPRange getKeyRange(bool &foundRange, QCP::SignDomain inSignDomain) const override;
    QCPRange getValueRange(bool &foundRange, QCP::SignDomain inSignDomain, const QCPRange &inKeyRange) const override;

protected:
    QRect clipRect() const override;
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *painter, const QRectF &rect) const override;

private:
    class Taken;
    [[nodiscard]] QList<QRectF> placesOf(const NodePoint &point, const QFontMetrics &metrics) const;
    void drawPoint(QCPPainter &painter, const NodePoint &point);
    void paintGlyph(QPainter &painter, const NodePoint &point, const QPointF &centre) const;
    const QPixmap &glyphOf(const NodePoint &point);
    void drawHuman(QCPPainter &painter, const QPointF &corner);
    void drawLabels(QCPPainter &painter, const QList<const NodePoint *> &shown); // newest first
    QList<NodePoint> m_points;
    QList<QCPItemText *> m_texts; // owned by the plot, gone with the next rebuild as this is
    QHash<int, qsizetype> m_places; // node → index
    QHash<int, QPixmap> m_glyphs;
    QPixmap m_human;
};

// The rings of the selected and the compared node, on a layer of their own: a selection draws nothing else anew.
class SelectionRings : public QCPAbstractItem
{
    Q_OBJECT
public:
    SelectionRings(QCustomPlot *plot, const NodeMarks *marks);
    void setNodes(int selected, int compared);
    double selectTest(const QPointF &, bool, QVariant * = nullptr) const override { return -1; }

protected:
    void draw(QCPPainter *painter) override;
    QPointF anchorPixelPosition(int) const override { return {}; }

private:
    const NodeMarks *m_marks;
    int m_selected = -1, m_compared = -1;
};

// A chart whose points are the session's nodes.
class NodesChart : public Chart
{
    Q_OBJECT
public:
    using Chart::Chart;

protected:
    // For rebuild(): takes the points and what their labels must not lie over.
    void setMarks(QList<NodePoint> points, const QList<QCPItemText *> &words);
    void clearMarks();
    [[nodiscard]] static QString recordedNote(const QList<NodePoint> &points); // for note(): what diamonds are, if any
    void showSelection() override;
    [[nodiscard]] const NodePoint *pointAt(const QPointF &position) const { return m_marks ? m_marks->at(position) : nullptr; }

private:
    NodeMarks *m_marks = nullptr;
    SelectionRings *m_rings = nullptr;
};

} // namespace kernelskill
