// SPDX-License-Identifier: Apache-2.0
// What an evaluator asks its worker to check and time, with the right answers: the same for every evaluator.
#pragma once

#include "evaluation/evaluator.h"
#include "evaluation/judged_outputs.h"
#include "evaluation/references.h"
#include "evaluation/work_plan.h"

#include <QCoroTask>
#include <QJsonObject>

#include <stop_token>

namespace kernelskill {

struct WorkOrder
{
    QList<PlannedCheck> checks;
    QList<ReferenceFiles> references;      // of the checks
    QList<ReferenceFiles> timedReferences; // of the time sizes; without files where that would take too long
};

[[nodiscard]] QCoro::Task<Result<WorkOrder>> makeWorkOrder(EvaluationRequest request, std::stop_token stop);

// {"parameters", "absolute", "relative", "checks", "times"}: the part of a worker's request that says what to do.
// Inputs and expected outputs are paths of files.
[[nodiscard]] Result<QJsonObject> toJson(const WorkOrder &order, const EvaluationRequest &request,
                                         const JudgedOutputs &judged);

} // namespace kernelskill
