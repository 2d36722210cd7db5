// SPDX-License-Identifier: Apache-2.0
// A button that opens a menu below itself.
#pragma once

#include "settings/icons.h"

#include <QMenu>
#include <QPushButton>

namespace kernelskill {

class MenuButton : public QPushButton
{
    Q_OBJECT
public:
    MenuButton(const QString &text, const QString &tip, QWidget *parent = nullptr)
        : QPushButton(themedIcon(QStringLiteral("down")), text, parent), m_menu(new QMenu(this))
    {
        setToolTip(tip);
        setAccessibleName(text);
        setAccessibleDescription(tip);
        connect(this, &QPushButton::clicked, this, [this] { m_menu->popup(mapToGlobal(QPoint(0, height()))); });
    }
    [[nodiscard]] QMenu *menu() const { return m_menu; }

private:
    QMenu *m_menu;
};

} // namespace kernelskill
