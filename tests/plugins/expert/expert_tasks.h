// SPDX-License-Identifier: Apache-2.0
// Tasks the tests work on: the bundled ones and those beside this file.
#pragma once

#include "plan/student_plan.h"
#include "plan/task_view.h"
#include "skills/transform.h"
#include "task/task.h"

#include <QDir>
#include <QTest>

namespace kernelskill::expert::test {

inline QString folderOf(const QString &name)
{
    const QString bundled = QStringLiteral(SOURCE_DIR "/resources/tasks/") + name;
    return QDir(bundled).exists() ? bundled : QStringLiteral(TEST_DIR "/tasks/") + name;
}

inline Task task(const QString &name)
{
    auto read = readTask(folderOf(name));
    if (!read) qFatal("%s", qPrintable(read.error().message));
    return *read;
}

inline TaskView view(const QString &name)
{
    auto made = TaskView::make(task(name));
    if (!made) qFatal("%s", qPrintable(made.error().message));
    return *made;
}

inline QStringList allTasks()
{
    return {QStringLiteral("row_softmax"),
            QStringLiteral("layer_norm"),
            QStringLiteral("matmul"),
            QStringLiteral("transpose"),
            QStringLiteral("bias_gelu_residual"),
            QStringLiteral("rms_norm_steps"),
            QStringLiteral("scaled_log_softmax"),
            QStringLiteral("row_mean"),
            QStringLiteral("mean_squared_error"),
            QStringLiteral("linear_gelu_residual"),
            QStringLiteral("transposed_product"),
            QStringLiteral("batched_transpose"),
            QStringLiteral("tanh_shift"),
            QStringLiteral("ragged_softmax"),
            QStringLiteral("ragged_layer_norm")};
}

// The plan after applying skills in order, the preferred change of each ("skill:2" takes the third).
inline Result<KernelPlan> planAfter(const TaskView &view, const QStringList &skills)
{
    auto plan = studentPlan(view);
    for (const QString &entry : skills) {
        if (!plan) return plan;
        auto steps = stepsOf(entry.section(u':', 0, 0), view, *plan);
        if (!steps) return std::unexpected(steps.error());
        const qsizetype index = entry.section(u':', 1).toInt();
        if (index >= steps->size())
            return failure(QStringLiteral("test.index"),
                           QStringLiteral("%1 has %2 changes").arg(entry).arg(steps->size()));
        plan = steps->at(index).plan;
    }
    return plan;
}

} // namespace kernelskill::expert::test
