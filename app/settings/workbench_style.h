// SPDX-License-Identifier: Apache-2.0
// The look of controls: Fusion's behaviour with flat 1 px outlines. All values come from the theme.
#pragma once

#include <QProxyStyle>

namespace kernelskill {

// Dynamic properties that the style reads:
//   "segment" (QToolButton)  "first"|"middle"|"last": one of a joined row; the checked one is filled with the accent
//   "header"  (QTabBar)      true: page tabs with the accent line above the current one
class WorkbenchStyle : public QProxyStyle
{
    Q_OBJECT
public:
    WorkbenchStyle();

    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
    void drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                     const QWidget *widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                            const QWidget *widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const override;
    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                  QStyleHintReturn *returnData) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                           const QWidget *widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex *option, SubControl part,
                         const QWidget *widget) const override;
    QRect subElementRect(SubElement element, const QStyleOption *option, const QWidget *widget) const override;

private:
    void drawCheckBox(const QStyleOption *option, QPainter *painter) const;
    void drawScrollBar(const QStyleOptionComplex *option, QPainter *painter, const QWidget *widget) const;
    void drawSpinBox(const QStyleOptionComplex *option, QPainter *painter, const QWidget *widget) const;
    void drawComboBox(const QStyleOptionComplex *option, QPainter *painter) const;
    void drawToolButtonPanel(const QStyleOption *option, QPainter *painter, const QWidget *widget) const;
    void drawTab(const QStyleOption *option, QPainter *painter) const;
    void drawHeaderSection(const QStyleOption *option, QPainter *painter) const;
    void drawProgressBar(const QStyleOption *option, QPainter *painter) const;
    void drawMenuItem(const QStyleOption *option, QPainter *painter, const QWidget *widget) const;
};

// A 2 px ring in the focus colour, 1 px off `control`.
void paintFocusRing(QPainter &painter, const QRectF &control);

} // namespace kernelskill
