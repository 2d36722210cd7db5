// SPDX-License-Identifier: Apache-2.0
#include "settings/workbench_style.h"

#include "settings/glyphs.h"
#include "settings/theme.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QGuiApplication>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

void paintField(QPainter *painter, const QRect &rect, const QColor &fill, const QColor &outline)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(outline, theme().stroke(u"control"_s)));
    painter->setBrush(fill);
    const qreal radius = theme().radius(u"control"_s);
    painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    painter->restore();
}

void paintChevron(QPainter *painter, const QPointF &centre, double half, Qt::ArrowType direction, const QColor &color)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(color, 1.25, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->translate(centre);
    if (direction == Qt::RightArrow)
        painter->rotate(-90);
    else if (direction == Qt::UpArrow)
        painter->rotate(180);
    else if (direction == Qt::LeftArrow)
        painter->rotate(90);
    painter->drawPolyline(QPolygonF({{-half, -half / 2}, {0, half / 2}, {half, -half / 2}}));
    painter->restore();
}

bool enabled(const QStyleOption *option)
{
    return option->state & QStyle::State_Enabled;
}

// What stands in a field cannot be taken: a property says so, since no state of Qt's does.
bool isMistaken(const QStyleOption *option)
{
    return option->styleObject && option->styleObject->property("mistake").toBool();
}

QColor fieldFill(const QStyleOption *option)
{
    if (isMistaken(option)) return themeColor("severity.errorFill");
    return enabled(option) ? themeColor("surface.raised") : themeColor("surface.window");
}

QColor outlineOf(const QStyleOption *option)
{
    if (isMistaken(option)) return themeColor("severity.errorText");
    return enabled(option) ? themeColor("surface.control") : themeColor("surface.line");
}

QColor buttonFill(const QStyleOption *option)
{
    if (option->state & (QStyle::State_Sunken | QStyle::State_On)) return themeColor("accent.selection");
    if (enabled(option) && option->state & QStyle::State_MouseOver) return themeColor("surface.hover");
    return themeColor("surface.raised");
}

} // namespace

void paintFocusRing(QPainter &painter, const QRectF &control)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double width = theme().stroke(u"focusRing"_s);
    painter.setPen(QPen(themeColor("accent.focus"), width));
    painter.setBrush(Qt::NoBrush);
    const double radius = theme().radius(u"ring"_s);
    painter.drawRoundedRect(control.adjusted(width / 2, width / 2, -width / 2, -width / 2), radius, radius);
    painter.restore();
}

WorkbenchStyle::WorkbenchStyle() : QProxyStyle(u"fusion"_s) {}

void WorkbenchStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                                   const QWidget *widget) const
{
    switch (element) {
    case PE_PanelButtonCommand:
        paintField(painter, option->rect, buttonFill(option), outlineOf(option));
        return;
    case PE_FrameDefaultButton:
    case PE_FrameStatusBarItem:
    case PE_PanelStatusBar:
    case PE_FrameTabBarBase:
    case PE_IndicatorToolBarSeparator:
        if (element == PE_IndicatorToolBarSeparator) {
            const QRect r = option->rect;
            painter->fillRect(QRect(r.center().x(), r.top() + 4, 1, r.height() - 8), themeColor("surface.line"));
        }
        return;
    case PE_PanelButtonTool:
        drawToolButtonPanel(option, painter, widget);
        return;
    case PE_FrameFocusRect:
        if (qobject_cast<const QAbstractItemView *>(widget)) return; // the selected row shows it
        paintFocusRing(*painter, option->rect);
        return;
    case PE_PanelLineEdit:
    case PE_FrameLineEdit:
        if (const auto *frame = qstyleoption_cast<const QStyleOptionFrame *>(option);
            element == PE_PanelLineEdit && frame && frame->lineWidth <= 0)
            return;
        paintField(painter, option->rect, fieldFill(option), outlineOf(option));
        if (option->state & State_HasFocus) paintFocusRing(*painter, option->rect);
        return;
    case PE_Frame:
        painter->save();
        painter->setPen(themeColor("surface.line"));
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        painter->restore();
        return;
    case PE_IndicatorCheckBox:
        drawCheckBox(option, painter);
        return;
    case PE_IndicatorBranch:
        if (option->state & State_Children)
            paintChevron(painter, QRectF(option->rect).center() + QPointF(2, 0.5), 3.5,
                         option->state & State_Open ? Qt::DownArrow : Qt::RightArrow, themeColor("text.primary"));
        return;
    case PE_PanelItemViewRow:
        return;
    case PE_PanelItemViewItem: {
        const auto *item = qstyleoption_cast<const QStyleOptionViewItem *>(option);
        if (item && item->backgroundBrush.style() != Qt::NoBrush) painter->fillRect(item->rect, item->backgroundBrush);
        if (option->state & State_Selected)
            painter->fillRect(option->rect, themeColor(option->state & State_Active ? "accent.selection"
                                                                                    : "accent.selectionInactive"));
        else if (option->state & State_MouseOver)
            painter->fillRect(option->rect, themeColor("surface.hover"));
        return;
    }
    case PE_IndicatorDockWidgetResizeHandle: {
        const QRect r = option->rect;
        painter->fillRect(r, themeColor("surface.window"));
        if (option->state & State_Horizontal) // a handle between stacked docks
            painter->fillRect(QRect(r.left(), r.center().y(), r.width(), 1), themeColor("surface.line"));
        else
            painter->fillRect(QRect(r.center().x(), r.top(), 1, r.height()), themeColor("surface.line"));
        return;
    }
    case PE_PanelTipLabel:
        painter->fillRect(option->rect, themeColor("surface.raised"));
        painter->save();
        painter->setPen(themeColor("surface.control"));
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        painter->restore();
        return;
    case PE_PanelMenu:
    case PE_FrameMenu:
        painter->save();
        painter->setPen(themeColor("surface.control"));
        painter->setBrush(element == PE_PanelMenu ? QBrush(themeColor("surface.raised")) : QBrush(Qt::NoBrush));
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        painter->restore();
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void WorkbenchStyle::drawToolButtonPanel(const QStyleOption *option, QPainter *painter, const QWidget *widget) const
{
    const QString segment = widget ? widget->property("segment").toString() : QString();
    if (segment.isEmpty()) {
        const QColor fill = option->state & State_On                             ? themeColor("accent.selection")
                            : option->state & State_Sunken                       ? themeColor("accent.selection")
                            : option->state & State_MouseOver && enabled(option) ? themeColor("surface.hover")
                                                                                 : QColor(Qt::transparent);
        if (fill.alpha() > 0) {
            painter->save();
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(Qt::NoPen);
            painter->setBrush(fill);
            painter->drawRoundedRect(option->rect, theme().radius(u"control"_s), theme().radius(u"control"_s));
            painter->restore();
        }
        return;
    }
    const QColor fill = option->state & State_On ? themeColor("accent.accent") : buttonFill(option);
    const QColor outline = option->state & State_On ? themeColor("accent.accent") : themeColor("surface.control");
    QRect rect = option->rect;
    painter->save();
    painter->setClipRect(rect);
    const int beyond = theme().radius(u"control"_s) + 1; // square ends where the row goes on
    if (segment != "first"_L1) rect.setLeft(rect.left() - beyond);
    if (segment != "last"_L1) rect.setRight(rect.right() + beyond);
    paintField(painter, rect, fill, outline);
    if (segment != "last"_L1)
        painter->fillRect(QRect(option->rect.right(), option->rect.top() + 1, 1, option->rect.height() - 2), outline);
    painter->restore();
}

void WorkbenchStyle::drawCheckBox(const QStyleOption *option, QPainter *painter) const
{
    const bool on = option->state & State_On;
    const QColor fill = on && enabled(option) ? themeColor("accent.accent") : themeColor("surface.raised");
    paintField(painter, option->rect, fill, on && enabled(option) ? fill : outlineOf(option));
    if (on)
        glyphs::paintTick(*painter, QRectF(option->rect).adjusted(3, 3, -3, -3),
                          enabled(option) ? themeColor("text.onAccent") : themeColor("text.disabled"));
}

void WorkbenchStyle::drawTab(const QStyleOption *option, QPainter *painter) const
{
    const bool selected = option->state & State_Selected;
    if (selected) {
        painter->fillRect(option->rect, themeColor("surface.panel"));
        painter->fillRect(QRect(option->rect.left(), option->rect.top(), option->rect.width(), 2),
                          themeColor("accent.accent"));
        for (const int x : {option->rect.left(), option->rect.right()})
            painter->fillRect(QRect(x, option->rect.top() + 2, 1, option->rect.height() - 2),
                              themeColor("surface.line"));
    } else if (option->state & State_MouseOver && enabled(option)) {
        painter->fillRect(option->rect, themeColor("surface.hover"));
    }
    if (!selected)
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
                          themeColor("surface.line"));
}

void WorkbenchStyle::drawHeaderSection(const QStyleOption *option, QPainter *painter) const
{
    painter->fillRect(option->rect, themeColor("surface.window"));
    painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
                      themeColor("surface.line"));
}

void WorkbenchStyle::drawProgressBar(const QStyleOption *option, QPainter *painter) const
{
    const auto *bar = qstyleoption_cast<const QStyleOptionProgressBar *>(option);
    if (!bar) return;
    paintField(painter, bar->rect, themeColor("surface.raised"), themeColor("surface.control"));
    const int span = std::max(1, bar->maximum - bar->minimum);
    const double share = std::clamp((bar->progress - bar->minimum) / double(span), 0.0, 1.0);
    if (bar->maximum > bar->minimum && share > 0) {
        QRect inner = bar->rect.adjusted(1, 1, -1, -1);
        inner.setWidth(int(inner.width() * share));
        painter->fillRect(inner, themeColor("state.running"));
    }
}

void WorkbenchStyle::drawMenuItem(const QStyleOption *option, QPainter *painter, const QWidget *widget) const
{
    // Fusion outlines the selected row; ours is flat.
    if (const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option);
        item && item->menuItemType == QStyleOptionMenuItem::Separator) {
        painter->fillRect(QRect(item->rect.left(), item->rect.center().y(), item->rect.width(), 1),
                          themeColor("surface.line"));
        return;
    }
    QProxyStyle::drawControl(CE_MenuItem, option, painter, widget);
}

void WorkbenchStyle::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                                 const QWidget *widget) const
{
    switch (element) {
    case CE_TabBarTabShape:
        drawTab(option, painter);
        return;
    case CE_TabBarTabLabel: {
        const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option);
        if (!tab) break;
        painter->save();
        painter->setFont(theme().font(tab->state & State_Selected ? TextStyle::Strong : TextStyle::Body));
        painter->setPen(!enabled(tab)                 ? themeColor("text.disabled")
                        : tab->state & State_Selected ? themeColor("text.primary")
                                                      : themeColor("text.secondary"));
        painter->drawText(tab->rect.adjusted(0, 1, 0, 0), Qt::AlignCenter | Qt::TextShowMnemonic, tab->text);
        if (tab->state & State_HasFocus) paintFocusRing(*painter, QRectF(tab->rect).adjusted(2, 3, -2, -2));
        painter->restore();
        return;
    }
    case CE_HeaderSection:
    case CE_HeaderEmptyArea:
        drawHeaderSection(option, painter);
        return;
    case CE_ProgressBarGroove:
    case CE_ProgressBarLabel:
        return;
    case CE_ProgressBarContents:
    case CE_ProgressBar:
        drawProgressBar(option, painter);
        return;
    case CE_MenuItem:
        drawMenuItem(option, painter, widget);
        return;
    case CE_ToolButtonLabel: {
        const auto *button = qstyleoption_cast<const QStyleOptionToolButton *>(option);
        if (!button || !widget || widget->property("segment").toString().isEmpty()) break;
        painter->setFont(theme().font(button->state & State_On ? TextStyle::Strong : TextStyle::Body));
        painter->setPen(themeColor(button->state & State_On ? "text.onAccent" : "text.primary"));
        painter->drawText(button->rect, Qt::AlignCenter, button->text);
        return;
    }
    case CE_MenuBarEmptyArea:
        painter->fillRect(option->rect, themeColor("surface.window"));
        return;
    case CE_MenuBarItem: {
        const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option);
        if (!item) break;
        painter->fillRect(item->rect,
                          item->state & State_Selected ? themeColor("surface.hover") : themeColor("surface.window"));
        painter->setPen(enabled(item) ? themeColor("text.primary") : themeColor("text.disabled"));
        // The letter is underlined while Alt is held, as SH_UnderlineShortcut says of no other time.
        const bool mnemonics = QGuiApplication::queryKeyboardModifiers() & Qt::AltModifier;
        painter->drawText(item->rect,
                          Qt::AlignCenter | Qt::TextSingleLine |
                              (mnemonics ? Qt::TextShowMnemonic : Qt::TextHideMnemonic),
                          item->text);
        return;
    }
    case CE_ToolBar:
        painter->fillRect(option->rect, themeColor("surface.window"));
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
                          themeColor("surface.line"));
        return;
    case CE_Splitter:
        if (option->state & State_Horizontal)
            painter->fillRect(QRect(option->rect.center().x(), option->rect.top(), 1, option->rect.height()),
                              themeColor("surface.line"));
        else
            painter->fillRect(QRect(option->rect.left(), option->rect.center().y(), option->rect.width(), 1),
                              themeColor("surface.line"));
        return;
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void WorkbenchStyle::drawComboBox(const QStyleOptionComplex *option, QPainter *painter) const
{
    const auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option);
    if (!combo) return;
    const bool hover = combo->state & State_MouseOver && enabled(combo);
    if (combo->frame) {
        paintField(painter, combo->rect, hover && !isMistaken(combo) ? themeColor("surface.hover") : fieldFill(combo), outlineOf(combo));
    } else if (hover) {
        painter->fillRect(combo->rect, themeColor("surface.hover"));
    }
    paintChevron(painter, QPointF(combo->rect.right() - 10, combo->rect.center().y() + 1), 3, Qt::DownArrow,
                 enabled(combo) ? themeColor("text.primary") : themeColor("text.disabled"));
    if (combo->state & State_HasFocus) paintFocusRing(*painter, combo->rect);
}

void WorkbenchStyle::drawSpinBox(const QStyleOptionComplex *option, QPainter *painter, const QWidget *widget) const
{
    paintField(painter, option->rect, enabled(option) ? themeColor("surface.raised") : themeColor("surface.window"),
               outlineOf(option));
    const QColor ink = enabled(option) ? themeColor("text.primary") : themeColor("text.disabled");
    for (const auto &[part, arrow] : {std::pair(SC_SpinBoxUp, Qt::UpArrow), std::pair(SC_SpinBoxDown, Qt::DownArrow)})
        paintChevron(painter, QRectF(subControlRect(CC_SpinBox, option, part, widget)).center(), 2.5, arrow, ink);
    if (option->state & State_HasFocus) paintFocusRing(*painter, option->rect);
}

void WorkbenchStyle::drawScrollBar(const QStyleOptionComplex *option, QPainter *painter, const QWidget *widget) const
{
    const auto *slider = qstyleoption_cast<const QStyleOptionSlider *>(option);
    if (!slider) return;
    painter->fillRect(slider->rect, themeColor("surface.panel"));
    if (slider->maximum <= slider->minimum) return;
    QRectF handle = subControlRect(CC_ScrollBar, slider, SC_ScrollBarSlider, widget);
    handle = slider->orientation == Qt::Vertical ? handle.adjusted(3, 1, -3, -1) : handle.adjusted(1, 3, -1, -3);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(
        themeColor(slider->state & (State_MouseOver | State_Sunken) ? "text.secondary" : "surface.control"));
    const double radius = std::min(handle.width(), handle.height()) / 2;
    painter->drawRoundedRect(handle, radius, radius);
    painter->restore();
}

void WorkbenchStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                                        const QWidget *widget) const
{
    switch (control) {
    case CC_ComboBox:
        drawComboBox(option, painter);
        return;
    case CC_ScrollBar:
        drawScrollBar(option, painter, widget);
        return;
    case CC_SpinBox:
        drawSpinBox(option, painter, widget);
        return;
    default:
        QProxyStyle::drawComplexControl(control, option, painter, widget);
    }
}

QRect WorkbenchStyle::subControlRect(ComplexControl control, const QStyleOptionComplex *option, SubControl part,
                                     const QWidget *widget) const
{
    if (control == CC_ScrollBar) {
        const auto *bar = qstyleoption_cast<const QStyleOptionSlider *>(option);
        if (bar && (part == SC_ScrollBarAddLine || part == SC_ScrollBarSubLine)) return {}; // no arrows
        if (bar && part == SC_ScrollBarGroove) return bar->rect;
        if (bar) {
            const bool vertical = bar->orientation == Qt::Vertical;
            const int length = vertical ? bar->rect.height() : bar->rect.width();
            const int range = bar->maximum - bar->minimum;
            int handle = length;
            if (range > 0)
                handle = std::clamp(int(qint64(length) * bar->pageStep / (qint64(range) + bar->pageStep)), 20,
                                    std::max(20, length));
            const int start = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - handle,
                                                      bar->upsideDown);
            QRect slider =
                vertical ? QRect(0, start, bar->rect.width(), handle) : QRect(start, 0, handle, bar->rect.height());
            if (part == SC_ScrollBarSlider) return slider;
            if (part == SC_ScrollBarSubPage)
                return vertical ? QRect(0, 0, bar->rect.width(), start) : QRect(0, 0, start, bar->rect.height());
            if (part == SC_ScrollBarAddPage)
                return vertical ? QRect(0, start + handle, bar->rect.width(), length - start - handle)
                                : QRect(start + handle, 0, length - start - handle, bar->rect.height());
        }
    }
    if (control == CC_ComboBox && part == SC_ComboBoxEditField)
        return option->rect.adjusted(theme().space(6), 1, -20, -1);
    return QProxyStyle::subControlRect(control, option, part, widget);
}

QRect WorkbenchStyle::subElementRect(SubElement element, const QStyleOption *option, const QWidget *widget) const
{
    if (element == SE_ProgressBarContents || element == SE_ProgressBarGroove) return option->rect;
    return QProxyStyle::subElementRect(element, option, widget);
}

int WorkbenchStyle::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    switch (metric) {
    case PM_ToolBarIconSize:
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ListViewIconSize:
        return 14;
    case PM_TabBarIconSize:
        return 14;
    case PM_ScrollBarExtent:
        return 10;
    case PM_SplitterWidth:
        return 1;
    case PM_DockWidgetSeparatorExtent:
        return 3;
    case PM_DockWidgetFrameWidth:
    case PM_ToolBarFrameWidth:
    case PM_MenuBarPanelWidth:
    case PM_TabBarBaseOverlap:
    case PM_TabBarBaseHeight:
    case PM_TabBarTabShiftVertical:
        return 0;
    case PM_ToolBarItemSpacing:
        return theme().space(4);
    case PM_ToolBarItemMargin:
        return theme().space(4);
    case PM_ToolBarSeparatorExtent:
        return theme().space(12);
    case PM_TabBarTabHSpace:
        return theme().space(24);
    case PM_TabBarTabVSpace:
        return theme().space(12);
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
        return 13;
    case PM_CheckBoxLabelSpacing:
        return theme().space(6);
    case PM_TreeViewIndentation:
        return theme().space(16);
    case PM_HeaderMargin:
        return theme().space(4);
    case PM_FocusFrameHMargin:
        return theme().space(4);
    case PM_ToolTipLabelFrameWidth:
        return theme().space(6);
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
        return 0;
    case PM_ScrollView_ScrollBarSpacing:
        return 0;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int WorkbenchStyle::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                              QStyleHintReturn *returnData) const
{
    switch (hint) {
    case SH_UnderlineShortcut:
    case SH_EtchDisabledText:
    case SH_ScrollBar_ContextMenu: // says what the bar does anyway, in an event loop of its own
        return 0;
    case SH_ItemView_ShowDecorationSelected:
        return 1;
    case SH_TabBar_Alignment:
        return Qt::AlignLeft;
    case SH_ScrollBar_LeftClickAbsolutePosition:
        return 0;
    case SH_Menu_Scrollable:
        return 1;
    case SH_ComboBox_Popup:
        return 0;
    case SH_Widget_Animation_Duration:
        return 0;
    case SH_ToolTip_WakeUpDelay:
        return 400;
    case SH_ItemView_ChangeHighlightOnFocus:
        return 0;
    default:
        return QProxyStyle::styleHint(hint, option, widget, returnData);
    }
}

QSize WorkbenchStyle::sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                                       const QWidget *widget) const
{
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    switch (type) {
    case CT_PushButton:
        result.setHeight(themeSize("button"));
        result.setWidth(std::max(size.width() + 2 * theme().space(10), 2 * themeSize("button")));
        break;
    case CT_ComboBox:
        result.setHeight(themeSize("field"));
        result.setWidth(size.width() + 28);
        break;
    case CT_SpinBox:
    case CT_LineEdit:
        result.setHeight(themeSize("field"));
        break;
    case CT_ToolButton: {
        const auto *button = qstyleoption_cast<const QStyleOptionToolButton *>(option);
        const bool hasText = button && !button->text.isEmpty() && button->toolButtonStyle != Qt::ToolButtonIconOnly;
        result = size + QSize(hasText ? theme().space(12) : theme().space(8), 0);
        result.setHeight(themeSize("button"));
        if (!hasText) result.setWidth(std::max(result.width(), themeSize("button")));
        break;
    }
    case CT_TabBarTab: {
        const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option);
        const QFontMetrics metrics(theme().font(TextStyle::Strong)); // room for the current one's weight
        if (tab) result.setWidth(metrics.horizontalAdvance(tab->text) + theme().space(widget && widget->property("dense").toBool() ? 16 : 24));
        result.setHeight(themeSize("tabBar"));
        break;
    }
    case CT_HeaderSection:
        result.setHeight(themeSize("columnHeader"));
        break;
    case CT_ItemViewItem:
        result.setHeight(std::max(themeSize("row"), size.height()));
        break;
    case CT_MenuBarItem:
        result = QSize(size.width() + theme().space(16), themeSize("menuBar"));
        break;
    case CT_MenuItem:
        if (const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option);
            item && item->menuItemType != QStyleOptionMenuItem::Separator)
            result.setHeight(themeSize("button"));
        break;
    default:
        break;
    }
    return result;
}

} // namespace kernelskill
