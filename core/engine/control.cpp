// SPDX-License-Identifier: Apache-2.0
#include "engine/control.h"

#include <QCoroSignal>

namespace kernelskill {

void Control::pause()
{
    m_paused = true;
}

void Control::unpause()
{
    m_paused = m_stepping = false;
    Q_EMIT released();
}

void Control::stepOnce()
{
    m_paused = false;
    m_stepping = true;
    Q_EMIT released();
}

void Control::stop()
{
    m_stop.request_stop();
    Q_EMIT released();
}

QCoro::Task<void> Control::waitForPerson()
{
    while (m_paused && !isStopped())
        co_await qCoro(this, &Control::released);
    // One step: the pause holds again at the next place.
    if (m_stepping) {
        m_stepping = false;
        m_paused = true;
    }
}

} // namespace kernelskill
