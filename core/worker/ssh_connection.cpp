// SPDX-License-Identifier: Apache-2.0
#include "worker/ssh_connection.h"

#include "worker/child_group.h"
#include "worker/ssh_failure.h"

#include <QCoroSignal>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTimer>

namespace kernelskill {

namespace {

constexpr int sshFailed = 255; // exit status of the client when it, not the command, failed
constexpr int connecting_ms = 30'000;

// Short, since a socket's path may have 107 bytes and the client adds a suffix of 17.
std::unique_ptr<QTemporaryDir> socketFolder()
{
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9/._-]{1,60}$"));
    for (const QString &base : {qEnvironmentVariable("XDG_RUNTIME_DIR"), QDir::tempPath(), QStringLiteral("/tmp")}) {
        if (!plain.match(base).hasMatch()) continue;
        auto folder = std::make_unique<QTemporaryDir>(base + QStringLiteral("/kernelskill-ssh-XXXXXX"));
        if (folder->isValid()) return folder;
    }
    return nullptr;
}

const QString socketName = QStringLiteral("c");

Error withoutSsh()
{
    return {
        QStringLiteral("worker.refused"),
        QStringLiteral("Other machines are reached through OpenSSH, and the program ssh is not installed here. Install "
                       "the package openssh-client."),
        {}};
}

} // namespace

QString shellQuoted(const QString &word)
{
    QString inner = word;
    return u'\'' + inner.replace(u'\'', QLatin1String("'\\''")) + u'\'';
}

QString shellQuoted(const QStringList &words)
{
    QStringList quoted;
    for (const QString &word : words)
        quoted.append(shellQuoted(word));
    return quoted.join(u' ');
}

// The client whose connection the others share. It runs a command there that says it is connected and then waits for
// the end of its input, so that it ends with us however we end.
class SshMaster : public QObject
{
    Q_OBJECT
public:
    ~SshMaster() override
    {
        m_process.disconnect(this);
        kill();
        m_process.waitForFinished(2000);
    }

    void start(const QStringList &arguments)
    {
        leadsItsGroup(m_process);
        m_process.setProcessEnvironment(englishEnvironment());
        connect(&m_process, &QProcess::readyReadStandardOutput, this, [this] {
            m_output += m_process.readAllStandardOutput();
            if (m_output.contains(ready)) decide(true);
        });
        connect(&m_process, &QProcess::finished, this, [this] {
            m_connected = false;
            decide(false);
        });
        connect(&m_process, &QProcess::errorOccurred, this, [this] { decide(false); }, Qt::QueuedConnection);
        QTimer::singleShot(connecting_ms, this, [this] {
            if (!m_decided) kill();
        });
        m_process.start(QStringLiteral("ssh"), arguments);
    }
    void giveUp()
    {
        m_givenUp = true;
        if (!m_decided) kill();
    }
    [[nodiscard]] bool wasGivenUp() const { return m_givenUp; }
    [[nodiscard]] bool isDecided() const { return m_decided; }
    [[nodiscard]] bool isConnected() const { return m_connected; }
    [[nodiscard]] bool couldStart() const { return m_process.error() != QProcess::FailedToStart; }
    [[nodiscard]] QString log() { return QString::fromUtf8(m_process.readAllStandardError()); }

    static constexpr const char *ready = "kernelskill: connected";

Q_SIGNALS:
    void decided();

private:
    void decide(bool connected)
    {
        if (m_decided) return;
        m_decided = true;
        m_connected = connected;
        Q_EMIT decided();
    }
    void kill() { killWithGroup(m_process); }

    QProcess m_process;
    QByteArray m_output;
    bool m_decided = false, m_connected = false, m_givenUp = false;
};

SshConnection::SshConnection(HostAddress host, bool shared)
    : m_host(std::move(host)), m_folder(shared ? socketFolder() : nullptr)
{
}

SshConnection::~SshConnection() = default;

QStringList SshConnection::options() const
{
    QStringList words{QStringLiteral("-T"), QStringLiteral("-x"), QStringLiteral("-a")};
    if (!m_host.configuration.isEmpty()) words << QStringLiteral("-F") << m_host.configuration;
    if (!m_host.identity.isEmpty())
        words << QStringLiteral("-i") << m_host.identity << QStringLiteral("-o")
              << QStringLiteral("IdentitiesOnly=yes");
    if (m_host.port > 0) words << QStringLiteral("-p") << QString::number(m_host.port);
    for (const char *option : {"BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=10", "ServerAliveCountMax=3",
                               "ClearAllForwardings=yes", "PermitLocalCommand=no", "EscapeChar=none"})
        words << QStringLiteral("-o") << QString::fromLatin1(option);
    const QString socket = m_folder ? m_folder->filePath(socketName) : QStringLiteral("none");
    return words << QStringLiteral("-o") << QStringLiteral("ControlPath=") + socket;
}

QStringList SshConnection::arguments(const QString &script) const
{
    // Whatever shell the account has, sh runs the script.
    return options() + QStringList{QStringLiteral("-o"), QStringLiteral("ControlMaster=no"), QStringLiteral("--"),
                                   m_host.destination(), QStringLiteral("exec sh -c ") + shellQuoted(script)};
}

QCoro::Task<Result<void>> SshConnection::open(std::stop_token stop)
{
    // While another task is connecting, this one's commands connect by themselves.
    if (!m_folder || (m_master && (!m_master->isDecided() || m_master->isConnected()))) co_return Result<void>{};
    if (m_master) m_master.release()->deleteLater();
    QFile::remove(m_folder->filePath(socketName)); // of a client that was killed
    m_master = std::make_unique<SshMaster>();
    const QString script = QStringLiteral("echo '%1'; exec cat >/dev/null").arg(QLatin1String(SshMaster::ready));
    m_master->start(options() + QStringList{QStringLiteral("-o"), QStringLiteral("ControlMaster=yes"),
                                            QStringLiteral("-o"), QStringLiteral("ControlPersist=no"),
                                            QStringLiteral("--"), m_host.destination(),
                                            QStringLiteral("exec sh -c ") + shellQuoted(script)});
    {
        const std::stop_callback onStop(
            stop, [this] { QMetaObject::invokeMethod(m_master.get(), &SshMaster::giveUp, Qt::QueuedConnection); });
        co_await qCoro(m_master.get(), &SshMaster::decided);
    }
    if (m_master->isConnected()) co_return Result<void>{};
    const Error error = m_master->couldStart() ? explainSshFailure(m_host, m_master->log()) : withoutSsh();
    const bool stopped = m_master->wasGivenUp();
    m_master.release()->deleteLater(); // it may be in the middle of its signal
    if (stopped) co_return failure(QStringLiteral("worker.stopped"), QStringLiteral("Connecting was stopped."));
    if (error.code != QLatin1String("worker.connection")) co_return std::unexpected(error);
    // Sharing itself may be what does not work here: then each command connects anew, and fails by itself if it must.
    m_folder.reset();
    co_return Result<void>{};
}

QCoro::Task<Result<HelperEnd>> SshConnection::judged(HelperCommand command, std::stop_token stop)
{
    const auto end = co_await runHelper(std::move(command), stop);
    if (!end) {
        Error error = end.error();
        if (error.code == QLatin1String("helper.missing"))
            error = withoutSsh();
        else if (error.code == QLatin1String("helper.timeout"))
            error = explainSshFailure(m_host, error.detail + QStringLiteral("\nno answer in time"));
        else if (error.code == QLatin1String("helper.stopped"))
            error.code = QStringLiteral("worker.stopped");
        co_return std::unexpected(error);
    }
    if (end->exitCode == sshFailed) co_return std::unexpected(explainSshFailure(m_host, end->log));
    co_return *end;
}

QCoro::Task<Result<HelperEnd>> SshConnection::run(QString script, QByteArray input, int wallClock_ms,
                                                  std::stop_token stop)
{
    return judged({QStringLiteral("ssh"), arguments(script), std::move(input), wallClock_ms}, std::move(stop));
}

QCoro::Task<Result<HelperEnd>> SshConnection::feed(QStringList producer, QString script, int wallClock_ms,
                                                   std::stop_token stop)
{
    const QString line = shellQuoted(producer) + QStringLiteral(" | ") +
                         shellQuoted(QStringList{QStringLiteral("ssh")} + arguments(script));
    return judged({QStringLiteral("sh"), {QStringLiteral("-c"), line}, {}, wallClock_ms}, std::move(stop));
}

QCoro::Task<Result<HelperEnd>> SshConnection::drain(QString script, QStringList consumer, int wallClock_ms,
                                                    std::stop_token stop)
{
    // A pipe's exit status is the consumer's; ssh's own failure is told by a status no consumer gives.
    const QString line =
        QStringLiteral("{ %1; [ $? -ne 255 ] || echo 'kernelskill: ssh failed' >&2; } | %2")
            .arg(shellQuoted(QStringList{QStringLiteral("ssh")} + arguments(script)), shellQuoted(consumer));
    const auto end = co_await judged({QStringLiteral("sh"), {QStringLiteral("-c"), line}, {}, wallClock_ms}, stop);
    if (end && end->log.contains(QLatin1String("kernelskill: ssh failed")))
        co_return std::unexpected(explainSshFailure(m_host, end->log));
    co_return end;
}

} // namespace kernelskill

#include "ssh_connection.moc"
