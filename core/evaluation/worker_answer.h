// SPDX-License-Identifier: Apache-2.0
// From the worker's answer to an Evaluation.
#pragma once

#include "evaluation/evaluation.h"

#include <QJsonObject>

namespace kernelskill {

// Adds checks, findings, times, profile and log. Sets the status where the worker knows it, not the verdict.
void addWorkerAnswer(const QJsonObject &work, const QString &device, TimeKind kind, Evaluation &evaluation);

} // namespace kernelskill
