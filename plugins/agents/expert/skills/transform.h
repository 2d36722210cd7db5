// SPDX-License-Identifier: Apache-2.0
// A skill as something executable: from a plan to the plans it may become, one change each, or the reason why it does
// not apply. Transforms are pure and know nothing of rounds; the planner picks, the optimizer emits.
#pragma once

#include "plan/kernel_plan.h"
#include "plan/task_view.h"

#include <QJsonObject>

namespace kernelskill::expert {

// One way to apply a skill to one group.
struct Change
{
    QJsonObject parameters; // what a person reads and short-term memory compares
    Schedule schedule;
    QString rationale; // why this helps, a sentence
};

// One way to apply a skill to a plan.
struct Step
{
    QJsonObject parameters;
    KernelPlan plan;
    QString rationale;
};

struct Transform
{
    const char *skill;
    // Changes for one group, preferred first, or an error with code "expert.inapplicable". Null for kernel-fusion,
    // which works on the plan.
    Result<QList<Change>> (*changes)(const TaskView &view, const Group &group);
};

[[nodiscard]] const QList<Transform> &transforms();

// All steps of a skill from this plan, preferred first. A change is made in every group it applies to: three kernels
// that are vectorised alike are one change. Errors: "expert.inapplicable" with the reason, "expert.no_transform".
[[nodiscard]] Result<QList<Step>> stepsOf(const QString &skill, const TaskView &view, const KernelPlan &plan);

// Made by the files of single skills.
[[nodiscard]] std::unexpected<Error> inapplicable(const QString &why);
[[nodiscard]] Result<qint64> columnsOf(const TaskView &view, const Group &group); // at the time size
[[nodiscard]] Result<qint64> rowsOf(const TaskView &view, const Group &group);

Result<QList<Change>> coalesceMemory(const TaskView &view, const Group &group);
Result<QList<Change>> vectoriseAccess(const TaskView &view, const Group &group);
Result<QList<Change>> tileSharedMemory(const TaskView &view, const Group &group);
Result<QList<Change>> blockRegisters(const TaskView &view, const Group &group);
Result<QList<Change>> shuffleReduction(const TaskView &view, const Group &group);
Result<QList<Change>> padBanks(const TaskView &view, const Group &group);
Result<QList<Change>> tuneLaunch(const TaskView &view, const Group &group);
Result<QList<Change>> giveThreadsMoreWork(const TaskView &view, const Group &group);
Result<QList<Change>> separateTail(const TaskView &view, const Group &group);
Result<QList<Change>> batchLoads(const TaskView &view, const Group &group);
Result<QList<Change>> prefetchTiles(const TaskView &view, const Group &group);
Result<QList<Change>> mergeSoftmaxPasses(const TaskView &view, const Group &group);
Result<QList<Change>> saveInstructions(const TaskView &view, const Group &group);
Result<QList<Step>> fuseKernels(const TaskView &view, const KernelPlan &plan);

// Whether a schedule of a matrix product can run: whole threads, shared memory of at most 48 KiB.
[[nodiscard]] bool isLegalBlocking(const Schedule &schedule);

} // namespace kernelskill::expert
