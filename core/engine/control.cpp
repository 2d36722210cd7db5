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

void Control::propose(Proposal proposal)
{
    m_proposals.append(std::move(proposal));
    Q_EMIT released();
}

std::optional<Proposal> Control::takeProposal()
{
    return m_proposals.isEmpty() ? std::nullopt : std::optional(m_proposals.takeFirst());
}

QCoro::Task<void> Control::waitForPerson(Place place)
{
    while (m_paused && !isStopped() && !(place == Place::BetweenRounds && hasProposals()))
        co_await qCoro(this, &Control::released);
    // One step: the pause holds again at the next place.
    if (m_stepping) {
        m_stepping = false;
        m_paused = true;
    }
}

} // namespace kernelskill
