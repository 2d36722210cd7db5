// SPDX-License-Identifier: Apache-2.0
// From the CUDA worker's answer, or its end without one, to an Evaluation.
#pragma once

#include "base/result.h"
#include "evaluation/evaluation.h"

#include <QJsonObject>

#include <optional>

namespace kernelskill::cuda {

// Build, checks, times, profile, evidence. `device` is what the profile names its GPU by. The verdict is not concluded.
void addAnswer(const QJsonObject &answer, const QString &device, const QString &mainFile, Evaluation &evaluation);

// Trouble of the environment that the worker itself reports; empty when its answer is one.
[[nodiscard]] std::optional<Error> troubleIn(const QJsonObject &answer, const QString &log);

// What a worker that did not finish means for the candidate. False when it is trouble of the environment: then the
// evaluation is untouched. `greeted`: it had started and taken the request.
[[nodiscard]] bool explainWorkerEnd(const Error &error, bool greeted, Evaluation &evaluation);

} // namespace kernelskill::cuda
