// SPDX-License-Identifier: Apache-2.0
#include "ssh_server.h"

#include "kit/confine.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>

#include <arpa/inet.h>
#include <csignal>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kernelskill::test {

namespace {

bool run(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.start(program, arguments);
    return process.waitForFinished(30'000) && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
}

bool write(const QString &path, const QByteArray &text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

QByteArray read(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

int freePort()
{
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    const bool bound = bind(descriptor, generic, size) == 0 && getsockname(descriptor, generic, &size) == 0;
    close(descriptor);
    return bound ? ntohs(address.sin_port) : 0;
}

} // namespace

SshServer::SshServer()
    : m_sshd(QStandardPaths::findExecutable(QStringLiteral("sshd"),
                                            {QStringLiteral("/usr/sbin"), QStringLiteral("/usr/local/sbin")}))
{
    m_installed = !m_sshd.isEmpty() && !QStandardPaths::findExecutable(QStringLiteral("ssh")).isEmpty();
    if (!m_installed)
        m_trouble =
            QStringLiteral("OpenSSH's server or client is not installed (packages openssh-server, openssh-client)");
    else if (m_port = freePort(); m_port == 0 || !makeKeys() || !writeFiles())
        m_trouble = QStringLiteral("the server's files could not be made in %1").arg(m_folder.path());
    else if (!start())
        m_trouble = QStringLiteral("sshd does not run: %1").arg(QString::fromUtf8(m_server.readAll()));
}

SshServer::~SshServer()
{
    // The listener's sessions are its children; killTree ends them with it.
    if (m_server.state() != QProcess::NotRunning) kit::killTree(pid_t(m_server.processId()));
    m_server.waitForFinished(5000);
    for (const qint64 client : clients())
        ::kill(pid_t(client), SIGKILL);
}

bool SshServer::makeKeys()
{
    for (const char *name : {"host", "key", "noisy", "stranger"}) {
        if (!run(QStringLiteral("ssh-keygen"),
                 {QStringLiteral("-q"), QStringLiteral("-t"), QStringLiteral("ed25519"), QStringLiteral("-N"),
                  QString(), QStringLiteral("-f"), path(QString::fromLatin1(name))}))
            return false;
    }
    return true;
}

bool SshServer::writeFiles()
{
    const QByteArray folder = m_folder.path().toUtf8(), port = QByteArray::number(m_port);
    const QByteArray server = "Port " + port + "\nListenAddress 127.0.0.1\nHostKey " + folder +
                              "/host\nAuthorizedKeysFile " + folder +
                              "/authorized\nPidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
                              "KbdInteractiveAuthentication no\nPermitRootLogin yes\n"
                              // What the user's own shell does at login is none of a test's business.
                              "SetEnv HOME=" +
                              folder + "/home XDG_CACHE_HOME=" + cache().toUtf8() + "\n";
    const QByteArray noisy = "command=\"echo Welcome to this machine; eval \\\"$SSH_ORIGINAL_COMMAND\\\"\" ";
    const QByteArray client =
        "StrictHostKeyChecking yes\nGlobalKnownHostsFile none\nIdentitiesOnly yes\nIdentityAgent none\n";
    const QByteArray hostKey = read(path(QStringLiteral("host.pub"))).split(' ').mid(0, 2).join(' ');
    QByteArray passwd = read(QStringLiteral("/etc/passwd"));
    return QDir().mkpath(cache()) && QDir().mkpath(path(QStringLiteral("home"))) &&
           write(path(QStringLiteral("sshd_config")), server) &&
           // Failed logins, which some tests make, close newer servers to their address for a while.
           write(path(QStringLiteral("sshd_config_new")), server + "PerSourcePenalties no\n") &&
           write(path(QStringLiteral("authorized")),
                 read(path(QStringLiteral("key.pub"))) + noisy + read(path(QStringLiteral("noisy.pub")))) &&
           write(path(QStringLiteral("known")), "[127.0.0.1]:" + port + " " + hostKey + "\n") &&
           write(path(QStringLiteral("config")),
                 client + "UserKnownHostsFile " + folder + "/known\nIdentityFile " + folder + "/key\n") &&
           write(path(QStringLiteral("suspicious")),
                 client + "UserKnownHostsFile none\nIdentityFile " + folder + "/key\n") &&
           write(path(QStringLiteral("passwd")), passwd + "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n");
}

QStringList SshServer::command() const
{
    // As root the server wants the system's user for its unprivileged half and a folder in /run. Where a container has
    // neither, it gets them in a view of the files of its own.
    if (getuid() != 0 || (getpwnam("sshd") && QFileInfo::exists(QStringLiteral("/run/sshd")))) return {m_sshd};
    QStringList words{QString::fromStdString(kit::bubblewrapProgram())};
    words << QStringLiteral("--dev-bind") << QStringLiteral("/") << QStringLiteral("/") << QStringLiteral("--ro-bind")
          << path(QStringLiteral("passwd")) << QStringLiteral("/etc/passwd") << QStringLiteral("--tmpfs")
          << QStringLiteral("/run") << QStringLiteral("--dir") << QStringLiteral("/run/sshd")
          << QStringLiteral("--cap-add") << QStringLiteral("ALL") << QStringLiteral("--die-with-parent") << m_sshd;
    return words;
}

bool SshServer::start()
{
    QStringList words = command();
    const QString program = words.takeFirst();
    const QStringList check =
        words + QStringList{QStringLiteral("-t"), QStringLiteral("-f"), path(QStringLiteral("sshd_config_new"))};
    const QString config =
        path(run(program, check) ? QStringLiteral("sshd_config_new") : QStringLiteral("sshd_config"));
    m_server.setProcessChannelMode(QProcess::MergedChannels);
    m_server.start(program,
                   words + QStringList{QStringLiteral("-D"), QStringLiteral("-e"), QStringLiteral("-f"), config});
    QByteArray said;
    while (!said.contains("Server listening")) {
        if (!m_server.waitForReadyRead(10'000)) return false;
        said += m_server.readAll();
    }
    return true;
}

QString SshServer::address(const QString &folder, const QString &config) const
{
    return QStringLiteral("test=127.0.0.1%1 port=%2 config=%3")
        .arg(folder.isEmpty() ? QString() : u':' + folder)
        .arg(m_port)
        .arg(path(config));
}

QList<qint64> SshServer::clients() const
{
    QList<qint64> found;
    const QByteArray mine = m_folder.path().toUtf8() + '/';
    for (const QString &entry : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        bool isNumber = false;
        const qint64 pid = entry.toLongLong(&isNumber);
        if (!isNumber) continue;
        const QList<QByteArray> words = read(QStringLiteral("/proc/%1/cmdline").arg(pid)).split('\0');
        // The program's own name: the shell that joins it with tar has its path among its words too.
        const bool isSsh = words.first() == "ssh" || words.first().endsWith("/ssh");
        if (isSsh && words.join(' ').contains(mine)) found.append(pid);
    }
    return found;
}

} // namespace kernelskill::test
