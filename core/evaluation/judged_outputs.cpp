// SPDX-License-Identifier: Apache-2.0
#include "judged_outputs.h"

#include "evaluation/checks.h"
#include "task/reference.h"

#include <QFile>

namespace kernelskill {

JudgedOutputs::JudgedOutputs(const Task &task)
{
    if (task.checkHook) m_folder = std::make_unique<QTemporaryDir>();
}

QStringList JudgedOutputs::files(const Task &task, qsizetype index) const
{
    QStringList paths;
    for (const Parameter &parameter : task.parameters) {
        const bool written = parameter.kind == Parameter::Kind::Tensor && parameter.isWritten();
        paths.append(written ? m_folder->filePath(QStringLiteral("%1-%2").arg(index).arg(parameter.name)) : QString());
    }
    return paths;
}

QCoro::Task<Result<void>> JudgedOutputs::judge(Task task, QList<PlannedCheck> plan, Evaluation *evaluation,
                                               bool unconfined, std::stop_token stop) const
{
    for (qsizetype i = 0; i < plan.size(); ++i) {
        QList<QByteArray> outputs;
        bool complete = true;
        for (const QString &path : files(task, i)) {
            if (path.isEmpty()) continue;
            QFile file(path);
            complete = complete && file.open(QIODevice::ReadOnly);
            outputs.append(file.isOpen() ? file.readAll() : QByteArray());
        }
        if (!complete) continue; // the worker said why
        const PlannedCheck &one = plan[i];
        const auto inputs = co_await runReference(task, one.sizes, one.seed, one.variant, stop, unconfined);
        if (!inputs) co_return std::unexpected(inputs.error());
        const auto complaint = co_await runCheckHook(task, one.sizes, *inputs, outputs, stop, unconfined);
        if (!complaint) co_return std::unexpected(complaint.error());
        evaluation->checks.append(checks::that(complaint->isEmpty(), one.name, *complaint));
    }
    co_return Result<void>{};
}

} // namespace kernelskill
