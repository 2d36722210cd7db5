// SPDX-License-Identifier: Apache-2.0
#include "skills/transform.h"

#include "patterns/program.h"

#include <algorithm>

namespace kernelskill::expert {

const QList<Transform> &transforms()
{
    static const QList<Transform> table = {
        {"memory-coalescing", coalesceMemory},
        {"vectorised-access", vectoriseAccess},
        {"shared-memory-tiling", tileSharedMemory},
        {"register-blocking", blockRegisters},
        {"warp-shuffle-reduction", shuffleReduction},
        {"bank-conflict-padding", padBanks},
        {"launch-tuning", tuneLaunch},
        {"kernel-fusion", nullptr},
        {"work-per-thread", giveThreadsMoreWork},
        {"alignment-and-tail", separateTail},
        {"memory-level-parallelism", batchLoads},
        {"software-prefetch", prefetchTiles},
        {"online-softmax", mergeSoftmaxPasses},
        {"fewer-instructions", saveInstructions},
    };
    return table;
}

std::unexpected<Error> inapplicable(const QString &why)
{
    return failure(QStringLiteral("expert.inapplicable"), why);
}

namespace {

// Rows and columns of a group's iteration space at the time size.
Result<std::pair<qint64, qint64>> spaceOf(const TaskView &view, const Group &group)
{
    IterationSpace space;
    switch (group.pattern) {
    case Pattern::Pointwise: {
        auto program = buildPointwise(view, group);
        if (!program) return std::unexpected(program.error());
        space = program->space;
        break;
    }
    case Pattern::Rows: {
        auto program = buildRows(view, group);
        if (!program) return std::unexpected(program.error());
        space = program->space;
        break;
    }
    case Pattern::Transpose: {
        auto program = buildTranspose(view, group);
        if (!program) return std::unexpected(program.error());
        space = {program->rows, program->cols};
        break;
    }
    case Pattern::MatrixProduct: {
        auto program = buildMatrixProduct(view, group);
        if (!program) return std::unexpected(program.error());
        space = {program->batch + QStringList{program->m}, {program->n}};
        break;
    }
    case Pattern::FullReduction: {
        auto program = buildFullReduction(view, group);
        if (!program) return std::unexpected(program.error());
        space = {{}, program->dimensions};
        break;
    }
    }
    auto rows = view.extent(space.outer), cols = view.extent(space.inner);
    if (!rows) return std::unexpected(rows.error());
    if (!cols) return std::unexpected(cols.error());
    return std::pair{*rows, *cols};
}

Result<QList<Step>> groupSteps(const Transform &transform, const TaskView &view, const KernelPlan &plan)
{
    QList<Step> steps;
    Error reason{QStringLiteral("expert.inapplicable"), QStringLiteral("the plan is empty"), {}};
    QList<QList<Change>> all;
    for (const Group &group : plan.groups) {
        auto changes = transform.changes(view, group);
        if (!changes) reason = changes.error();
        all.append(changes.value_or(QList<Change>{}));
    }
    // Every distinct change, in order of preference, made wherever it applies.
    for (const QList<Change> &changes : all) {
        for (const Change &change : changes) {
            const bool known =
                std::ranges::any_of(steps, [&](const Step &step) { return step.parameters == change.parameters; });
            if (known) continue;
            Step step{change.parameters, plan, change.rationale};
            for (qsizetype i = 0; i < plan.groups.size(); ++i) {
                const auto same = std::ranges::find_if(
                    all.at(i), [&](const Change &other) { return other.parameters == change.parameters; });
                if (same == all.at(i).end()) continue;
                step.plan.groups[i].schedule = same->schedule;
                const QString skill = QString::fromLatin1(transform.skill);
                if (!step.plan.groups[i].skills.contains(skill)) step.plan.groups[i].skills.append(skill);
            }
            steps.append(step);
        }
    }
    if (steps.isEmpty()) return std::unexpected(reason);
    return steps;
}

} // namespace

Result<qint64> columnsOf(const TaskView &view, const Group &group)
{
    auto space = spaceOf(view, group);
    return space ? Result<qint64>(space->second) : std::unexpected(space.error());
}

Result<qint64> rowsOf(const TaskView &view, const Group &group)
{
    auto space = spaceOf(view, group);
    return space ? Result<qint64>(space->first) : std::unexpected(space.error());
}

Result<QList<Step>> stepsOf(const QString &skill, const TaskView &view, const KernelPlan &plan)
{
    for (const Transform &transform : transforms()) {
        if (skill == QLatin1String(transform.skill))
            return transform.changes ? groupSteps(transform, view, plan) : fuseKernels(view, plan);
    }
    return failure(QStringLiteral("expert.no_transform"),
                   QStringLiteral("the rule-based agent has no transform for skill \"%1\"").arg(skill));
}

} // namespace kernelskill::expert
