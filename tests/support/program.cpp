// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <QElapsedTimer>
#include <QJsonDocument>

namespace kernelskill::test {

QJsonObject ProgramEnd::json() const
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(out, &error);
    return error.error == QJsonParseError::NoError ? document.object() : QJsonObject();
}

TestFolders::TestFolders()
{
    if (!m_folder.isValid()) qFatal("no temporary folder");
}

QProcessEnvironment TestFolders::environment() const
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_DATA_HOME"), path(QStringLiteral("data")));
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), path(QStringLiteral("config")));
    environment.insert(QStringLiteral("XDG_CACHE_HOME"), QStringLiteral(BUILD_DIR "/test-cache"));
    return environment;
}

void TestFolders::prepare(QProcess &process, const QString &program, const QStringList &arguments) const
{
    process.setProgram(QStringLiteral(BUILD_DIR "/bin/") + program);
    process.setArguments(arguments);
    process.setProcessEnvironment(environment());
    process.setWorkingDirectory(m_folder.path());
}

ProgramEnd TestFolders::run(const QString &program, const QStringList &arguments, int timeout_ms) const
{
    QProcess process;
    prepare(process, program, arguments);
    QElapsedTimer timer;
    timer.start();
    process.start();
    ProgramEnd end;
    if (!process.waitForFinished(timeout_ms)) {
        end.timedOut = process.state() != QProcess::NotRunning;
        process.kill();
        process.waitForFinished();
    }
    end.wall_ms = timer.elapsed();
    end.crashed = process.exitStatus() == QProcess::CrashExit;
    end.exitCode = process.exitCode();
    end.out = process.readAllStandardOutput();
    end.err = process.readAllStandardError();
    return end;
}

ProgramEnd TestFolders::kernelskill(const QStringList &arguments, int timeout_ms) const
{
    return run(QStringLiteral("kernelskill"), arguments, timeout_ms);
}

QString taskFolder(const QString &name)
{
    return QStringLiteral(SOURCE_DIR "/resources/tasks/") + name;
}

} // namespace kernelskill::test
