// SPDX-License-Identifier: Apache-2.0
// From the worker's answer to an Evaluation.
#pragma once

#include "evaluation/evaluator.h"

#include <QJsonObject>

#include <functional>

namespace kernelskill {

// From the messages on the way, {"stage", "progress", "total", "text"}, to progress; "checking 3 of 24" where there is no
// text.
[[nodiscard]] std::function<void(const QJsonObject &)> progressOf(ProgressSink sink);

// Adds checks, findings, times, profile and log. Sets the status where the worker knows it, not the verdict.
void addWorkerAnswer(const QJsonObject &work, const QString &device, TimeKind kind, Evaluation &evaluation);

} // namespace kernelskill
