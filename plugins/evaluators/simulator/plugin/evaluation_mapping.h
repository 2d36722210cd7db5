// SPDX-License-Identifier: Apache-2.0
// From the worker's answer to an Evaluation.
#pragma once

#include "evaluation/evaluation.h"

#include <QJsonObject>

namespace kernelskill::simulator {

// Adds checks, findings, times, profile and log. Sets the status where the worker knows it, not the verdict.
void addWork(const QJsonObject &work, const QString &device, Evaluation &evaluation);

} // namespace kernelskill::simulator
