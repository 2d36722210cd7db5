// SPDX-License-Identifier: Apache-2.0
// The expected outputs of each planned check, as files the worker reads.
#pragma once

#include "evaluation/work_plan.h"

#include <QCoroTask>
#include <QStringList>

#include <stop_token>

namespace kernelskill {

struct ReferenceFiles
{
    QStringList inputs;   // one a parameter: raw elements of what is read, empty for the rest
    QStringList expected; // one a parameter: doubles of what is written, empty for the rest
};

// In the order of the plan.
[[nodiscard]] QCoro::Task<Result<QList<ReferenceFiles>>> makeReferences(Task task, QList<PlannedCheck> plan,
                                                                        bool unconfined, std::stop_token stop);

// Raw elements of what is read, as ReferenceFiles::inputs, for each seed. For tasks with a generator of their own,
// whose inputs a worker cannot make.
[[nodiscard]] QCoro::Task<Result<QList<QStringList>>> makeInputs(Task task, Sizes sizes, QList<quint64> seeds,
                                                                 bool unconfined, std::stop_token stop);

} // namespace kernelskill
