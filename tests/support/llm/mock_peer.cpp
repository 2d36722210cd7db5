// SPDX-License-Identifier: Apache-2.0
#include "mock_peer.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QLockFile>
#include <QStandardPaths>
#include <QTcpServer>

#include <algorithm>
#include <array>

namespace kernelskill::test {

namespace {

const QString package = QStringLiteral("@copilotkit/aimock");
const QString version = QStringLiteral("1.43.0");

QString peersFolder()
{
    return qEnvironmentVariable("KERNELSKILL_PEERS", QStringLiteral(BUILD_DIR "/peers"));
}

bool isInstalled(const QString &folder)
{
    QFile file(folder + QStringLiteral("/node_modules/") + package + QStringLiteral("/package.json"));
    return file.open(QIODevice::ReadOnly) &&
           QJsonDocument::fromJson(file.readAll())[QStringLiteral("version")].toString() == version;
}

// npm's names for there being no way out, as against a package that is refused or a machine set up wrongly.
bool meansOffline(const QByteArray &output)
{
    constexpr std::array codes{"ENOTFOUND",   "EAI_AGAIN",    "ECONNREFUSED", "ETIMEDOUT",
                               "ENETUNREACH", "EHOSTUNREACH", "ENOTCACHED"};
    return std::ranges::any_of(codes, [&](const char *code) { return output.contains(code); });
}

int freePort()
{
    QTcpServer server;
    return server.listen(QHostAddress::LocalHost) ? server.serverPort() : 0;
}

} // namespace

MockPeer::MockPeer(const QString &fixtures, const QStringList &options)
{
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    const QString folder = peersFolder();
    if (!install(folder)) return;
    for (int attempt = 0; attempt < 3 && !start(folder, fixtures, options); ++attempt) {
        if (!m_log.contains("EADDRINUSE")) return; // else another program took the port meanwhile
    }
}

MockPeer::~MockPeer()
{
    if (m_process.state() == QProcess::NotRunning) return;
    m_process.kill();
    m_process.waitForFinished(5000);
}

bool MockPeer::install(const QString &folder)
{
    if (isInstalled(folder)) return true;
    QDir().mkpath(folder);
    QLockFile lock(folder + QStringLiteral("/install.lock"));
    lock.setStaleLockTime(0); // a dead owner is seen by its id
    if (!lock.tryLock(240'000)) {
        m_trouble = QStringLiteral("%1 is locked by another installation").arg(folder);
        return false;
    }
    if (isInstalled(folder)) return true;
    QProcess npm;
    npm.setProcessChannelMode(QProcess::MergedChannels);
    npm.start(QStringLiteral("npm"),
              {QStringLiteral("install"), QStringLiteral("--prefix"), folder, QStringLiteral("--no-audit"),
               QStringLiteral("--no-fund"), package + u'@' + version});
    if (!npm.waitForFinished(200'000)) npm.kill();
    const QByteArray output = npm.readAll();
    if (isInstalled(folder)) return true;
    m_isOffline = meansOffline(output);
    m_trouble = QStringLiteral("npm did not install %1 into %2: %3")
                    .arg(package, folder,
                         npm.error() == QProcess::UnknownError ? QString::fromUtf8(output) : npm.errorString());
    return false;
}

bool MockPeer::start(const QString &folder, const QString &fixtures, const QStringList &options)
{
    QString source = fixtures;
    if (!QFileInfo(fixtures).isDir()) {
        source = m_folder.path();
        QFile file(m_folder.filePath(QStringLiteral("fixtures.json")));
        if (!file.open(QIODevice::WriteOnly) || file.write(fixtures.toUtf8()) < 0) {
            m_trouble = QStringLiteral("%1: %2").arg(file.fileName(), file.errorString());
            return false;
        }
    }
    m_log.clear();
    m_port = freePort();
    m_process.start(QStringLiteral("node"),
                    QStringList{folder + QStringLiteral("/node_modules/") + package + QStringLiteral("/dist/cli.js"),
                                QStringLiteral("-p"), QString::number(m_port), QStringLiteral("-f"), source,
                                QStringLiteral("--strict"), QStringLiteral("--validate-on-load")} +
                        options);
    const QDeadlineTimer deadline(30'000);
    while (!m_log.contains("listening on")) {
        const bool goesOn = m_process.state() != QProcess::NotRunning && !deadline.hasExpired();
        if (goesOn) m_process.waitForReadyRead(int(std::min<qint64>(deadline.remainingTime(), 1000)));
        m_log += m_process.readAll();
        if (goesOn || m_log.contains("listening on")) continue;
        m_trouble = QStringLiteral("aimock does not run: %1 %2").arg(m_process.errorString(), QString::fromUtf8(m_log));
        return false;
    }
    m_trouble.clear();
    return true;
}

QUrl MockPeer::url(const QString &path) const
{
    return QUrl(QStringLiteral("http://127.0.0.1:%1%2").arg(m_port).arg(path));
}

QByteArray MockPeer::log()
{
    return m_log += m_process.readAll();
}

} // namespace kernelskill::test
