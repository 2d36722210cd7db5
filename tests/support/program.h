// SPDX-License-Identifier: Apache-2.0
// Runs a built program as its user would, with data, cache and config folders of the test's own.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

namespace kernelskill::test {

struct ProgramEnd
{
    int exitCode = -1;
    bool crashed = false, timedOut = false;
    QByteArray out, err;
    qint64 wall_ms = 0;
    // The one JSON document on stdout; empty when there is none or anything else stands there.
    [[nodiscard]] QJsonObject json() const;
};

class TestFolders // the test's own folders; compiled references and candidates are shared between tests of one run
{
public:
    TestFolders();
    [[nodiscard]] QString path(const QString &name) const { return m_folder.filePath(name); }
    [[nodiscard]] QProcessEnvironment environment() const;
    [[nodiscard]] ProgramEnd run(const QString &program, const QStringList &arguments, int timeout_ms = 240'000) const;
    [[nodiscard]] ProgramEnd kernelskill(const QStringList &arguments, int timeout_ms = 240'000) const;
    void prepare(QProcess &process, const QString &program, const QStringList &arguments) const;

private:
    QTemporaryDir m_folder;
};

[[nodiscard]] QString taskFolder(const QString &name); // resources/tasks/NAME of the tree

} // namespace kernelskill::test
