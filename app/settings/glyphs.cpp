// SPDX-License-Identifier: Apache-2.0
#include "settings/glyphs.h"

#include "settings/theme.h"

#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPixmapCache>

#include <cmath>
#include <functional>
#include <numbers>

using namespace Qt::StringLiterals;

namespace kernelskill::glyphs {

namespace {

// Paints in the unit box −1…1, y down.
class UnitBox
{
public:
    UnitBox(QPainter &painter, const QRectF &box) : m_painter(painter)
    {
        m_painter.save();
        m_painter.setRenderHint(QPainter::Antialiasing);
        m_painter.translate(box.center());
        m_painter.scale(box.width() / 2, box.height() / 2);
    }
    ~UnitBox() { m_painter.restore(); }
    Q_DISABLE_COPY_MOVE(UnitBox)

    void stroke(const QColor &color, double width, Qt::PenCapStyle cap = Qt::RoundCap)
    {
        m_painter.setPen(QPen(color, width, Qt::SolidLine, cap, Qt::RoundJoin));
        m_painter.setBrush(Qt::NoBrush);
    }
    void fill(const QColor &color)
    {
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(color);
    }

private:
    QPainter &m_painter;
};

constexpr double smallestWithMark = 10; // device-independent pixels

void paintVerified(QPainter &painter, const QRectF &box, const QColor &color, const QColor &ground, bool proven)
{
    UnitBox unit(painter, box);
    if (proven) {
        unit.fill(color);
        painter.drawEllipse(QPointF(0, 0), 0.92, 0.92);
    } else { // checks passed, but something could not be proven: hollow
        unit.stroke(color, 0.2);
        painter.drawEllipse(QPointF(0, 0), 0.82, 0.82);
    }
    if (box.width() >= smallestWithMark) {
        unit.stroke(proven ? ground : color, 0.24);
        painter.drawPolyline(QPolygonF({{-0.42, 0.02}, {-0.1, 0.34}, {0.44, -0.32}}));
    }
}

void paintWrong(QPainter &painter, const QRectF &box, const QColor &color, const QColor &ground)
{
    UnitBox unit(painter, box);
    unit.fill(color);
    painter.drawRoundedRect(QRectF(-0.88, -0.88, 1.76, 1.76), 0.2, 0.2);
    if (box.width() >= smallestWithMark) {
        unit.stroke(ground, 0.2);
        painter.drawLine(QPointF(-0.46, -0.2), QPointF(0.46, -0.2));
        painter.drawLine(QPointF(-0.46, 0.2), QPointF(0.46, 0.2));
        painter.drawLine(QPointF(0.2, -0.56), QPointF(-0.2, 0.56));
    }
}

void paintFailed(QPainter &painter, const QRectF &box, const QColor &color)
{
    UnitBox unit(painter, box);
    unit.stroke(color, 0.42, Qt::FlatCap);
    painter.drawLine(QPointF(-0.72, -0.72), QPointF(0.72, 0.72));
    painter.drawLine(QPointF(-0.72, 0.72), QPointF(0.72, -0.72));
}

void paintSuspect(QPainter &painter, const QRectF &box, const QColor &color, const QColor &ground)
{
    UnitBox unit(painter, box);
    painter.setPen(QPen(color, 0.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(color);
    painter.drawPolygon(QPolygonF({{0, -0.92}, {1.0, 0.78}, {-1.0, 0.78}}));
    if (box.width() >= smallestWithMark) {
        unit.stroke(ground, 0.22);
        painter.drawLine(QPointF(0, -0.32), QPointF(0, 0.2));
        painter.drawPoint(QPointF(0, 0.52));
    }
}

void paintRunning(QPainter &painter, const QRectF &box, const QColor &color)
{
    UnitBox unit(painter, box);
    QColor faint = color;
    faint.setAlphaF(0.45f);
    unit.stroke(faint, 0.3, Qt::FlatCap);
    painter.drawEllipse(QPointF(0, 0), 0.8, 0.8);
    unit.stroke(color, 0.3, Qt::FlatCap);
    painter.drawArc(QRectF(-0.8, -0.8, 1.6, 1.6), 90 * 16, -270 * 16);
}

QPainterPath star()
{
    QPolygonF points;
    for (int i = 0; i < 10; ++i) {
        const double radius = i % 2 == 0 ? 1 : 0.45;
        const double angle = -std::numbers::pi / 2 + i * std::numbers::pi / 5;
        points.append({radius * std::cos(angle), radius * std::sin(angle)});
    }
    QPainterPath path;
    path.addPolygon(points);
    path.closeSubpath();
    return path;
}

QPainterPath shield()
{
    QPainterPath path({0, -0.9});
    path.lineTo(0.75, -0.6);
    path.lineTo(0.75, 0.05);
    path.cubicTo(0.75, 0.5, 0.4, 0.8, 0, 0.95);
    path.cubicTo(-0.4, 0.8, -0.75, 0.5, -0.75, 0.05);
    path.lineTo(-0.75, -0.6);
    path.closeSubpath();
    return path;
}

void paintPin(QPainter &painter, UnitBox &unit, const QColor &color)
{
    unit.stroke(color, 0.22);
    painter.drawLine(QPointF(0, 0.25), QPointF(0, 0.95));
    painter.drawLine(QPointF(-0.62, 0.25), QPointF(0.62, 0.25));
    painter.drawLine(QPointF(-0.45, -0.9), QPointF(0.45, -0.9));
    painter.setBrush(color);
    painter.drawPolygon(QPolygonF({{-0.3, -0.85}, {0.3, -0.85}, {0.4, 0.2}, {-0.4, 0.2}}));
}

// An icon that paints itself at whatever size and theme it is asked for.
class GlyphEngine : public QIconEngine
{
public:
    using Paint = std::function<void(QPainter &, const QRectF &)>;
    explicit GlyphEngine(Paint paint) : m_paint(std::move(paint)) {}
    void paint(QPainter *painter, const QRect &rect, QIcon::Mode, QIcon::State) override
    {
        m_paint(*painter, QRectF(rect).adjusted(1, 1, -1, -1));
    }
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1);
    }
    QPixmap scaledPixmap(const QSize &size, QIcon::Mode mode, QIcon::State state, qreal) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }
    QIconEngine *clone() const override { return new GlyphEngine(m_paint); }

private:
    Paint m_paint;
};

} // namespace

QString stateRole(NodeState state)
{
    switch (state) {
    case NodeState::Running:
        return u"state.running"_s;
    case NodeState::Verified:
    case NodeState::Unproven:
        return u"state.verified"_s;
    case NodeState::Suspect:
        return u"state.suspect"_s;
    case NodeState::Wrong:
        return u"state.wrong"_s;
    case NodeState::Failed:
        return u"state.failed"_s;
    }
    return {};
}

QColor stateColor(NodeState state)
{
    return theme().color(stateRole(state));
}

void paintState(QPainter &painter, const QRectF &box, NodeState state)
{
    const QColor color = stateColor(state), ground = themeColor("surface.panel");
    switch (state) {
    case NodeState::Verified:
        return paintVerified(painter, box, color, ground, true);
    case NodeState::Unproven:
        return paintVerified(painter, box, color, ground, false);
    case NodeState::Wrong:
        return paintWrong(painter, box, color, ground);
    case NodeState::Failed:
        return paintFailed(painter, box, color);
    case NodeState::Suspect:
        return paintSuspect(painter, box, color, ground);
    case NodeState::Running:
        return paintRunning(painter, box, color);
    }
}

void paintMark(QPainter &painter, const QRectF &box, Mark mark)
{
    UnitBox unit(painter, box);
    switch (mark) {
    case Mark::Best:
        unit.fill(themeColor("state.best"));
        painter.drawPath(star());
        break;
    case Mark::Base:
        unit.stroke(themeColor("state.base"), 0.22);
        painter.drawLine(QPointF(-0.75, -0.85), QPointF(-0.75, 0.95));
        unit.fill(themeColor("state.base"));
        painter.drawPolygon(QPolygonF({{-0.75, -0.9}, {0.95, -0.9}, {0.5, -0.3}, {0.95, 0.3}, {-0.75, 0.3}}));
        break;
    case Mark::Human:
        unit.fill(themeColor("state.human"));
        painter.drawEllipse(QPointF(0, -0.45), 0.45, 0.48);
        painter.drawChord(QRectF(-0.85, 0.12, 1.7, 1.7), 0, 180 * 16);
        break;
    case Mark::Recorded:
        unit.stroke(themeColor("text.secondary"), 0.2);
        painter.drawEllipse(QPointF(0, 0), 0.85, 0.85);
        painter.drawPolyline(QPolygonF({{0, -0.5}, {0, 0.05}, {0.38, 0.25}}));
        break;
    case Mark::Folded: // one card and the edge of the one behind it
        unit.stroke(themeColor("text.secondary"), 0.2);
        painter.drawRect(QRectF(-0.9, -0.75, 1.4, 1.0));
        painter.drawPolyline(QPolygonF({{0.9, -0.35}, {0.9, 0.7}, {-0.5, 0.7}}));
        break;
    }
}

void paintSkill(QPainter &painter, const QRectF &box, SkillState state)
{
    UnitBox unit(painter, box);
    switch (state) {
    case SkillState::Pinned:
        paintPin(painter, unit, themeColor("skill.pinned"));
        break;
    case SkillState::Active:
        unit.fill(themeColor("skill.active"));
        painter.drawEllipse(QPointF(0, 0), 0.45, 0.45);
        break;
    case SkillState::Draft: {
        QPen pen(themeColor("skill.draft"), 0.24, Qt::CustomDashLine, Qt::FlatCap);
        pen.setDashPattern({1.9, 1.25});
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(QPointF(0, 0), 0.75, 0.75);
        break;
    }
    case SkillState::Quarantined:
        unit.stroke(themeColor("skill.quarantined"), 0.22);
        painter.drawPath(shield());
        break;
    case SkillState::Rejected:
        unit.stroke(themeColor("skill.rejected"), 0.2);
        painter.drawEllipse(QPointF(0, 0), 0.78, 0.78);
        painter.drawLine(QPointF(-0.55, 0.55), QPointF(0.55, -0.55));
        break;
    }
}

void paintTick(QPainter &painter, const QRectF &box, const QColor &color)
{
    UnitBox unit(painter, box);
    unit.stroke(color, 0.24);
    painter.drawPolyline(QPolygonF({{-0.75, 0.05}, {-0.2, 0.6}, {0.8, -0.6}}));
}

void paintCross(QPainter &painter, const QRectF &box, const QColor &color)
{
    UnitBox unit(painter, box);
    unit.stroke(color, 0.24);
    painter.drawLine(QPointF(-0.6, -0.6), QPointF(0.6, 0.6));
    painter.drawLine(QPointF(-0.6, 0.6), QPointF(0.6, -0.6));
}

void paintTruth(QPainter &painter, const QRectF &box, Truth truth)
{
    switch (truth) {
    case Truth::True:
        return paintTick(painter, box, themeColor("state.verified"));
    case Truth::False:
        return paintCross(painter, box, themeColor("state.wrong"));
    case Truth::Unknown: {
        painter.save();
        QFont font = theme().font(TextStyle::Strong);
        font.setPixelSize(std::max(11, int(box.height())));
        painter.setFont(font);
        painter.setPen(themeColor("text.secondary"));
        painter.drawText(box.adjusted(-2, -3, 2, 3), Qt::AlignCenter, u"?"_s);
        painter.restore();
        return;
    }
    }
}

void paintLetter(QPainter &painter, const QRectF &box, QChar letter)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(themeColor("accent.accent"));
    painter.drawRoundedRect(box, theme().radius(u"mark"_s), theme().radius(u"mark"_s));
    QFont font = theme().font(TextStyle::Strong);
    font.setPixelSize(std::max(9, int(box.height()) - 3));
    painter.setFont(font);
    painter.setPen(themeColor("text.onAccent"));
    painter.drawText(box, Qt::AlignCenter, QString(letter));
    painter.restore();
}

QBrush hatch(const QColor &color, qreal devicePixelRatio)
{
    const QJsonObject settings = theme().tokens()["kind"_L1]["hatch"_L1].toObject();
    const QColor gap = themeColor("kind.hatchGap");
    const QString key = u"hatch %1 %2 %3"_s.arg(color.name(QColor::HexArgb), gap.name()).arg(devicePixelRatio);
    QPixmap tile;
    if (!QPixmapCache::find(key, &tile)) {
        // The stripes' pitch is across them; the tile repeats along the axes.
        const double period = settings["pitch"_L1].toDouble() * std::numbers::sqrt2;
        const int side = std::max(3, int(std::lround(period * devicePixelRatio)));
        tile = QPixmap(side, side);
        tile.fill(gap);
        QPainter painter(&tile);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(color, settings["stroke"_L1].toDouble() * devicePixelRatio));
        for (int shift = -side; shift <= side; shift += side)
            painter.drawLine(QPointF(shift - 1, side + 1), QPointF(shift + side + 1, -1));
        painter.end();
        tile.setDevicePixelRatio(devicePixelRatio);
        QPixmapCache::insert(key, tile);
    }
    return QBrush(tile);
}

void fillValue(QPainter &painter, const QRectF &area, const QColor &color, TimeKind kind)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (kind == TimeKind::Measured) {
        painter.fillRect(area, color);
    } else {
        painter.setBrushOrigin(area.topLeft());
        painter.setPen(QPen(color, 1));
        painter.setBrush(hatch(color, painter.device()->devicePixelRatioF()));
        painter.drawRect(area.adjusted(0, 0, -1, -1));
    }
    painter.restore();
}

void paintBand(QPainter &painter, const QRectF &area, const QColor &color, TimeKind kind)
{
    painter.save();
    if (kind == TimeKind::Measured) {
        painter.fillRect(area, color);
    } else {
        painter.setBrushOrigin(area.topLeft());
        painter.fillRect(area, hatch(color, painter.device()->devicePixelRatioF()));
    }
    painter.restore();
}

QIcon stateIcon(NodeState state)
{
    return QIcon(new GlyphEngine([state](QPainter &painter, const QRectF &box) { paintState(painter, box, state); }));
}

QIcon truthIcon(Truth truth)
{
    return QIcon(new GlyphEngine(
        [truth](QPainter &painter, const QRectF &box) { paintTruth(painter, box.adjusted(2, 2, -2, -2), truth); }));
}

} // namespace kernelskill::glyphs
