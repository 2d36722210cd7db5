// SPDX-License-Identifier: Apache-2.0
// Puts the agents' questions to the person at the terminal: the question on stderr, the answer from stdin, a line at a time.
// The end of stdin declines whatever is asked, so that nothing waits for ever.
#pragma once

#include "agent/question.h"

#include <QByteArray>
#include <QObject>
#include <QQueue>

class QSocketNotifier;

namespace kernelskill::cli {

class TerminalQuestions : public QObject
{
    Q_OBJECT
public:
    TerminalQuestions();

    [[nodiscard]] AskFunction function();
    void decline(); // what is being asked now: the run is to stop

Q_SIGNALS:
    void somethingRead();

private:
    QCoro::Task<Result<Answer>> ask(Question question);
    QCoro::Task<Answer> askForCode(Question question);
    QCoro::Task<Answer> askAtPlan(Question question);
    QCoro::Task<QString> word(QString what, QStringList words);
    QCoro::Task<std::optional<QString>> line(); // nothing: declined, or the end
    void listen();
    void read();

    QSocketNotifier *m_notifier = nullptr;
    QByteArray m_buffer;
    QQueue<QString> m_lines;
    bool m_ended = false, m_declined = false;
};

} // namespace kernelskill::cli
