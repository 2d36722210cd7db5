// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include "kit/confine.h"
#include "secrets/secrets.h"
#include "worker/child_group.h"

#include <QJsonDocument>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace kernelskill::process {

namespace {

constexpr qsizetype shownText = 120;     // bytes of a line that is no JSON
constexpr qsizetype lastWordsBytes = 4096;
constexpr int lastWordsLines = 5;
constexpr qsizetype lastWordsShown = 600;

} // namespace

Program::Program(Settings settings) : m_settings(std::move(settings))
{
    m_clock.setSingleShot(true);
    connect(&m_clock, &QTimer::timeout, this, [this] {
        m_late = true;
        tellMoved();
    });
    connect(&m_process, &QProcess::readyReadStandardError, this, &Program::readLog);
    connect(&m_process, &QProcess::finished, this, &Program::conclude);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) fail(QStringLiteral("could not be started: %1").arg(m_process.errorString()));
    });
}

Program::~Program()
{
    m_process.disconnect(this);
    kill();
    m_process.waitForFinished(2000);
    closeOutput();
}

void Program::start()
{
    m_process.setProgram(m_settings.program);
    m_process.setArguments(m_settings.arguments);
    m_process.setWorkingDirectory(m_settings.folder);
    m_process.setProcessEnvironment(withoutSecrets(QProcessEnvironment::systemEnvironment(), m_settings.environment));
    m_process.setStandardOutputFile(QProcess::nullDevice());
    leadsItsGroup(m_process);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return fail(QStringLiteral("could not be started: %1").arg(qt_error_string(errno)));
    m_process.setChildProcessModifier([leads = m_process.childProcessModifier(), write = ends[1]] {
        leads();
        dup2(write, STDOUT_FILENO);
    });
    m_output = ends[0];
    fcntl(m_output, F_SETFL, O_NONBLOCK);
    m_process.start();
    m_pid = m_process.processId();
    close(ends[1]);
    m_notifier = std::make_unique<QSocketNotifier>(m_output, QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &Program::readOutput);
}

void Program::closeOutput()
{
    m_notifier.reset();
    if (m_output >= 0) close(m_output);
    m_output = -1;
}

void Program::send(const QJsonObject &message)
{
    if (isRunning()) m_process.write(QJsonDocument(message).toJson(QJsonDocument::Compact) + '\n');
}

void Program::kill()
{
    killWithGroup(m_process);
    m_buffer.clear();
}

std::optional<Line> Program::takeLine()
{
    if (m_lines.isEmpty()) return std::nullopt;
    return m_lines.takeFirst();
}

void Program::beginCall()
{
    m_lines.clear();
    m_callBytes = 0;
}

QByteArray Program::takeLog()
{
    QByteArray log = std::exchange(m_log, {});
    if (!std::exchange(m_logCut, false)) return log;
    return "…\n" + log.sliced(log.indexOf('\n') + 1); // from a whole line on: half a key would not be known for one
}

QString Program::lastWords() const
{
    const QString text = secrets::redacted(QString::fromUtf8(m_logEnd)).trimmed();
    const QStringList lines = text.split(u'\n', Qt::SkipEmptyParts);
    return lines.mid(std::max<qsizetype>(0, lines.size() - lastWordsLines)).join(u'\n').right(lastWordsShown);
}

void Program::startClock(int limit_ms)
{
    m_late = false;
    m_clock.start(limit_ms);
}

int Program::stopClock()
{
    const int left_ms = std::max(1, m_clock.remainingTime());
    m_clock.stop();
    return left_ms;
}

void Program::tellMoved()
{
    QMetaObject::invokeMethod(this, &Program::moved, Qt::QueuedConnection);
}

// The first fault counts; what follows from it does not.
void Program::fail(const QString &how)
{
    if (m_fault.isEmpty()) m_fault = how;
    kill();
    tellMoved();
}

// What is there now, but not more than a program that floods us must be let to write before the event loop goes on.
void Program::readOutput()
{
    std::array<char, 65536> piece;
    for (int pieces = 0; m_output >= 0 && pieces < 16; ++pieces) {
        const ssize_t count = read(m_output, piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) break; // nothing more for now
        if (count == 0) {
            closeOutputLater();
            break;
        }
        if (!m_fault.isEmpty()) continue;
        m_buffer.append(piece.data(), count);
        m_callBytes += count;
    }
    takeLines();
}

// A program that ends closes it too; its exit status says more, and is here in a moment.
void Program::closeOutputLater()
{
    m_notifier->setEnabled(false);
    QTimer::singleShot(500, this, [this] {
        if (isRunning()) fail(QStringLiteral("closed its standard output"));
    });
}

void Program::takeLines()
{
    if (!m_fault.isEmpty()) return;
    qsizetype start = 0;
    for (qsizetype end = m_buffer.indexOf('\n'); end >= 0 && end - start <= longestLine; end = m_buffer.indexOf('\n', start)) {
        const QByteArray line = m_buffer.sliced(start, end - start).trimmed();
        start = end + 1;
        if (line.isEmpty()) continue;
        const QJsonDocument document = QJsonDocument::fromJson(line);
        m_lines.append(document.isObject() ? Line{document.object(), {}} : Line{{}, line.left(shownText)});
    }
    m_buffer.remove(0, start);
    if (m_buffer.size() > longestLine) return fail(QStringLiteral("wrote a line of more than 16 MB"));
    if (m_lines.size() > mostLines) return fail(QStringLiteral("wrote more than 100000 lines at once"));
    if (m_callBytes > longestCall) return fail(QStringLiteral("wrote more than 64 MB for one answer"));
    if (!m_lines.isEmpty()) tellMoved();
}

void Program::readLog()
{
    const QByteArray text = m_process.readAllStandardError();
    m_log.append(text.last(std::min(text.size(), longestLog)));
    m_logCut = m_logCut || m_log.size() > longestLog || text.size() > longestLog;
    m_log = m_log.last(std::min(m_log.size(), longestLog));
    m_logEnd.append(text.last(std::min(text.size(), lastWordsBytes)));
    m_logEnd = m_logEnd.last(std::min(m_logEnd.size(), lastWordsBytes));
}

void Program::conclude()
{
    readOutput();
    closeOutput();
    readLog();
    kit::killGroup(pid_t(m_pid)); // whom it has left behind
    if (m_fault.isEmpty()) {
        m_hasEnded = true;
        m_fault = m_process.exitStatus() == QProcess::CrashExit ? QStringLiteral("was ended by signal %1").arg(m_process.exitCode())
                                                                : QStringLiteral("ended with exit status %1").arg(m_process.exitCode());
    }
    tellMoved();
}

} // namespace kernelskill::process
