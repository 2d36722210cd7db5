// SPDX-License-Identifier: Apache-2.0
#include "worker/helper_process.h"

#include "base/delete_later.h"
#include "worker/child_group.h"

#include <QCoroSignal>

#include <QProcess>
#include <QStandardPaths>
#include <QTimer>

namespace kernelskill {

namespace {

constexpr qsizetype longestOutput = 16 << 20; // bytes of stdout, and of stderr, kept

void append(QByteArray &target, const QByteArray &text)
{
    target.append(text.first(std::clamp<qsizetype>(longestOutput - target.size(), 0, text.size())));
}

// Lives on the calling thread. Emits `ended` once, never from within start().
class HelperRun : public QObject
{
    Q_OBJECT
public:
    ~HelperRun() override
    {
        kill();
        m_process.waitForFinished(2000);
    }

    void start(const HelperCommand &command)
    {
        m_process.setProgram(command.program);
        m_process.setArguments(command.arguments);
        m_process.setProcessEnvironment(englishEnvironment());
        leadsItsGroup(m_process);
        connect(&m_process, &QProcess::readyReadStandardOutput, this, &HelperRun::read);
        connect(&m_process, &QProcess::readyReadStandardError, this, &HelperRun::read);
        connect(&m_process, &QProcess::finished, this, &HelperRun::conclude);
        connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
            if (error != QProcess::FailedToStart) return;
            fail(QStringLiteral("helper.start"),
                 QStringLiteral("%1 could not be started: %2.").arg(m_process.program(), m_process.errorString()));
            QMetaObject::invokeMethod(this, &HelperRun::ended, Qt::QueuedConnection);
        });
        m_timer.setSingleShot(true);
        connect(&m_timer, &QTimer::timeout, this, [this, limit_ms = command.wallClock_ms] {
            fail(QStringLiteral("helper.timeout"),
                 QStringLiteral("%1 did not finish within %2 s.").arg(m_process.program()).arg(limit_ms / 1000.0));
            kill();
        });
        m_timer.start(command.wallClock_ms);
        m_process.start();
        if (!command.input.isEmpty()) m_process.write(command.input);
        m_process.closeWriteChannel();
    }

    void stop()
    {
        fail(QStringLiteral("helper.stopped"), QStringLiteral("%1 was stopped.").arg(m_process.program()));
        kill();
    }

    [[nodiscard]] Result<HelperEnd> result() const
    {
        if (m_error) return std::unexpected(*m_error);
        return HelperEnd{m_exitCode, m_output, QString::fromUtf8(m_log)};
    }

Q_SIGNALS:
    void ended();

private:
    void fail(const QString &code, const QString &message)
    {
        if (!m_error) m_error = Error{code, message, QString::fromUtf8(m_log)};
    }

    void kill() { killWithGroup(m_process); }

    void read()
    {
        append(m_output, m_process.readAllStandardOutput());
        append(m_log, m_process.readAllStandardError());
    }

    void conclude()
    {
        m_timer.stop();
        read();
        m_exitCode = m_process.exitStatus() == QProcess::CrashExit ? 128 + m_process.exitCode() : m_process.exitCode();
        Q_EMIT ended();
    }

    QProcess m_process;
    QTimer m_timer;
    QByteArray m_output, m_log;
    std::optional<Error> m_error;
    int m_exitCode = 0;
};

} // namespace

QCoro::Task<Result<HelperEnd>> runHelper(HelperCommand command, std::stop_token stop)
{
    const QString program = QStandardPaths::findExecutable(command.program);
    if (program.isEmpty())
        co_return failure(QStringLiteral("helper.missing"),
                          QStringLiteral("The program %1 is not installed.").arg(command.program));
    command.program = program;
    const LaterPointer<HelperRun> run(new HelperRun);
    run->start(command);
    {
        // Any thread may ask to stop; the callback's destructor waits for a call in progress.
        const std::stop_callback onStop(
            stop, [&run] { QMetaObject::invokeMethod(run.get(), &HelperRun::stop, Qt::QueuedConnection); });
        co_await qCoro(run.get(), &HelperRun::ended);
    }
    co_return run->result();
}

} // namespace kernelskill

#include "helper_process.moc"
