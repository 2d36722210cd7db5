// SPDX-License-Identifier: Apache-2.0
// A context menu that nobody waits for: shown by QMenu::popup(), gone when it closes. QMenu::exec() would run an event loop in
// the middle of an event, and never return where the menu was closed while it opened.
#pragma once

#include <QMenu>

namespace kernelskill {

[[nodiscard]] inline QMenu *newPopupMenu(QWidget *parent)
{
    auto *menu = new QMenu(parent);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    return menu;
}

// An empty one is not shown.
inline void popUp(QMenu *menu, const QPoint &globalPosition)
{
    if (menu->isEmpty())
        menu->deleteLater();
    else
        menu->popup(globalPosition);
}

} // namespace kernelskill
