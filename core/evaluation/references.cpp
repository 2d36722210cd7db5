// SPDX-License-Identifier: Apache-2.0
#include "references.h"

#include "task/reference.h"

#include <vector>

namespace kernelskill {

namespace {

ReferenceFiles filesOf(const Task &task, const ReferenceOutputs &outputs)
{
    ReferenceFiles files;
    for (const Parameter &parameter : task.parameters) {
        const TensorData *input = outputs.input(parameter.name);
        const TensorData *expected = outputs.output(parameter.name);
        files.inputs.append(input ? input->path() : QString());
        files.expected.append(expected ? expected->path() : QString());
    }
    return files;
}

} // namespace

QCoro::Task<Result<QList<ReferenceFiles>>> makeReferences(Task task, QList<PlannedCheck> plan, bool unconfined,
                                                          std::stop_token stop)
{
    QList<ReferenceFiles> all;
    if (plan.isEmpty()) co_return all;
    // The first builds the reference, the others only run it, side by side.
    const PlannedCheck first = plan.first();
    const auto built = co_await runReference(task, first.sizes, first.seed, first.variant, stop, unconfined);
    if (!built) co_return std::unexpected(built.error());
    all.append(filesOf(task, *built));
    std::vector<QCoro::Task<Result<ReferenceOutputs>>> running;
    for (qsizetype i = 1; i < plan.size(); ++i)
        running.push_back(runReference(task, plan[i].sizes, plan[i].seed, plan[i].variant, stop, unconfined));
    std::optional<Error> trouble;
    for (QCoro::Task<Result<ReferenceOutputs>> &one : running) {
        const auto outputs = co_await one;
        if (outputs)
            all.append(filesOf(task, *outputs));
        else
            trouble = outputs.error();
    }
    if (trouble) co_return std::unexpected(*trouble);
    co_return all;
}

QCoro::Task<Result<QList<QStringList>>> makeInputs(Task task, Sizes sizes, QList<quint64> seeds, bool unconfined,
                                                   std::stop_token stop)
{
    QList<QStringList> sets;
    for (const quint64 seed : std::as_const(seeds)) { // one after the other: timed sizes are large
        const auto made = co_await generateInputs(task, sizes, seed, stop, unconfined);
        if (!made) co_return std::unexpected(made.error());
        sets.append(filesOf(task, *made).inputs);
    }
    co_return sets;
}

} // namespace kernelskill
