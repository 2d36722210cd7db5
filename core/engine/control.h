// SPDX-License-Identifier: Apache-2.0
// A person's hand on a run: pause, step, stop.
#pragma once

#include <QCoroTask>
#include <QObject>

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

    [[nodiscard]] bool wantsPause() const { return m_paused; }
    [[nodiscard]] bool isStopped() const { return m_stop.stop_requested(); }
    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }
    void requestPause() { m_paused = true; }
    // Returns when the person lets the run go on, or stops it.
    QCoro::Task<void> waitForPerson();

Q_SIGNALS:
    void released();

private:
    bool m_paused = false;
    bool m_stepping = false; // pause again at the next place
    std::stop_source m_stop;
};

} // namespace kernelskill
