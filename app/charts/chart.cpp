// SPDX-License-Identifier: Apache-2.0
#include "charts/chart.h"

#include "models/node_text.h"
#include "settings/glyphs.h"
#include "settings/numbers.h"
#include "settings/theme.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QToolTip>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int refreshPause_ms = 40; // a run's events come in bursts
constexpr int cell_px = 3;          // points nearer than this look like one
constexpr int mostLabels = 40;
constexpr double glyphReach_px = 9; // from a glyph's middle to the edge of its picture
const QString marksLayer = u"marks"_s, selectionLayer = u"selection"_s;

} // namespace

Chart::Chart(SessionDocument *document, NodeSelection *selection, QWidget *parent)
    : QCustomPlot(parent), m_document(document), m_selection(selection), m_soon(new QTimer(this))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::NoFocus);
    setAntialiasedElement(QCP::aePlottables);
    setAntialiasedElement(QCP::aeItems);
    setNotAntialiasedElement(QCP::aeGrid);
    setNotAntialiasedElement(QCP::aeAxes);
    addLayer(marksLayer);
    addLayer(selectionLayer);
    layer(marksLayer)->setMode(QCPLayer::lmBuffered);
    layer(selectionLayer)->setMode(QCPLayer::lmBuffered);
    connect(document, &SessionDocument::nodesChanged, this, &Chart::refresh);
    connect(document, &SessionDocument::reset, this, &Chart::refresh);
    connect(selection, &NodeSelection::changed, this, [this] {
        if (!m_stale) showSelection();
    });
    m_soon->setSingleShot(true);
    connect(m_soon, &QTimer::timeout, this, [this] {
        QElapsedTimer taken;
        taken.start();
        m_stale = false;
        m_empty.clear();
        applyTheme();
        rebuild();
        replot();
        Q_EMIT refreshed();
        m_pause_ms = std::max(refreshPause_ms, int(3 * taken.elapsed())); // a long session is drawn less often
    });
}

void Chart::setTurn(int turn)
{
    m_turn_ms = turn * refreshPause_ms;
}

void Chart::refresh()
{
    m_stale = true;
    if (m_wanted && !m_soon->isActive()) m_soon->start(m_pause_ms + m_turn_ms);
}

void Chart::setWanted(bool wanted)
{
    m_wanted = wanted;
    if (m_wanted && m_stale && !m_soon->isActive()) m_soon->start(0);
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

NodeMarks::NodeMarks(QCPAxis *keyAxis, QCPAxis *valueAxis) : QCPAbstractPlottable(keyAxis, valueAxis)
{
    setLayer(marksLayer);
}

void NodeMarks::setPoints(QList<NodePoint> points)
{
    m_points = std::move(points);
    m_places.clear();
    for (qsizetype i = 0; i < m_points.size(); ++i)
        m_places.insert(m_points[i].node, i);
}

const NodePoint *NodeMarks::ofNode(int node) const
{
    const auto place = m_places.constFind(node);
    return place == m_places.constEnd() ? nullptr : &m_points[*place];
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
    QSet<QPair<int, int>> cells;
    QList<const NodePoint *> shown;
    // The newest of those that fall together is drawn; the best is always seen.
    for (auto point = m_points.crbegin(); point != m_points.crend(); ++point) {
        const QPointF centre = position(*point);
        const QPair<int, int> cell(int(centre.x()) / cell_px, int(centre.y()) / cell_px);
        if (cells.contains(cell) && !point->best) continue;
        cells.insert(cell);
        shown.append(&*point);
        drawPoint(*painter, *point);
    }
    drawLabels(*painter, shown);
}

void NodeMarks::drawPoint(QCPPainter &painter, const NodePoint &point)
{
    const QPointF centre = position(point);
    const double half = halfOf(point);
    if (point.interval && !point.below) {
        const double low = valueAxis()->coordToPixel(point.interval->low);
        const double high = valueAxis()->coordToPixel(point.interval->high);
        if (low - high > 2 * half) { // else it is written, not drawn
            const double cap = theme().stroke(u"intervalCap"_s) / 2;
            painter.setPen(QPen(glyphs::stateColor(point.state), theme().stroke(u"interval"_s)));
            painter.drawLine(QLineF(centre.x(), low, centre.x(), high));
            painter.drawLine(QLineF(centre.x() - cap, low, centre.x() + cap, low));
            painter.drawLine(QLineF(centre.x() - cap, high, centre.x() + cap, high));
        }
    }
    if (painter.modes().testFlag(QCPPainter::pmVectorized))
        paintGlyph(painter, point, centre);
    else
        painter.drawPixmap(centre - QPointF(glyphReach_px, glyphReach_px), glyphOf(point));
    if (point.best)
        glyphs::paintMark(painter, QRectF(centre.x() + half + 4, centre.y() - half - 11, 10, 10), glyphs::Mark::Best);
    if (point.human) drawHuman(painter, centre + QPointF(half + 4, -3));
}

void NodeMarks::drawHuman(QCPPainter &painter, const QPointF &corner)
{
    constexpr int side_px = 9;
    if (painter.modes().testFlag(QCPPainter::pmVectorized)) {
        glyphs::paintMark(painter, QRectF(corner, QSizeF(side_px, side_px)), glyphs::Mark::Human);
        return;
    }
    if (m_human.isNull()) {
        const double ratio = mParentPlot->devicePixelRatioF();
        m_human = QPixmap(QSizeF(side_px * ratio, side_px * ratio).toSize());
        m_human.setDevicePixelRatio(ratio);
        m_human.fill(Qt::transparent);
        QPainter mark(&m_human);
        mark.setRenderHint(QPainter::Antialiasing);
        glyphs::paintMark(mark, QRectF(0, 0, side_px, side_px), glyphs::Mark::Human);
    }
    painter.drawPixmap(corner, m_human);
}

void NodeMarks::paintGlyph(QPainter &painter, const NodePoint &point, const QPointF &centre) const
{
    const double half = halfOf(point);
    if (point.below) {
        glyphs::paintState(painter, QRectF(centre.x() - half, centre.y() - half, 2 * half, 2 * half), point.state);
        if (!point.recorded) return;
        painter.setPen(Qt::NoPen);
        painter.setBrush(themeColor("text.secondary"));
        for (const int dot : {-4, 0, 4})
            painter.drawEllipse(centre + QPointF(dot, half + 2.2), 0.9, 0.9);
        return;
    }
    const QColor color = glyphs::stateColor(point.state);
    painter.setPen(QPen(color, 1.3));
    painter.setBrush(point.kind == TimeKind::Modelled ? glyphs::hatch(color, mParentPlot->devicePixelRatioF())
                                                      : QBrush(color));
    if (!point.recorded) {
        painter.drawEllipse(centre, half, half);
        return;
    }
    const double reach = half * 1.25; // as large an area as the circle's
    painter.drawPolygon(QPolygonF({centre - QPointF(0, reach), centre + QPointF(reach, 0), centre + QPointF(0, reach), centre - QPointF(reach, 0)}));
}

// A glyph is painted once and copied for every point like it.
const QPixmap &NodeMarks::glyphOf(const NodePoint &point)
{
    QPixmap &glyph = m_glyphs[((int(point.state) * 2 + int(point.kind)) * 2 + int(point.below)) * 2 + int(point.recorded)];
    if (!glyph.isNull()) return glyph;
    const double ratio = mParentPlot->devicePixelRatioF();
    glyph = QPixmap(QSizeF(2 * glyphReach_px * ratio, 2 * glyphReach_px * ratio).toSize());
    glyph.setDevicePixelRatio(ratio);
    glyph.fill(Qt::transparent);
    QPainter painter(&glyph);
    painter.setRenderHint(QPainter::Antialiasing);
    paintGlyph(painter, point, {glyphReach_px, glyphReach_px});
    return glyph;
}

// What labels must not lie over, in cells of a grid, so that a thousand points cost a thousand marks.
class NodeMarks::Taken
{
public:
    void add(const QRectF &box)
    {
        const QRect cells = cellsOf(box);
        for (int y = cells.top(); y <= cells.bottom(); ++y)
            for (int x = cells.left(); x <= cells.right(); ++x)
                m_cells[{x, y}].append(box);
    }
    [[nodiscard]] bool meets(const QRectF &box) const
    {
        const QRect cells = cellsOf(box);
        for (int y = cells.top(); y <= cells.bottom(); ++y)
            for (int x = cells.left(); x <= cells.right(); ++x) {
                const auto found = m_cells.constFind({x, y});
                if (found != m_cells.constEnd() && std::ranges::any_of(*found, [&](const QRectF &other) { return other.intersects(box); }))
                    return true;
            }
        return false;
    }

private:
    static constexpr int size_px = 32;
    static QRect cellsOf(const QRectF &box)
    {
        const auto cell = [](double pixel) { return int(std::floor(pixel / size_px)); };
        return {QPoint(cell(box.left()), cell(box.top())), QPoint(cell(box.right()), cell(box.bottom()))};
    }
    QHash<QPair<int, int>, QList<QRectF>> m_cells;
};

// Labels beside their points; one that would lie over another point or label is left out.
void NodeMarks::drawLabels(QCPPainter &painter, const QList<const NodePoint *> &shown)
{
    painter.setFont(theme().font(TextStyle::Caption));
    painter.setPen(themeColor("text.secondary"));
    const QFontMetrics metrics(painter.font());
    Taken taken;
    for (const NodePoint *each : shown) {
        const NodePoint &point = *each;
        const QPointF centre = position(point);
        taken.add(QRectF(centre.x() - 7, centre.y() - 7, 14, 14));
        if (point.interval && !point.below)
            taken.add(QRectF(centre.x() - 5, valueAxis()->coordToPixel(point.interval->high), 10,
                             valueAxis()->coordToPixel(point.interval->low) - valueAxis()->coordToPixel(point.interval->high)));
        if (point.best || point.human) taken.add(QRectF(centre.x() + 4, centre.y() - 16, 16, 24));
    }
    for (const QCPItemText *text : std::as_const(m_texts)) {
        // The item's anchors follow from its position once it was drawn; its words and font give the size before that.
        const QSizeF size(metrics.horizontalAdvance(text->text()) + 6, metrics.height() + 2);
        QPointF corner = text->position->pixelPosition();
        if (text->positionAlignment() & Qt::AlignRight) corner.rx() -= size.width();
        if (text->positionAlignment() & Qt::AlignHCenter) corner.rx() -= size.width() / 2;
        if (text->positionAlignment() & Qt::AlignBottom) corner.ry() -= size.height();
        taken.add(QRectF(corner, size));
    }
    // The newest first: they are the best so far.
    int labelled = 0, tried = 0;
    for (const NodePoint *point : shown) {
        if (labelled >= mostLabels || tried >= 8 * mostLabels) break;
        if (point->label.isEmpty()) continue;
        ++tried;
        for (const QRectF &box : placesOf(*point, metrics)) {
            if (!QRectF(mParentPlot->axisRect()->rect()).contains(box) || taken.meets(box)) continue;
            painter.drawText(box, Qt::AlignCenter, point->label);
            taken.add(box);
            ++labelled;
            break;
        }
    }
}

double NodeMarks::halfOf(const NodePoint &point)
{
    static const double half = themeSize("chartMarker") / 2.0; // the same in both themes
    return point.below ? 5.5 : half;
}

// Where a label may stand, the most welcome first.
QList<QRectF> NodeMarks::placesOf(const NodePoint &point, const QFontMetrics &metrics) const
{
    const QPointF centre = position(point);
    const QSizeF size(metrics.horizontalAdvance(point.label) + 2, metrics.height());
    return {{centre.x() + 10, centre.y() + 4, size.width(), size.height()},
            {centre.x() - size.width() - 8, centre.y() - size.height() - 3, size.width(), size.height()},
            {centre.x() + 10, centre.y() - size.height() / 2, size.width(), size.height()},
            {centre.x() - size.width() / 2, centre.y() + 9, size.width(), size.height()},
            {centre.x() - size.width() - 10, centre.y() - size.height() / 2, size.width(), size.height()}};
}

void NodeMarks::drawLegendIcon(QCPPainter *, const QRectF &) const {}

SelectionRings::SelectionRings(QCustomPlot *plot, const NodeMarks *marks) : QCPAbstractItem(plot), m_marks(marks)
{
    setLayer(selectionLayer);
    setClipToAxisRect(false);
    setSelectable(false);
}

void SelectionRings::setNodes(int selected, int compared)
{
    m_selected = selected;
    m_compared = compared;
}

void SelectionRings::draw(QCPPainter *painter)
{
    for (const int node : {m_compared, m_selected}) {
        const NodePoint *point = m_marks->ofNode(node);
        if (!point) continue;
        QPen ring(themeColor("accent.accent"), node == m_selected ? 2 : 1.5);
        if (node != m_selected) ring.setDashPattern({2.5, 2});
        painter->setPen(ring);
        painter->setBrush(Qt::NoBrush);
        const double radius = NodeMarks::halfOf(*point) + 4;
        painter->drawEllipse(m_marks->position(*point), radius, radius);
    }
}

void NodesChart::setMarks(QList<NodePoint> points, const QList<QCPItemText *> &words)
{
    m_marks = new NodeMarks(xAxis, yAxis);
    m_marks->setPoints(std::move(points));
    m_marks->keepClear(words);
    m_rings = new SelectionRings(this, m_marks);
    m_rings->setNodes(m_selection->selected(), m_selection->compared());
}

QString NodesChart::recordedNote(const QList<NodePoint> &points)
{
    return std::ranges::any_of(points, &NodePoint::recorded) ? tr(" · diamonds: recorded") : QString();
}

void NodesChart::clearMarks()
{
    clearItems();
    clearPlottables();
    m_marks = nullptr;
    m_rings = nullptr;
}

void NodesChart::showSelection()
{
    if (!m_rings) return;
    m_rings->setNodes(m_selection->selected(), m_selection->compared());
    layer(selectionLayer)->replot();
}

} // namespace kernelskill
