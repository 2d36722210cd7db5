// SPDX-License-Identifier: Apache-2.0
#include "worker_script.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>

namespace kernelskill::test {

namespace {

QByteArray read(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QList<QJsonObject> allRequests(const QString &program)
{
    QList<QJsonObject> found;
    for (const QByteArray &line : read(program + QStringLiteral(".requests")).split('\n')) {
        const QJsonObject request = QJsonDocument::fromJson(line).object();
        if (!request.isEmpty() && !request.contains(QLatin1String("list_devices"))) found.append(request);
    }
    return found;
}

} // namespace

WorkerScript::WorkerScript(const QString &name) : m_program(m_folder.filePath(QStringLiteral("plugins/cuda/") + name))
{
    QDir(m_folder.path()).mkpath(QStringLiteral("plugins/cuda"));
    if (!QFile::copy(QStringLiteral(BUILD_DIR "/tests/scripted_worker"), m_program)) qFatal("no scripted worker");
}

void WorkerScript::play(const QJsonObject &script) const
{
    for (const char *suffix : {".requests", ".pids"})
        QFile::remove(m_program + QLatin1String(suffix));
    QFile file(m_program + QStringLiteral(".json"));
    if (!file.open(QIODevice::WriteOnly)) qFatal("no script");
    file.write(QJsonDocument(script).toJson());
}

QList<QJsonObject> WorkerScript::requests() const
{
    QList<QJsonObject> found = allRequests(m_program);
    found.removeIf([](const QJsonObject &one) { return one.contains(QLatin1String("build_only")); });
    return found;
}

QList<QJsonObject> WorkerScript::builds() const
{
    QList<QJsonObject> found = allRequests(m_program);
    found.removeIf([](const QJsonObject &one) { return !one.contains(QLatin1String("build_only")); });
    return found;
}

QList<qint64> WorkerScript::hanging() const
{
    QList<qint64> found;
    for (const QByteArray &line : read(m_program + QStringLiteral(".pids")).split('\n'))
        if (!line.isEmpty()) found.append(line.toLongLong());
    return found;
}

bool isRunning(qint64 process)
{
    const QByteArray stat = read(QStringLiteral("/proc/%1/stat").arg(process));
    const QByteArray state = stat.mid(stat.lastIndexOf(')') + 1).trimmed().left(1);
    return !state.isEmpty() && state != "Z" && state != "X";
}

} // namespace kernelskill::test
