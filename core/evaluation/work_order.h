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
    QList<PlannedCheck> after; // checks to make once timing is over, with inputs the candidate has not seen
    QList<ReferenceFiles> afterReferences;

    [[nodiscard]] QList<PlannedCheck> allChecks() const { return checks + after; } // in the order of judged outputs
};

// `withAfter`: for workers that check again after timing.
[[nodiscard]] QCoro::Task<Result<WorkOrder>> makeWorkOrder(EvaluationRequest request, std::stop_token stop,
                                                           bool withAfter = false);

// {"parameters", "absolute", "relative", "checks", "times", "after"}: the part of a worker's request that says what to do;
// "after" only where there are such checks. Inputs and expected outputs are paths of files.
[[nodiscard]] Result<QJsonObject> toJson(const WorkOrder &order, const EvaluationRequest &request,
                                         const JudgedOutputs &judged);

} // namespace kernelskill
