// SPDX-License-Identifier: Apache-2.0
// The person's program while it runs: lines in, lines out, what it prints on stderr, and its end. It knows no role.
#pragma once

#include "settings.h"

#include <QJsonObject>
#include <QObject>
#include <QProcess>
#include <QSocketNotifier>
#include <QTimer>

#include <memory>

namespace kernelskill::process {

inline constexpr qsizetype longestLine = 16 << 20;  // bytes; a longer line ends the program
inline constexpr qsizetype longestCall = 64 << 20;  // bytes of all lines of one call together
inline constexpr qsizetype mostLines = 100'000;     // that wait to be taken
inline constexpr qsizetype longestLog = 64 << 10;   // bytes of stderr kept, the last ones

// One line of its standard output.
struct Line
{
    QJsonObject object;
    QByteArray text; // where it is no JSON object: how it begins
};

// Lives on the thread that starts it, in a process group of its own, and dies with it. Everything is state, and `moved` says
// that some of it is new; it comes from the event loop, never from within a call.
class Program : public QObject
{
    Q_OBJECT
public:
    explicit Program(Settings settings);
    ~Program() override; // nothing of it is left

    void start();
    void send(const QJsonObject &message);
    void kill(); // with its group and all its descendants

    [[nodiscard]] bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
    // Why it cannot go on, in words: "ended with exit status 1", "wrote a line of more than 16 MB"; empty while it can.
    [[nodiscard]] const QString &fault() const { return m_fault; }
    [[nodiscard]] bool hasEnded() const { return m_hasEnded; } // by itself, not because of us
    [[nodiscard]] std::optional<Line> takeLine();
    void beginCall(); // counts the bytes of a call from here; lines of an earlier one are dropped
    [[nodiscard]] QByteArray takeLog(); // what it printed on stderr since the last time
    // The last lines it printed on stderr, for a message; empty where there were none.
    [[nodiscard]] QString lastWords() const;

    // One clock: isLate() once it has run down.
    void startClock(int limit_ms);
    [[nodiscard]] int stopClock(); // what was left of it, in ms
    [[nodiscard]] bool isLate() const { return m_late; }
    void tellMoved(); // from any thread

Q_SIGNALS:
    void moved();

private:
    void closeOutput();
    void closeOutputLater();
    void readOutput();
    void takeLines();
    void readLog();
    void fail(const QString &how);
    void conclude();

    Settings m_settings;
    QProcess m_process;
    QTimer m_clock;
    // Its standard output is a pipe of ours: QProcess does not tell when a program that goes on closes it.
    int m_output = -1;
    std::unique_ptr<QSocketNotifier> m_notifier;
    qint64 m_pid = 0;
    QByteArray m_buffer, m_log, m_logEnd; // m_logEnd outlives takeLog()
    QList<Line> m_lines;
    qsizetype m_callBytes = 0;
    bool m_logCut = false, m_late = false, m_hasEnded = false;
    QString m_fault;
};

} // namespace kernelskill::process
