// SPDX-License-Identifier: Apache-2.0
// A scripted worker (scripted_worker.cpp) in a folder of its own.
#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QList>
#include <QString>
#include <QTemporaryDir>

namespace kernelskill::test {

class WorkerScript
{
public:
    // Under the name given, as a bundle has it: <folder>/plugins/cuda/NAME.
    explicit WorkerScript(const QString &name = QStringLiteral("kernelskill-cuda-worker"));
    [[nodiscard]] QString folder() const { return m_folder.path(); }
    [[nodiscard]] QString program() const { return m_program; }
    void play(const QJsonObject &script) const;        // forgets earlier requests
    [[nodiscard]] QList<QJsonObject> requests() const; // for work, not for lists of devices or builds alone
    [[nodiscard]] QList<QJsonObject> builds() const;   // requests to build and do nothing else
    // Ids of its processes when it hangs: its own and a child's. Empty until then.
    [[nodiscard]] QList<qint64> hanging() const;

private:
    QTemporaryDir m_folder;
    QString m_program;
};

[[nodiscard]] bool isRunning(qint64 process); // and not a zombie

} // namespace kernelskill::test
