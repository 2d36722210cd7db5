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
    // Of a task with a generator of its own: for each time size, files of inputs besides those of timedReferences, all
    // different.
    QList<QList<QStringList>> timedInputSets;
    QList<PlannedCheck> after; // checks to make once timing is over, with inputs the candidate has not seen
    QList<ReferenceFiles> afterReferences;

    [[nodiscard]] QList<PlannedCheck> allChecks() const { return checks + after; } // in the order of judged outputs
};

// `repeated`: for workers that run a timed size many times, and then check again with inputs not seen before.
[[nodiscard]] QCoro::Task<Result<WorkOrder>> makeWorkOrder(EvaluationRequest request, std::stop_token stop,
                                                           bool repeated = false);

// {"parameters", "absolute", "relative", "checks", "times", "after"}: the part of a worker's request that says what to do;
// "after" only where there are such checks, "input_sets" of a time only where there are such files. Inputs and expected
// outputs are paths of files.
[[nodiscard]] Result<QJsonObject> toJson(const WorkOrder &order, const EvaluationRequest &request,
                                         const JudgedOutputs &judged);

} // namespace kernelskill
