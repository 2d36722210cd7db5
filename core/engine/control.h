// SPDX-License-Identifier: Apache-2.0
// A person's hand on a run: pause, step, stop, and what to do besides.
#pragma once

#include "engine/proposal.h"

#include <QCoroTask>
#include <QList>
#include <QObject>

#include <optional>
#include <stop_token>

namespace kernelskill {

class Control : public QObject
{
    Q_OBJECT
public:
    void pause();
    void unpause();
    void stepOnce(); // go on to the next place where the run waits
    void stop();     // for good; wakes a waiting run
    void propose(Proposal proposal); // taken between two rounds; wakes a run that waits there

    [[nodiscard]] bool wantsPause() const { return m_paused; }
    [[nodiscard]] bool isStopped() const { return m_stop.stop_requested(); }
    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }
    void requestPause() { m_paused = true; }
    [[nodiscard]] bool hasProposals() const { return !m_proposals.isEmpty(); }
    [[nodiscard]] std::optional<Proposal> takeProposal();
    // Returns when the person lets the run go on, stops it or, between two rounds, has proposed something.
    enum class Place { WithinRound, BetweenRounds };
    QCoro::Task<void> waitForPerson(Place place);

Q_SIGNALS:
    void released();

private:
    bool m_paused = false;
    bool m_stepping = false; // pause again at the next place
    QList<Proposal> m_proposals;
    std::stop_source m_stop;
};

} // namespace kernelskill
