// SPDX-License-Identifier: Apache-2.0
// Which checks and timings a task asks for, and how they are put to the worker.
#pragma once

#include "evaluation/evaluator.h"

#include <QJsonArray>
#include <QJsonObject>

namespace kernelskill {

struct PlannedCheck
{
    QString name; // "outputs rows=7 cols=515 seed 1"
    Sizes sizes;
    quint64 seed = 1;
    QString variant; // of the kit: "random", "zeros", …
};

// Random inputs from five seeds and every adversarial fill at the check size, one seed at each edge size.
[[nodiscard]] QList<PlannedCheck> plannedChecks(const Task &task, quint64 seed);

// The time sizes at which the reference is cheap enough to compare values there too, as checks in the order of
// task.time; an empty name stands for a size that is not.
[[nodiscard]] QList<PlannedCheck> timedChecks(const Task &task, quint64 seed);

// Checks to make when timing is over: random inputs at the check size and at the last edge size, from seeds of their own,
// so that nothing remembered from before can answer them.
[[nodiscard]] QList<PlannedCheck> checksAfterTiming(const Task &task, quint64 seed);

// {"shapes": […], "scalars": […]} for one choice of sizes.
[[nodiscard]] Result<QJsonObject> binding(const Task &task, const Sizes &sizes);
// What the worker must know of each parameter.
[[nodiscard]] QJsonArray parameterSpecs(const Task &task);

// Seed of each parameter's values, as text: JSON numbers end at 53 bits.
[[nodiscard]] QJsonArray inputSeeds(const Task &task, quint64 seed);

} // namespace kernelskill
