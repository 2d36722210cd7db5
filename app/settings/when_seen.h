// SPDX-License-Identifier: Apache-2.0
// A panel that is made anew only while it is seen: what is asked for meanwhile is done once, when it shows again.
#pragma once

#include <QEvent>
#include <QWidget>

#include <functional>

namespace kernelskill {

class WhenSeen : public QObject
{
public:
    WhenSeen(QWidget *panel, std::function<void()> refresh) : QObject(panel), m_panel(panel), m_refresh(std::move(refresh))
    {
        panel->installEventFilter(this);
    }
    void ask()
    {
        m_stale = !m_panel->isVisible();
        if (!m_stale) m_refresh();
    }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Show && m_stale) {
            m_stale = false;
            m_refresh();
        }
        return QObject::eventFilter(watched, event);
    }

private:
    QWidget *m_panel;
    std::function<void()> m_refresh;
    bool m_stale = true;
};

} // namespace kernelskill
