// SPDX-License-Identifier: Apache-2.0
#include "cuda_request.h"

#include "device_spec.h"
#include "task/translation_unit.h"

#include <QFileInfo>
#include <QJsonArray>

#include <algorithm>

namespace kernelskill::cuda {

namespace {

constexpr const char *caseLists[] = {"checks", "times", "after"};

QJsonObject program(const Task &task, const Candidate &candidate)
{
    QJsonArray files;
    for (const CandidateFile &file : candidate.files)
        files.append(QJsonObject{{QStringLiteral("path"), file.path}, {QStringLiteral("text"), file.content}});
    return {{QStringLiteral("unit"), translationUnit(task, candidate)},
            {QStringLiteral("files"), files},
            {QStringLiteral("libraries"), QJsonArray::fromStringList(candidate.libraries)}};
}

bool hasHalf(const Task &task)
{
    return std::ranges::any_of(task.parameters, [](const Parameter &parameter) {
        return parameter.dtype == QLatin1String("float16") || parameter.dtype == QLatin1String("bfloat16");
    });
}

// What building needs to know.
QJsonObject programs(const EvaluationRequest &request, const CudaSettings &settings, const CudaDevice &device)
{
    return {{QStringLiteral("device"), device.uuid.isEmpty() ? QString::number(device.index) : device.uuid},
            {QStringLiteral("unconfined"), request.unconfined},
            {QStringLiteral("compiler"), settings.compiler},
            {QStringLiteral("candidate"), program(request.task, request.candidate)},
            {QStringLiteral("baseline"), program(request.task, request.task.baseline)},
            {QStringLiteral("main_file"), request.candidate.files.first().path},
            {QStringLiteral("limits"), StageLimits().toJson()}};
}

// The lists of files that a case reads.
QList<QJsonArray> listsOf(const QJsonObject &one)
{
    QList<QJsonArray> lists{one.value(QLatin1String("inputs")).toArray(),
                            one.value(QLatin1String("expected")).toArray()};
    for (const QJsonValue &set : one.value(QLatin1String("input_sets")).toArray())
        lists.append(set.toArray());
    return lists;
}

QJsonArray mapped(const QJsonArray &paths, const std::function<QString(const QString &)> &place)
{
    QJsonArray result;
    for (const QJsonValue &path : paths)
        result.append(path.toString().isEmpty() ? QString() : place(path.toString()));
    return result;
}

} // namespace

QJsonObject StageLimits::toJson() const
{
    return {{QStringLiteral("lease_ms"), waiting},
            {QStringLiteral("build_ms"), building},
            {QStringLiteral("stage_ms"), stage}};
}

QHash<QString, int> StageLimits::clocks() const
{
    constexpr int grace_ms = 60'000;
    return {{QStringLiteral("waiting"), waiting + grace_ms},
            // Two programs, and the worker's own kernels the first time.
            {QStringLiteral("building"), 3 * building + grace_ms},
            {QStringLiteral("checking"), stage + grace_ms},
            {QStringLiteral("timing"), stage + grace_ms},
            {QStringLiteral("profiling"), stage + grace_ms}};
}

Tolerance toleranceIn(const QString &mode, const Task &task)
{
    // The public protocol's and the paper's figures (evaluation.md, kernelbench.md); never tighter than the task asks.
    double least = 0;
    if (mode == QLatin1String("paper")) least = 1e-2;
    if (mode == QLatin1String("kernelbench")) least = hasHalf(task) ? 1e-2 : 1e-4;
    return {std::max(least, task.tolerance.absolute), std::max(least, task.tolerance.relative)};
}

QJsonObject makeBuildRequest(const EvaluationRequest &request, const CudaSettings &settings, const CudaDevice &device)
{
    QJsonObject work = programs(request, settings, device);
    work.insert(QStringLiteral("build_only"), true);
    return work;
}

Result<QJsonObject> makeRequest(const EvaluationRequest &request, const CudaSettings &settings,
                                const CudaDevice &device, const std::optional<GpuSpec> &gpu, const WorkOrder &order,
                                const JudgedOutputs &judged)
{
    auto work = toJson(order, request, judged);
    if (!work) return work;
    const QJsonObject built = programs(request, settings, device);
    for (auto it = built.begin(); it != built.end(); ++it)
        work->insert(it.key(), it.value());
    const Tolerance tolerance = toleranceIn(request.mode, request.task);
    const bool profile = request.time && settings.profiler != QLatin1String("none");
    work->insert(QStringLiteral("absolute"), tolerance.absolute);
    work->insert(QStringLiteral("relative"), tolerance.relative);
    work->insert(QStringLiteral("mode"), request.mode);
    work->insert(QStringLiteral("generated"), request.task.generateHook.has_value());
    work->insert(QStringLiteral("profile"), profile);
    work->insert(QStringLiteral("profiler"), profile ? settings.profiler : QStringLiteral("none"));
    if (settings.samples > 0) work->insert(QStringLiteral("samples"), settings.samples);
    if (gpu) work->insert(QStringLiteral("ceilings"), ceilings(*gpu));
    return work;
}

QStringList filesRead(const QJsonObject &request)
{
    QStringList files;
    for (const char *list : caseLists) {
        for (const QJsonValue &one : request.value(QLatin1String(list)).toArray()) {
            for (const QJsonArray &paths : listsOf(one.toObject())) {
                for (const QJsonValue &path : paths)
                    if (!path.toString().isEmpty()) files.append(path.toString());
            }
        }
    }
    files.removeDuplicates();
    return files;
}

QString outputFolder(const QJsonObject &request)
{
    for (const QJsonValue &one : request.value(QLatin1String("checks")).toArray()) {
        for (const QJsonValue &path : one.toObject().value(QLatin1String("outputs")).toArray())
            if (!path.toString().isEmpty()) return QFileInfo(path.toString()).path();
    }
    return {};
}

QJsonObject moved(QJsonObject request, const QHash<QString, QString> &places, const QString &outputs)
{
    const auto there = [&](const QJsonArray &paths) {
        return mapped(paths, [&](const QString &path) { return places.value(path); });
    };
    for (const char *list : caseLists) {
        const QString key = QString::fromLatin1(list);
        if (!request.contains(key)) continue;
        QJsonArray cases;
        for (const QJsonValue &value : request.value(key).toArray()) {
            QJsonObject one = value.toObject();
            for (const QString &role : {QStringLiteral("inputs"), QStringLiteral("expected")})
                one.insert(role, there(one.value(role).toArray()));
            if (const QJsonArray sets = one.value(QLatin1String("input_sets")).toArray(); !sets.isEmpty()) {
                QJsonArray moved;
                for (const QJsonValue &set : sets)
                    moved.append(there(set.toArray()));
                one.insert(QStringLiteral("input_sets"), moved);
            }
            if (one.contains(QLatin1String("outputs")))
                one.insert(QStringLiteral("outputs"),
                           mapped(one.value(QLatin1String("outputs")).toArray(),
                                  [&](const QString &path) { return outputs + u'/' + QFileInfo(path).fileName(); }));
            cases.append(one);
        }
        request.insert(key, cases);
    }
    return request;
}

} // namespace kernelskill::cuda
