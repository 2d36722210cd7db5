// SPDX-License-Identifier: Apache-2.0
#include "charts/chart.h"

#include "models/node_text.h"
#include "settings/glyphs.h"
#include "settings/numbers.h"
#include "settings/theme.h"

#include <QToolTip>

#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

Chart::Chart(SessionDocument *document, NodeSelection *selection, QWidget *parent)
    : QCustomPlot(parent), m_document(document), m_selection(selection)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::NoFocus);
    setAntialiasedElement(QCP::aePlottables);
    setAntialiasedElement(QCP::aeItems);
    setNotAntialiasedElement(QCP::aeGrid);
    setNotAntialiasedElement(QCP::aeAxes);
    connect(document, &SessionDocument::nodesChanged, this, &Chart::refresh);
    connect(document, &SessionDocument::reset, this, &Chart::refresh);
    connect(selection, &NodeSelection::changed, this, &Chart::refresh);
}

void Chart::refresh()
{
    if (m_pending) return;
    m_pending = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_pending = false;
            m_empty.clear();
            applyTheme();
            rebuild();
            replot();
            Q_EMIT refreshed();
        },
        Qt::QueuedConnection);
}

void Chart::applyTheme()
{
    setBackground(themeColor("surface.panel"));
    axisRect()->setMinimumMargins(QMargins(4, 8, 12, 4));
    style(xAxis, true);
    style(yAxis, true);
}

void Chart::style(QCPAxis *axis, bool grid)
{
    const QPen line(themeColor("surface.line"), 0);
    axis->setBasePen(line);
    axis->setTickPen(Qt::NoPen);
    axis->setSubTickPen(Qt::NoPen);
    axis->setTickLabelFont(theme().font(TextStyle::Caption));
    axis->setTickLabelColor(themeColor("text.secondary"));
    axis->setLabelFont(theme().font(TextStyle::Caption));
    axis->setLabelColor(themeColor("text.secondary"));
    axis->setTickLabelPadding(theme().space(4));
    axis->setLabelPadding(theme().space(2));
    axis->grid()->setVisible(grid);
    axis->grid()->setPen(line);
    axis->grid()->setZeroLinePen(Qt::NoPen);
    axis->grid()->setSubGridVisible(false);
}

void Chart::setLogTicks(QCPAxis *axis, const QString &suffix)
{
    axis->setScaleType(QCPAxis::stLogarithmic);
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    ticker->setSubTickCount(0);
    const QCPRange range = axis->range();
    for (int decade = int(std::floor(std::log10(range.lower))); decade <= int(std::ceil(std::log10(range.upper)));
         ++decade) {
        for (const int mantissa : {1, 2, 5}) {
            const double value = mantissa * std::pow(10.0, decade);
            if (value < range.lower * 0.999 || value > range.upper * 1.001) continue;
            ticker->addTick(value, (value < 1 ? QString::number(value, 'g', 6) : numbers::fixed(value, 0)) + suffix);
        }
    }
    axis->setTicker(ticker);
}

void Chart::mousePressEvent(QMouseEvent *event)
{
    QString text;
    const int node = hitTest(event->position(), &text);
    if (node >= 0 && event->button() == Qt::LeftButton) m_selection->select(node);
}

void Chart::mouseMoveEvent(QMouseEvent *event)
{
    QString text;
    const int node = hitTest(event->position(), &text);
    setCursor(node >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(event->globalPosition().toPoint(), text, this);
}

void Chart::leaveEvent(QEvent *event)
{
    QToolTip::hideText();
    QCustomPlot::leaveEvent(event);
}

void Chart::changeEvent(QEvent *event)
{
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) refresh();
}

NodeMarks::NodeMarks(QCPAxis *keyAxis, QCPAxis *valueAxis) : QCPAbstractPlottable(keyAxis, valueAxis) {}

void NodeMarks::setPoints(QList<NodePoint> points, int selected, int compared)
{
    m_points = std::move(points);
    m_selected = selected;
    m_compared = compared;
}

QPointF NodeMarks::position(const NodePoint &point) const
{
    if (point.below) return {keyAxis()->coordToPixel(point.x), keyAxis()->axisRect()->bottom() + 11.0};
    return {keyAxis()->coordToPixel(point.x), valueAxis()->coordToPixel(point.y)};
}

const NodePoint *NodeMarks::at(const QPointF &where) const
{
    const NodePoint *nearest = nullptr;
    double best = 10; // px of reach
    for (const NodePoint &point : m_points) {
        const QPointF offset = position(point) - where;
        const double distance = std::hypot(offset.x(), offset.y());
        if (distance < best) {
            best = distance;
            nearest = &point;
        }
    }
    return nearest;
}

double NodeMarks::selectTest(const QPointF &, bool, QVariant *) const
{
    return -1; // selection is the session's, not the plot's
}

QCPRange NodeMarks::getKeyRange(bool &foundRange, QCP::SignDomain) const
{
    foundRange = false;
    return {};
}

QCPRange NodeMarks::getValueRange(bool &foundRange, QCP::SignDomain, const QCPRange &) const
{
    foundRange = false;
    return {};
}

QRect NodeMarks::clipRect() const
{
    return mParentPlot->viewport(); // marks may stand below the axis, labels beside it
}

void NodeMarks::draw(QCPPainter *painter)
{
    for (const NodePoint &point : m_points)
        drawPoint(*painter, point);
    drawLabels(*painter);
}

void NodeMarks::drawPoint(QCPPainter &painter, const NodePoint &point)
{
    const QPointF centre = position(point);
    const QColor color = glyphs::stateColor(point.state);
    const double half = point.below ? 5.5 : themeSize("chartMarker") / 2.0;
    if (point.interval && !point.below) {
        const double low = valueAxis()->coordToPixel(point.interval->low);
        const double high = valueAxis()->coordToPixel(point.interval->high);
        if (low - high > 2 * half) { // else it is written, not drawn
            const double cap = theme().stroke(u"intervalCap"_s) / 2;
            painter.setPen(QPen(color, theme().stroke(u"interval"_s)));
            painter.drawLine(QLineF(centre.x(), low, centre.x(), high));
            painter.drawLine(QLineF(centre.x() - cap, low, centre.x() + cap, low));
            painter.drawLine(QLineF(centre.x() - cap, high, centre.x() + cap, high));
        }
    }
    if (point.below) {
        glyphs::paintState(painter, QRectF(centre.x() - half, centre.y() - half, 2 * half, 2 * half), point.state);
    } else {
        painter.setPen(QPen(color, 1.3));
        painter.setBrush(point.kind == TimeKind::Modelled ? glyphs::hatch(color, mParentPlot->devicePixelRatioF())
                                                          : QBrush(color));
        painter.drawEllipse(centre, half, half);
    }
    if (point.node == m_selected || point.node == m_compared) {
        QPen ring(themeColor("accent.accent"), point.node == m_selected ? 2 : 1.5);
        if (point.node != m_selected) ring.setDashPattern({2.5, 2});
        painter.setPen(ring);
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(centre, half + 4, half + 4);
    }
    if (point.best)
        glyphs::paintMark(painter, QRectF(centre.x() + half + 4, centre.y() - half - 11, 10, 10), glyphs::Mark::Best);
    if (point.human)
        glyphs::paintMark(painter, QRectF(centre.x() + half + 4, centre.y() - 3, 9, 9), glyphs::Mark::Human);
}

// Labels beside their points; one that would lie over another point or label is left out.
void NodeMarks::drawLabels(QCPPainter &painter)
{
    painter.setFont(theme().font(TextStyle::Caption));
    const QFontMetrics metrics(painter.font());
    QList<QRectF> taken;
    for (const NodePoint &point : m_points) {
        const QPointF centre = position(point);
        taken.append(QRectF(centre.x() - 7, centre.y() - 7, 14, 14));
        if (point.interval && !point.below)
            taken.append(QRectF(centre.x() - 5, valueAxis()->coordToPixel(point.interval->high), 10,
                                valueAxis()->coordToPixel(point.interval->low) -
                                    valueAxis()->coordToPixel(point.interval->high)));
        if (point.best || point.human) taken.append(QRectF(centre.x() + 4, centre.y() - 16, 16, 24));
    }
    for (const QCPItemText *text : std::as_const(m_texts)) {
        // The item's anchors follow from its position once it was drawn; its words and font give the size before that.
        const QSizeF size(metrics.horizontalAdvance(text->text()) + 6, metrics.height() + 2);
        QPointF corner = text->position->pixelPosition();
        if (text->positionAlignment() & Qt::AlignRight) corner.rx() -= size.width();
        if (text->positionAlignment() & Qt::AlignHCenter) corner.rx() -= size.width() / 2;
        if (text->positionAlignment() & Qt::AlignBottom) corner.ry() -= size.height();
        taken.append(QRectF(corner, size));
    }
    const QRectF room = QRectF(mParentPlot->axisRect()->rect());
    const auto place = [&](const NodePoint &point) {
        const QPointF centre = position(point);
        const QSizeF size(metrics.horizontalAdvance(point.label) + 2, metrics.height());
        const QList<QRectF> places{
            {centre.x() + 10, centre.y() + 4, size.width(), size.height()},
            {centre.x() - size.width() - 8, centre.y() - size.height() - 3, size.width(), size.height()},
            {centre.x() + 10, centre.y() - size.height() / 2, size.width(), size.height()},
            {centre.x() - size.width() / 2, centre.y() + 9, size.width(), size.height()},
            {centre.x() - size.width() - 10, centre.y() - size.height() / 2, size.width(), size.height()}};
        for (const QRectF &box : places) {
            if (!room.contains(box) ||
                std::ranges::any_of(taken, [&](const QRectF &other) { return other.intersects(box); }))
                continue;
            painter.setPen(point.node == m_selected ? themeColor("text.primary") : themeColor("text.secondary"));
            painter.drawText(box, Qt::AlignCenter, point.label);
            taken.append(box);
            return;
        }
    };
    // The selected one has first claim.
    for (const bool first : {true, false}) {
        for (const NodePoint &point : m_points) {
            if ((point.node == m_selected) == first && !point.label.isEmpty()) place(point);
        }
    }
}

void NodeMarks::drawLegendIcon(QCPPainter *, const QRectF &) const {}

} // namespace kernelskill
