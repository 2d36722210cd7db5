// SPDX-License-Identifier: Apache-2.0
// Runs the real worker and host on the stand-in for a GPU (tests/support/cuda).
#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>

namespace kernelskill::testing {

class WorkerFixture
{
public:
    WorkerFixture();

    // solve() of the task y = 2·x: `body` sees x, y, n and the stream s.
    [[nodiscard]] static QString program(const QString &body, const QString &before = {});
    [[nodiscard]] static QString rightBody();
    // A right one that is slow enough that what else the machine does hardly shows in its times.
    [[nodiscard]] static QString steadyProgram();
    // Checks the program at three sizes and times it at one.
    [[nodiscard]] QJsonObject request(const QString &candidate) const;

    // The same with inputs of a generator: rising numbers, another start for each of `sets` sets at the timed size.
    [[nodiscard]] QJsonObject generated(QJsonObject request, int sets) const;

    // The worker's last message; every other goes to `stages`, as its "stage".
    [[nodiscard]] QJsonObject run(const QJsonObject &request, QStringList *stages = nullptr);
    [[nodiscard]] std::unique_ptr<QProcess> start(const QJsonObject &request);
    void setEnvironment(const QString &name, const QString &value) { m_environment.insert(name, value); }

    // Command lines of processes that have to do with this fixture's worker.
    [[nodiscard]] QStringList processes() const;
    [[nodiscard]] QString leaseFile() const;

private:
    [[nodiscard]] QJsonObject checkCase(const QString &name, int n, double first) const;
    QTemporaryDir m_folder;
    QProcessEnvironment m_environment;
};

// Outcome of the check of this name; empty when there is none.
[[nodiscard]] QString outcome(const QJsonObject &answer, const QString &check);
// Names of failed checks.
[[nodiscard]] QStringList failures(const QJsonObject &answer);
// "name: detail" of each, and what the worker said of its own trouble.
[[nodiscard]] QString complaints(const QJsonObject &answer);
[[nodiscard]] QString findingKind(const QJsonObject &answer); // of the first

} // namespace kernelskill::testing
