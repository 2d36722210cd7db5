// SPDX-License-Identifier: Apache-2.0
// Tasks with more than one right answer judge outputs by a check of their own (check.cpp), outside the worker.
#pragma once

#include "evaluation/references.h"

#include <QTemporaryDir>

#include <memory>

namespace kernelskill {

class JudgedOutputs
{
public:
    explicit JudgedOutputs(const Task &task); // makes a folder only for a task that has a check of its own
    [[nodiscard]] bool applies() const { return m_folder != nullptr; }
    // Where the worker puts the outputs of one planned check: one path a parameter, empty for what is not written.
    [[nodiscard]] QStringList files(const Task &task, qsizetype index) const;
    // Adds a check for each planned one that the worker left outputs for.
    [[nodiscard]] QCoro::Task<Result<void>> judge(Task task, QList<PlannedCheck> plan, Evaluation *evaluation,
                                                  bool unconfined, std::stop_token stop) const;

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

} // namespace kernelskill
