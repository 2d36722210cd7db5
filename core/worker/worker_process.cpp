// SPDX-License-Identifier: Apache-2.0
#include "worker/worker_process.h"

#include "base/delete_later.h"
#include "worker/child_group.h"

#include <QCoroSignal>

#include <QFileInfo>
#include <QJsonDocument>
#include <QProcess>
#include <QTimer>

#include <chrono>

namespace kernelskill {

namespace {

constexpr qsizetype longestLine = 64 << 20; // bytes; a message that is longer is a fault
constexpr qsizetype longestLog = 1 << 20;   // bytes of stderr kept
constexpr std::chrono::seconds graceAfterDone{5};

QString lastLines(const QByteArray &log)
{
    return QString::fromUtf8(log.last(std::min<qsizetype>(log.size(), 4000)));
}

// Lives on the calling thread. Emits `ended` once, when the process and its whole group are gone.
class WorkerRun : public QObject
{
    Q_OBJECT
public:
    explicit WorkerRun(std::function<void(const QJsonObject &)> message) : m_message(std::move(message)) {}
    ~WorkerRun() override
    {
        // Normally long gone; a coroutine that is torn down early must leave nothing either.
        kill();
        m_process.waitForFinished(2000);
    }

    void start(const WorkerCommand &command)
    {
        m_command = command;
        m_process.setProgram(command.program);
        m_process.setArguments(command.arguments);
        leadsItsGroup(m_process);
        connect(&m_process, &QProcess::readyReadStandardOutput, this, &WorkerRun::readMessages);
        connect(&m_process, &QProcess::readyReadStandardError, this, &WorkerRun::readLog);
        connect(&m_process, &QProcess::finished, this, &WorkerRun::conclude);
        connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
            if (error != QProcess::FailedToStart) return;
            fail(QStringLiteral("worker.start"), QStringLiteral("%1 could not be started: %2.").arg(m_command.program, m_process.errorString()));
            // Not from within start(): the caller is not listening yet.
            QMetaObject::invokeMethod(this, &WorkerRun::ended, Qt::QueuedConnection);
        });
        connect(&m_timer, &QTimer::timeout, this, &WorkerRun::timeOut);
        m_timer.setSingleShot(true);
        startClock(command.wallClock_ms);
        m_process.start();
        m_process.write(QJsonDocument(command.request).toJson(QJsonDocument::Compact) + '\n');
        if (!command.holdInput) return m_process.closeWriteChannel();
        if (command.heartbeat_ms > 0) {
            connect(&m_heart, &QTimer::timeout, this, [this] { m_process.write("\n"); });
            m_heart.start(command.heartbeat_ms);
        }
    }

    void stop()
    {
        fail(QStringLiteral("worker.stopped"), QStringLiteral("The worker was stopped."));
        kill();
    }

    [[nodiscard]] Result<WorkerEnd> result() const
    {
        if (m_error) return std::unexpected(*m_error);
        return WorkerEnd{m_last, QString::fromUtf8(m_log)};
    }

Q_SIGNALS:
    void ended();

private:
    // The first fault counts; what follows from it does not.
    void fail(const QString &code, const QString &message)
    {
        if (!m_error && !m_done) m_error = Error{code, message, lastLines(m_log)};
    }

    void kill() { killWithGroup(m_process); }

    void startClock(int limit_ms)
    {
        m_limit_ms = limit_ms;
        m_timer.start(limit_ms);
    }

    void timeOut()
    {
        const QString what = m_stage.isEmpty() || m_command.stageClock_ms.isEmpty() ? QStringLiteral("finish") : QStringLiteral("finish ") + m_stage;
        fail(QStringLiteral("worker.timeout"),
             QStringLiteral("%1 did not %2 within %3 s.").arg(name(), what).arg(m_limit_ms / 1000.0));
        kill();
    }

    [[nodiscard]] QString name() const
    {
        return m_command.title.isEmpty() ? QFileInfo(m_command.program).fileName() : m_command.title;
    }

    void follow(const QJsonObject &message)
    {
        const QString stage = message.value(u"stage").toString();
        if (stage.isEmpty() || stage == m_stage) return;
        m_stage = stage;
        if (!m_command.stageClock_ms.isEmpty()) startClock(m_command.stageClock_ms.value(stage, m_command.wallClock_ms));
    }

    void readLog() { log(m_process.readAllStandardError()); }

    void log(const QByteArray &text)
    {
        m_log.append(text.first(std::clamp<qsizetype>(longestLog - m_log.size(), 0, text.size())));
    }

    void readMessages()
    {
        m_buffer.append(m_process.readAllStandardOutput());
        qsizetype start = 0;
        for (qsizetype end = m_buffer.indexOf('\n'); end >= 0 && !m_error; end = m_buffer.indexOf('\n', start)) {
            takeLine(m_buffer.sliced(start, end - start));
            start = end + 1;
        }
        m_buffer.remove(0, start);
        if (m_buffer.size() > longestLine) refuse(QStringLiteral("a line of more than 64 MiB"));
    }

    void refuse(const QString &what)
    {
        fail(QStringLiteral("worker.protocol"), QStringLiteral("%1 broke the protocol: %2.").arg(name(), what));
        kill();
    }

    void takeLine(const QByteArray &line)
    {
        if (line.trimmed().isEmpty()) return;
        if (m_done) return refuse(QStringLiteral("a message after the last one"));
        QJsonParseError error;
        const QJsonDocument document = QJsonDocument::fromJson(line, &error);
        if (!document.isObject() && m_command.mayPrintFirst && !m_greeted) return log(line + '\n');
        if (!document.isObject())
            return refuse(QStringLiteral("expected one JSON object a line, found \"%1\"").arg(QString::fromUtf8(line.left(120))));
        const QJsonObject object = document.object();
        if (!m_greeted) return greet(object);
        if (!object.value(u"done").toBool()) {
            follow(object);
            return m_message(object);
        }
        m_done = true;
        m_last = object;
        m_timer.start(graceAfterDone);
    }

    void greet(const QJsonObject &hello)
    {
        const int version = hello.value(u"protocol").toInt(-1);
        if (!hello.value(u"hello").isString() || version != workerProtocolVersion)
            return refuse(QStringLiteral("expected a hello with protocol %1, found %2; reinstall so that both are of one version")
                              .arg(workerProtocolVersion)
                              .arg(QString::fromUtf8(QJsonDocument(hello).toJson(QJsonDocument::Compact).left(120))));
        m_greeted = true;
        if (m_command.greeted) m_command.greeted(hello);
    }

    void conclude()
    {
        m_timer.stop();
        m_heart.stop();
        readMessages();
        readLog();
        if (!m_done) {
            const QString how = m_process.exitStatus() == QProcess::CrashExit
                ? QStringLiteral("died by signal %1").arg(m_process.exitCode())
                : QStringLiteral("ended with exit status %1").arg(m_process.exitCode());
            fail(QStringLiteral("worker.died"), QStringLiteral("%1 %2 before it had finished.").arg(name(), how));
        }
        Q_EMIT ended();
    }

    WorkerCommand m_command;
    std::function<void(const QJsonObject &)> m_message;
    QProcess m_process;
    QTimer m_timer, m_heart;
    int m_limit_ms = 0;
    QString m_stage;
    QByteArray m_buffer, m_log;
    std::optional<Error> m_error;
    QJsonObject m_last;
    bool m_greeted = false, m_done = false;
};

} // namespace

QCoro::Task<Result<WorkerEnd>> runWorker(WorkerCommand command, std::function<void(const QJsonObject &)> message,
                                         std::stop_token stop)
{
    const LaterPointer<WorkerRun> run(new WorkerRun(message ? std::move(message) : [](const QJsonObject &) {}));
    run->start(command);
    {
        // Any thread may ask to stop; the callback's destructor waits for a call in progress.
        const std::stop_callback onStop(stop, [&run] { QMetaObject::invokeMethod(run.get(), &WorkerRun::stop, Qt::QueuedConnection); });
        co_await qCoro(run.get(), &WorkerRun::ended);
    }
    co_return run->result();
}

} // namespace kernelskill

#include "worker_process.moc"
