// SPDX-License-Identifier: Apache-2.0
// An event loop around kit/confine.h, which does the work.
#include "worker/sandbox.h"

#include "base/delete_later.h"
#include "base/logging.h"
#include "kit/confine.h"

#include <QCoroSignal>

#include <QObject>
#include <QSocketNotifier>
#include <QTimer>

#include <chrono>
#include <csignal>
#include <cstring>
#include <string>

namespace kernelskill {

namespace {

std::vector<std::string> toStandard(const QStringList &texts)
{
    std::vector<std::string> result;
    for (const QString &text : texts) result.push_back(text.toStdString());
    return result;
}

kit::ConfineCommand toKit(const SandboxCommand &command)
{
    kit::ConfineCommand result;
    result.program = command.program.toStdString();
    result.arguments = toStandard(command.arguments);
    result.workingFolder = command.workingFolder.toStdString();
    result.readable = toStandard(command.readable);
    result.writable = toStandard(command.writable);
    for (auto it = command.environment.cbegin(); it != command.environment.cend(); ++it)
        result.environment.emplace_back(it.key().toStdString(), it.value().toStdString());
    result.standardInput = command.standardInput.toStdString();
    const SandboxLimits &limits = command.limits;
    result.limits.wallClock_ms = limits.wallClock_ms;
    result.limits.cpu_s = limits.cpu_s;
    result.limits.memoryBytes = limits.memoryBytes;
    result.limits.fileBytes = limits.fileBytes;
    result.limits.outputBytes = limits.outputBytes;
    result.limits.processes = limits.processes;
    result.allowProcesses = command.allowProcesses;
    for (const auto &[ours, theirs] : command.descriptors) result.descriptors.emplace_back(ours, theirs);
    result.unconfined = command.unconfined;
    return result;
}

SandboxResult::End toEnd(kit::ConfinedEnd::Kind kind)
{
    switch (kind) {
    case kit::ConfinedEnd::Kind::Exited: return SandboxResult::End::Exited;
    case kit::ConfinedEnd::Kind::Signalled: return SandboxResult::End::Signalled;
    case kit::ConfinedEnd::Kind::TimedOut: return SandboxResult::End::TimedOut;
    case kit::ConfinedEnd::Kind::OutOfMemory: return SandboxResult::End::OutOfMemory;
    case kit::ConfinedEnd::Kind::Stopped: break;
    }
    return SandboxResult::End::Stopped;
}

SandboxResult toResult(const kit::ConfinedEnd &end)
{
    SandboxResult result;
    result.end = toEnd(end.kind);
    result.exitCode = end.exitCode;
    result.signal = end.signal;
    result.standardOutput = QByteArray::fromStdString(end.standardOutput);
    result.standardError = QByteArray::fromStdString(end.standardError);
    result.outputTruncated = end.outputTruncated;
    result.wall_ms = end.wall_ms;
    result.refusedCall = QString::fromStdString(end.refusedCall);
    return result;
}

Error startError(const SandboxCommand &command, const std::string &reason)
{
    const QString message = QStringLiteral("%1 could not be started: %2.").arg(command.program, QString::fromStdString(reason));
    if (!command.unconfined) {
        const SandboxSupport support = sandboxSupport();
        if (!support.available)
            return {QStringLiteral("sandbox.unavailable"), QStringLiteral("%1. %2").arg(support.reason, support.remedy), message};
    }
    return {QStringLiteral("sandbox.start"), message, {}};
}

// Lives on the thread that runs the sandbox. Emits `ended` once, never from within start().
class SandboxRun : public QObject
{
    Q_OBJECT
public:
    bool start(const SandboxCommand &command, std::string &error)
    {
        if (!m_child.start(toKit(command), error)) return false;
        watch(m_child.outputDescriptor(), [this] { m_child.readOutput(); });
        watch(m_child.errorDescriptor(), [this] { m_child.readError(); });
        watch(m_child.exitDescriptor(), [] {});
        connect(&m_timer, &QTimer::timeout, this, [this] {
            m_child.checkLimits();
            look();
        });
        m_timer.start(kit::limitsInterval);
        return true;
    }
    void stop()
    {
        m_child.stop();
        look();
    }
    [[nodiscard]] const kit::ConfinedEnd &end() const { return m_child.end(); }

Q_SIGNALS:
    void ended();

private:
    template <class Action> void watch(int descriptor, Action action)
    {
        if (descriptor < 0) return;
        auto *notifier = new QSocketNotifier(descriptor, QSocketNotifier::Read, this);
        connect(notifier, &QSocketNotifier::activated, this, [this, notifier, action] {
            action();
            // At its end a descriptor stays readable for ever, and so does the exit descriptor.
            const int watched = int(notifier->socket());
            if (watched != m_child.outputDescriptor() && watched != m_child.errorDescriptor()) {
                notifier->setEnabled(false);
                m_timer.setInterval(std::chrono::milliseconds(5));
            }
            look();
        });
    }
    void look()
    {
        if (m_ended || !m_child.finished()) return;
        m_ended = true;
        m_timer.stop();
        for (QSocketNotifier *notifier : findChildren<QSocketNotifier *>()) notifier->setEnabled(false);
        Q_EMIT ended();
    }

    kit::ConfinedChild m_child;
    QTimer m_timer;
    bool m_ended = false;
};

QString signalName(int number)
{
    const char *abbreviation = sigabbrev_np(number);
    return abbreviation ? QStringLiteral("SIG") + QString::fromLatin1(abbreviation) : QStringLiteral("unknown signal");
}

} // namespace

QString SandboxResult::describe() const
{
    switch (end) {
    case End::Exited: return QStringLiteral("exit status %1").arg(exitCode);
    case End::TimedOut: return QStringLiteral("killed after %1 s").arg(wall_ms / 1000, 0, 'g', 3);
    case End::OutOfMemory: return QStringLiteral("killed because it used too much memory");
    case End::Stopped: return QStringLiteral("stopped");
    case End::Signalled: break;
    }
    if (refusedCall == u"unknown")
        return QStringLiteral("ended because it made a refused system call, such as one that starts a process");
    if (!refusedCall.isEmpty()) return QStringLiteral("ended because it made the refused system call %1").arg(refusedCall);
    return QStringLiteral("signal %1 (%2)").arg(signal).arg(signalName(signal));
}

SandboxSupport sandboxSupport()
{
    const kit::ConfineSupport &support = kit::confineSupport();
    return {support.available, QString::fromStdString(support.reason), QString::fromStdString(support.remedy)};
}

Result<void> requireSandbox(const QString &what)
{
    const SandboxSupport support = sandboxSupport();
    if (support.available) return {};
    return failure(QStringLiteral("sandbox.unavailable"),
                   QStringLiteral("%1 cannot be confined here: %2 %3").arg(what, support.reason, support.remedy));
}

QCoro::Task<Result<SandboxResult>> runSandboxed(SandboxCommand command, std::stop_token stop)
{
    const LaterPointer<SandboxRun> run(new SandboxRun);
    std::string error;
    if (!run->start(command, error)) co_return std::unexpected(startError(command, error));
    {
        // Any thread may ask to stop; the child is touched on this one only. The callback's destructor waits for a call
        // in progress, so `run` outlives every call.
        const std::stop_callback onStop(stop, [&run] { QMetaObject::invokeMethod(run.get(), &SandboxRun::stop, Qt::QueuedConnection); });
        co_await qCoro(run.get(), &SandboxRun::ended);
    }
    const kit::ConfinedEnd &end = run->end();
    if (!end.startError.empty()) co_return std::unexpected(startError(command, end.startError));
    qCDebug(logWorker) << command.program << command.arguments << toResult(end).describe();
    co_return toResult(end);
}

QStringList sandboxArguments(const SandboxCommand &command)
{
    QStringList result;
    for (const std::string &argument : kit::confineArguments(toKit(command))) result.append(QString::fromStdString(argument));
    return result;
}

} // namespace kernelskill

#include "sandbox.moc"
