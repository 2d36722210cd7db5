// SPDX-License-Identifier: Apache-2.0
#include "work_order.h"

#include <QFileInfo>
#include <QJsonArray>

#include <algorithm>

namespace kernelskill {

namespace {

constexpr quint64 freshInputs = 1'000'003; // from a seed to one that no check uses
// Sets of generated inputs at a timed size: enough to tell a first sight of one from the next, and not more bytes than
// a network wants to carry.
constexpr int fewestInputSets = 4, mostInputSets = 12;
constexpr double inputSetBytes = 256e6;

// `first` is the place of the first among all checks, by which their output files are named.
Result<QJsonArray> checkCases(const QList<PlannedCheck> &checks, const QList<ReferenceFiles> &references, qsizetype first,
                              const Task &task, const JudgedOutputs &judged)
{
    QJsonArray cases;
    for (qsizetype i = 0; i < checks.size(); ++i) {
        auto one = binding(task, checks[i].sizes);
        if (!one) return std::unexpected(one.error());
        one->insert(QStringLiteral("name"), checks[i].name);
        one->insert(QStringLiteral("variant"), checks[i].variant);
        one->insert(QStringLiteral("inputs"), QJsonArray::fromStringList(references[i].inputs));
        one->insert(QStringLiteral("expected"), QJsonArray::fromStringList(references[i].expected));
        if (judged.applies())
            one->insert(QStringLiteral("outputs"), QJsonArray::fromStringList(judged.files(task, first + i)));
        cases.append(*one);
    }
    return cases;
}

Result<QJsonArray> timeCases(const WorkOrder &order, const EvaluationRequest &request)
{
    QJsonArray cases;
    for (qsizetype i = 0; i < order.timedReferences.size(); ++i) {
        const TimeSize &size = request.task.time[i];
        auto one = binding(request.task, size.sizes);
        if (!one) return std::unexpected(one.error());
        one->insert(QStringLiteral("name"), size.name);
        one->insert(QStringLiteral("weight"), size.weight);
        one->insert(QStringLiteral("seeds"), inputSeeds(request.task, request.seed));
        if (!request.task.generateHook)
            one->insert(QStringLiteral("fresh_seeds"), inputSeeds(request.task, request.seed + freshInputs));
        one->insert(QStringLiteral("inputs"), QJsonArray::fromStringList(order.timedReferences[i].inputs));
        one->insert(QStringLiteral("expected"), QJsonArray::fromStringList(order.timedReferences[i].expected));
        if (i < order.timedInputSets.size() && !order.timedInputSets[i].isEmpty()) {
            QJsonArray sets;
            for (const QStringList &files : order.timedInputSets[i])
                sets.append(QJsonArray::fromStringList(files));
            one->insert(QStringLiteral("input_sets"), sets);
        }
        cases.append(*one);
    }
    return cases;
}

qint64 bytesOf(const QStringList &files)
{
    qint64 bytes = 0;
    for (const QString &file : files)
        bytes += file.isEmpty() ? 0 : QFileInfo(file).size();
    return bytes;
}

// All inputs of one timed size that the task's own generator makes: those of its reference, which is given these where
// it has none, and the further sets.
QCoro::Task<Result<QList<QStringList>>> inputSets(EvaluationRequest request, Sizes sizes, ReferenceFiles *reference,
                                                  std::stop_token stop)
{
    const auto make = [&](QList<quint64> seeds) {
        return makeInputs(request.task, sizes, std::move(seeds), request.unconfined, stop);
    };
    if (reference->inputs.isEmpty()) {
        const QList<quint64> one{request.seed};
        const auto first = co_await make(one);
        if (!first) co_return first;
        reference->inputs = first->first();
    }
    const double each = std::max(1.0, double(bytesOf(reference->inputs)));
    const int count = std::clamp(int(std::min(1e6, inputSetBytes / each)), fewestInputSets, mostInputSets) - 1;
    QList<quint64> seeds;
    for (int i = 0; i < count; ++i)
        seeds.append(request.seed + 2 * freshInputs + quint64(i));
    co_return co_await make(seeds);
}

} // namespace

QCoro::Task<Result<WorkOrder>> makeWorkOrder(EvaluationRequest request, std::stop_token stop, bool repeated)
{
    WorkOrder order;
    order.checks = plannedChecks(request.task, request.seed);
    const auto references = co_await makeReferences(request.task, order.checks, request.unconfined, stop);
    if (!references) co_return std::unexpected(references.error());
    order.references = *references;
    if (request.time) {
        for (const PlannedCheck &one : timedChecks(request.task, request.seed)) {
            const auto files = co_await makeReferences(
                request.task, one.name.isEmpty() ? QList<PlannedCheck>() : QList{one}, request.unconfined, stop);
            if (!files) co_return std::unexpected(files.error());
            order.timedReferences.append(files->isEmpty() ? ReferenceFiles() : files->first());
        }
    }
    if (request.time && repeated && request.task.generateHook) {
        for (qsizetype i = 0; i < order.timedReferences.size(); ++i) {
            const auto sets = co_await inputSets(request, request.task.time[i].sizes, &order.timedReferences[i], stop);
            if (!sets) co_return std::unexpected(sets.error());
            order.timedInputSets.append(*sets);
        }
    }
    if (request.time && repeated) {
        order.after = checksAfterTiming(request.task, request.seed);
        const auto files = co_await makeReferences(request.task, order.after, request.unconfined, stop);
        if (!files) co_return std::unexpected(files.error());
        order.afterReferences = *files;
    }
    co_return order;
}

Result<QJsonObject> toJson(const WorkOrder &order, const EvaluationRequest &request, const JudgedOutputs &judged)
{
    const auto toCheck = checkCases(order.checks, order.references, 0, request.task, judged);
    if (!toCheck) return std::unexpected(toCheck.error());
    const auto toTime = timeCases(order, request);
    if (!toTime) return std::unexpected(toTime.error());
    QJsonObject work{{QStringLiteral("absolute"), request.task.tolerance.absolute},
                     {QStringLiteral("relative"), request.task.tolerance.relative},
                     {QStringLiteral("parameters"), parameterSpecs(request.task)},
                     {QStringLiteral("checks"), *toCheck},
                     {QStringLiteral("times"), *toTime}};
    if (order.after.isEmpty()) return work;
    const auto later =
        checkCases(order.after, order.afterReferences, order.checks.size(), request.task, judged);
    if (!later) return std::unexpected(later.error());
    work.insert(QStringLiteral("after"), *later);
    return work;
}

} // namespace kernelskill
