// SPDX-License-Identifier: Apache-2.0
#include "shell/state_label.h"

#include "settings/glyphs.h"
#include "settings/theme.h"

#include <QPainter>

namespace kernelskill {

StateLabel::StateLabel(QWidget *parent) : QWidget(parent) {}

void StateLabel::setState(std::optional<NodeState> state, const QString &text)
{
    m_state = state;
    if (text != m_text) {
        m_text = text;
        setAccessibleName(text);
        updateGeometry();
    }
    update();
}

QSize StateLabel::sizeHint() const
{
    return {theme().space(8) + (m_state ? 18 : 0) + fontMetrics().horizontalAdvance(m_text) + theme().space(8),
            themeSize("statusBar") - 4};
}

void StateLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    int x = theme().space(8);
    if (m_state) {
        glyphs::paintState(painter, QRectF(x, height() / 2.0 - 6, 12, 12), *m_state);
        x += 18;
    }
    painter.setPen(themeColor("text.primary"));
    painter.drawText(QRect(x, 0, width() - x, height()), Qt::AlignVCenter, m_text);
}

} // namespace kernelskill
