// SPDX-License-Identifier: Apache-2.0
#include "plugin/load_guard.h"

#include "base/paths.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QSaveFile>

#include <cerrno>
#include <csignal>

namespace kernelskill {

namespace {

QString guardFile(const QString &key)
{
    return QDir(paths::dataFolder()).filePath(QStringLiteral("loading-%1").arg(key));
}

bool lives(qint64 process)
{
    return process > 0 && (::kill(pid_t(process), 0) == 0 || errno == EPERM);
}

} // namespace

LoadGuard::LoadGuard(const QString &key, const QString &pluginPath) : m_file(guardFile(key))
{
    // Without a folder to write to there is no guard; loading still works.
    QDir().mkpath(paths::dataFolder());
    QSaveFile file(m_file);
    if (!file.open(QIODevice::WriteOnly)) return;
    file.write(QByteArray::number(QCoreApplication::applicationPid()) + '\n' + pluginPath.toUtf8() + '\n');
    file.commit();
}

LoadGuard::~LoadGuard()
{
    QFile::remove(m_file);
}

std::optional<QString> LoadGuard::leftBehind(const QString &key)
{
    QFile file(guardFile(key));
    if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
    const qint64 process = file.readLine().trimmed().toLongLong();
    // Our own number: an earlier program had it, for we have not begun to load.
    if (process != QCoreApplication::applicationPid() && lives(process)) return std::nullopt;
    return file.fileName();
}

} // namespace kernelskill
