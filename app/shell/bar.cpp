// SPDX-License-Identifier: Apache-2.0
#include "shell/bar.h"

#include "settings/icons.h"
#include "settings/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace kernelskill {

Bar::Bar(int height, QWidget *parent) : QWidget(parent), m_layout(new QHBoxLayout(this))
{
    setFixedHeight(height);
    m_layout->setContentsMargins(theme().space(8), 0, theme().space(6), 1);
    m_layout->setSpacing(theme().space(6));
}

QLabel *Bar::addTitle(const QString &text)
{
    auto *label = new QLabel(text);
    label->setFont(theme().font(TextStyle::Strong));
    m_layout->addWidget(label);
    return label;
}

QLabel *Bar::addText(const QString &text)
{
    auto *label = new QLabel(text);
    label->setForegroundRole(QPalette::PlaceholderText);
    m_layout->addWidget(label);
    return label;
}

QToolButton *Bar::addButton(const QString &icon, const QString &tip)
{
    auto *button = new QToolButton;
    button->setIcon(themedIcon(icon));
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setAutoRaise(true);
    m_layout->addWidget(button);
    return button;
}

void Bar::add(QWidget *widget, int stretch)
{
    m_layout->addWidget(widget, stretch);
}

void Bar::addStretch()
{
    m_layout->addStretch(1);
}

void Bar::addSpace(int pixels)
{
    m_layout->addSpacing(pixels);
}

void Bar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeColor("surface.window"));
    painter.fillRect(QRect(0, height() - 1, width(), 1), themeColor("surface.line"));
}

ElidedLabel::ElidedLabel(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void ElidedLabel::setText(const QString &text)
{
    if (text == m_text) return;
    m_text = text;
    setToolTip(text);
    setAccessibleName(text);
    updateGeometry();
    update();
}

QSize ElidedLabel::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(m_text) + 2, fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {20, fontMetrics().height()};
}

void ElidedLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setFont(font());
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_text, Qt::ElideRight, width()));
}

} // namespace kernelskill
