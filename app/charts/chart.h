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
    void refresh(); // at the next turn of the event loop, once

Q_SIGNALS:
    void refreshed();

protected:
    virtual void rebuild() = 0; // clear and fill; set m_empty
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
    bool m_pending = false;
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
    bool below = false; // without a value: under the axis
};

// Points of a chart as the glyphs of the trajectory, with intervals, labels and the ring of the selection.
class NodeMarks : public QCPAbstractPlottable
{
    Q_OBJECT
public:
    NodeMarks(QCPAxis *keyAxis, QCPAxis *valueAxis);
    void setPoints(QList<NodePoint> points, int selected, int compared);
    // Words of the chart itself that labels must not lie over.
    void keepClear(const QList<QCPItemText *> &texts) { m_texts = texts; }
    [[nodiscard]] const QList<NodePoint> &points() const { return m_points; }
    [[nodiscard]] QPointF position(const NodePoint &point) const;
    [[nodiscard]] const NodePoint *at(const QPointF &position) const;

    double selectTest(const QPointF &pos, bool onlySelectable, QVariant *details = nullptr) const override;
    QCPRange getKeyRange(bool &foundRange, QCP::SignDomain inSignDomain) const override;
    QCPRange getValueRange(bool &foundRange, QCP::SignDomain inSignDomain, const QCPRange &inKeyRange) const override;

protected:
    QRect clipRect() const override;
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *painter, const QRectF &rect) const override;

private:
    void drawPoint(QCPPainter &painter, const NodePoint &point);
    void drawLabels(QCPPainter &painter);
    QList<NodePoint> m_points;
    QList<QCPItemText *> m_texts; // owned by the plot, gone with the next rebuild as this is
    int m_selected = -1, m_compared = -1;
};

} // namespace kernelskill
