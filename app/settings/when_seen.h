// SPDX-License-Identifier: Apache-2.0
// A panel that is made anew only while it is seen: what is asked for meanwhile is done once, when it shows again. Each in a
// turn of the event loop of its own, however many times it was asked: many panels follow one selection.
#pragma once

#include <QEvent>
#include <QTimer>
#include <QWidget>

#include <functional>

namespace kernelskill {

class WhenSeen : public QObject
{
public:
    WhenSeen(QWidget *panel, std::function<void()> refresh) : QObject(panel), m_panel(panel), m_refresh(std::move(refresh))
    {
        panel->installEventFilter(this);
        m_turn.setSingleShot(true);
        connect(&m_turn, &QTimer::timeout, this, [this] {
            if (m_panel->isVisible()) refreshNow();
        });
    }
    void ask()
    {
        m_stale = true;
        if (m_panel->isVisible()) m_turn.start(0);
    }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Show && m_stale) refreshNow();
        return QObject::eventFilter(watched, event);
    }

private:
    void refreshNow()
    {
        m_stale = false;
        m_refresh();
    }

    QTimer m_turn;
    QWidget *m_panel;
    std::function<void()> m_refresh;
    bool m_stale = true;
};

} // namespace kernelskill
