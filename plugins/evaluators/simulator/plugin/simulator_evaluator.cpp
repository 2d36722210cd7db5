// SPDX-License-Identifier: Apache-2.0
#include "simulator_evaluator.h"

#include "base/paths.h"
#include "evaluation/checks.h"
#include "frontend/build.h"
#include "plugin/evaluation_mapping.h"
#include "plugin/judged_outputs.h"
#include "plugin/references.h"
#include "plugin/work_plan.h"
#include "profile/gpu_spec.h"
#include "profile/metric_catalogue.h"
#include "worker/sandbox.h"
#include "worker/worker_process.h"

#include <QFile>
#include <QJsonArray>

#include <algorithm>

namespace kernelskill::simulator {

namespace {

constexpr int workerTime_ms = 240'000;
constexpr double floorShare = 0.7; // of the least time: the ceilings themselves are uncertain

// Everything one evaluation is made with.
struct Setting
{
    EvaluationRequest request;
    Installation installation;
    Compiler compiler;
    GpuSpec gpu;
    QString gpuFile;
    double sampleBudget = 0; // thread instructions; 0: the worker's own figure
};

QString text(const QJsonObject &object, const char *key, const QString &otherwise)
{
    const QString value = object.value(QLatin1String(key)).toString();
    return value.isEmpty() ? otherwise : value;
}

// The one whose figures were measured.
QString defaultDevice(const QJsonObject &settings)
{
    return text(settings, "device", QStringLiteral("h200"));
}

Result<Setting> prepare(const QJsonObject &settings, EvaluationRequest request)
{
    if (request.task.kind != QLatin1String("native") || request.candidate.language != QLatin1String("cuda"))
        return failure(
            QStringLiteral("simulator.unsupported"),
            QStringLiteral(
                "The simulator evaluates CUDA C++ candidates of native tasks; this is a %1 candidate of a %2 task.")
                .arg(request.candidate.language, request.task.kind));
    if (request.candidate.isEmpty())
        return failure(QStringLiteral("simulator.candidate"), QStringLiteral("The candidate has no files."));
    if (!request.unconfined) {
        if (const SandboxSupport support = sandboxSupport(); !support.available)
            return failure(
                QStringLiteral("sandbox.unavailable"),
                QStringLiteral("Candidates cannot be confined here: %1 %2").arg(support.reason, support.remedy));
    }
    Setting setting;
    const auto installation = Installation::find();
    if (!installation) return std::unexpected(installation.error());
    const auto compiler = Compiler::find(text(settings, "compiler", {}));
    if (!compiler) return std::unexpected(compiler.error());
    const QString device = request.device.isEmpty() ? defaultDevice(settings) : request.device;
    auto gpu = GpuSpec::find(device);
    if (!gpu) return std::unexpected(gpu.error());
    setting.request = std::move(request);
    setting.installation = *installation;
    setting.compiler = *compiler;
    setting.gpuFile = paths::resources() + QStringLiteral("/gpus/%1.json").arg(gpu->id);
    setting.gpu = std::move(*gpu);
    setting.sampleBudget = settings.value(QLatin1String("sampleBudget")).toDouble();
    return setting;
}

QJsonObject manifest(const Setting &setting, const BuildProduct &product)
{
    return {{QStringLiteral("evaluator"), QStringLiteral("simulator")},
            {QStringLiteral("compiler"), setting.compiler.version},
            {QStringLiteral("device"), setting.gpu.id},
            {QStringLiteral("device_name"), setting.gpu.name},
            {QStringLiteral("mode"), setting.request.mode},
            {QStringLiteral("seed"), qint64(setting.request.seed)},
            {QStringLiteral("candidate"), QString::fromLatin1(setting.request.candidate.digest())},
            {QStringLiteral("task"), QString::fromLatin1(setting.request.task.digest())},
            {QStringLiteral("build_ms"), product.wall_ms},
            {QStringLiteral("build_cached"), product.cached},
            {QStringLiteral("confined"), !setting.request.unconfined}};
}

QString readText(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

void addBuild(const BuildProduct &product, Evaluation &evaluation)
{
    evaluation.log += product.log;
    if (!product.succeeded) {
        evaluation.status = Status::BuildFailed;
        evaluation.findings += product.findings;
        evaluation.checks.append(checks::failed(
            QStringLiteral("build"), product.findings.isEmpty() ? QString() : product.findings.first().message));
        return;
    }
    evaluation.checks.append(checks::passed(QStringLiteral("build")));
    QString ptx;
    for (const QString &path : product.ptx)
        ptx += readText(path);
    evaluation.artefacts.insert(QStringLiteral("ptx"), ptx);
}

// What is to be checked, with the right answers.
struct Plan
{
    QList<PlannedCheck> checks;
    QList<ReferenceFiles> references;      // of the checks
    QList<ReferenceFiles> timedReferences; // of the time sizes; without files where that would take too long
};

QCoro::Task<Result<Plan>> makePlan(EvaluationRequest request, std::stop_token stop)
{
    Plan plan;
    plan.checks = plannedChecks(request.task, request.seed);
    const auto references = co_await makeReferences(request.task, plan.checks, request.unconfined, stop);
    if (!references) co_return std::unexpected(references.error());
    plan.references = *references;
    if (request.time) {
        for (const PlannedCheck &one : timedChecks(request.task, request.seed)) {
            const auto files = co_await makeReferences(
                request.task, one.name.isEmpty() ? QList<PlannedCheck>() : QList{one}, request.unconfined, stop);
            if (!files) co_return std::unexpected(files.error());
            plan.timedReferences.append(files->isEmpty() ? ReferenceFiles() : files->first());
        }
    }
    co_return plan;
}

Result<QJsonObject> workRequest(const Setting &setting, const BuildProduct &product, const Plan &plan,
                                const JudgedOutputs &judged)
{
    const Task &task = setting.request.task;
    QJsonArray checkCases, timeCases;
    for (qsizetype i = 0; i < plan.checks.size(); ++i) {
        auto one = binding(task, plan.checks[i].sizes);
        if (!one) return std::unexpected(one.error());
        one->insert(QStringLiteral("name"), plan.checks[i].name);
        one->insert(QStringLiteral("inputs"), QJsonArray::fromStringList(plan.references[i].inputs));
        one->insert(QStringLiteral("expected"), QJsonArray::fromStringList(plan.references[i].expected));
        if (judged.applies()) one->insert(QStringLiteral("outputs"), QJsonArray::fromStringList(judged.files(task, i)));
        checkCases.append(*one);
    }
    for (qsizetype i = 0; i < plan.timedReferences.size(); ++i) {
        const TimeSize &size = task.time[i];
        auto one = binding(task, size.sizes);
        if (!one) return std::unexpected(one.error());
        one->insert(QStringLiteral("name"), size.name);
        one->insert(QStringLiteral("weight"), size.weight);
        one->insert(QStringLiteral("seeds"), inputSeeds(task, setting.request.seed));
        one->insert(QStringLiteral("inputs"), QJsonArray::fromStringList(plan.timedReferences[i].inputs));
        one->insert(QStringLiteral("expected"), QJsonArray::fromStringList(plan.timedReferences[i].expected));
        timeCases.append(*one);
    }
    return QJsonObject{{QStringLiteral("gpu"), setting.gpuFile},
                       {QStringLiteral("ptx"), QJsonArray::fromStringList(product.ptx)},
                       {QStringLiteral("host"), setting.installation.hostProgram()},
                       {QStringLiteral("library"), product.library},
                       {QStringLiteral("readable"), QJsonArray{setting.installation.folder, product.folder}},
                       {QStringLiteral("unconfined"), setting.request.unconfined},
                       {QStringLiteral("sample_budget"), setting.sampleBudget},
                       {QStringLiteral("absolute"), task.tolerance.absolute},
                       {QStringLiteral("relative"), task.tolerance.relative},
                       {QStringLiteral("parameters"), parameterSpecs(task)},
                       {QStringLiteral("checks"), checkCases},
                       {QStringLiteral("times"), timeCases}};
}

void report(const ProgressSink &sink, const QString &stage, int done, int total, const QString &what)
{
    if (sink) sink({stage, done, total, what});
}

std::function<void(const QJsonObject &)> progressOf(const ProgressSink &sink)
{
    return [sink](const QJsonObject &message) {
        const QString stage = message.value(QLatin1String("stage")).toString();
        const int done = message.value(QLatin1String("progress")).toInt();
        const int total = message.value(QLatin1String("total")).toInt();
        report(sink, stage, done, total,
               done < total ? QStringLiteral("%1 %2 of %3").arg(stage).arg(done + 1).arg(total) : stage);
    };
}

// A time no work of this size can have. Needs every size, so that a candidate cannot skip the large one.
void checkPlausibility(const Setting &setting, Evaluation &evaluation)
{
    if (evaluation.timings.isEmpty()) return;
    const QString name = QStringLiteral("plausible time");
    for (const SizeTiming &timing : std::as_const(evaluation.timings)) {
        const auto size = std::ranges::find(setting.request.task.time, timing.name, &TimeSize::name);
        if (size == setting.request.task.time.end()) continue;
        const auto floor = leastTime(setting.request.task, size->sizes, setting.gpu);
        if (!floor) {
            evaluation.checks.append(checks::notMade(name, floor.error().message));
            return;
        }
        if (timing.time_us < floorShare * floor->time_us) {
            evaluation.checks.append(checks::failed(
                name,
                QStringLiteral("%1 µs at size %2 is less than the task's own work needs (%3 µs: %4); work was skipped")
                    .arg(timing.time_us, 0, 'f', 2)
                    .arg(timing.name)
                    .arg(floor->time_us, 0, 'f', 2)
                    .arg(floor->reason)));
            return;
        }
    }
    evaluation.checks.append(checks::passed(name));
}

Finding simpleFinding(const QString &kind, const QString &message)
{
    Finding finding;
    finding.kind = kind;
    finding.message = message;
    return finding;
}

// What a worker that did not finish means for the candidate. False when it is trouble of the environment.
bool explainWorkerEnd(const Error &error, Evaluation &evaluation)
{
    if (error.code == QLatin1String("worker.timeout")) {
        evaluation.status = Status::Timeout;
        evaluation.findings.append(
            simpleFinding(QStringLiteral("timeout"),
                          QStringLiteral("the simulation took longer than %1 seconds").arg(workerTime_ms / 1000)));
        return true;
    }
    if (error.code == QLatin1String("worker.died") || error.code == QLatin1String("worker.protocol")) {
        evaluation.status = Status::Crashed;
        evaluation.findings.append(
            simpleFinding(QStringLiteral("simulator_fault"),
                          QStringLiteral("the simulator itself failed on this candidate: %1").arg(error.message)));
        evaluation.log += error.detail;
        return true;
    }
    return false;
}

void addLimits(const Setting &setting, Evaluation &evaluation)
{
    if (setting.request.unconfined)
        evaluation.checks.append(
            checks::notMade(QStringLiteral("isolation"), QStringLiteral("the candidate ran without a sandbox")));
}

} // namespace

SimulatorEvaluator::SimulatorEvaluator(QJsonObject settings) : m_settings(std::move(settings)) {}

EvaluatorFacts SimulatorEvaluator::facts() const
{
    EvaluatorFacts facts;
    facts.id = QStringLiteral("simulator");
    facts.title = QStringLiteral("Simulator");
    facts.taskKinds = {QStringLiteral("native")};
    facts.languages = {QStringLiteral("cuda")};
    facts.kind = TimeKind::Modelled;
    for (const MetricInfo &metric : metricCatalogue())
        facts.metrics.append(metric.name);
    return facts;
}

QList<DeviceInfo> SimulatorEvaluator::devices() const
{
    QList<DeviceInfo> devices;
    // The default comes first: who lists devices offers the first one.
    const QString usual = defaultDevice(m_settings);
    QStringList ids = GpuSpec::available();
    if (ids.removeOne(usual)) ids.prepend(usual);
    for (const QString &id : ids) {
        const auto gpu = GpuSpec::find(id);
        if (gpu)
            devices.append({gpu->id, QStringLiteral("%1 (modelled)").arg(gpu->name), gpu->architecture, true, {}});
        else
            devices.append({id, id, {}, false, gpu.error().message});
    }
    return devices;
}

QCoro::Task<Result<Evaluation>> SimulatorEvaluator::evaluate(EvaluationRequest request, ProgressSink progress,
                                                             std::stop_token stop)
{
    const auto setting = prepare(m_settings, std::move(request));
    if (!setting) co_return std::unexpected(setting.error());
    report(progress, QStringLiteral("building"), 0, 1, QStringLiteral("building"));
    // The reference runs while the compiler does.
    auto planning = makePlan(setting->request, stop);
    const auto product = co_await build({setting->request.task, setting->request.candidate, setting->compiler,
                                         setting->installation, setting->request.unconfined},
                                        stop);
    const auto plan = co_await planning;
    if (!product) co_return std::unexpected(product.error());

    Evaluation evaluation;
    evaluation.kind = TimeKind::Modelled;
    evaluation.manifest = manifest(*setting, *product);
    addBuild(*product, evaluation);
    if (!product->succeeded) {
        checks::conclude(evaluation);
        co_return evaluation;
    }
    if (!plan) co_return std::unexpected(plan.error());
    addLimits(*setting, evaluation);
    const JudgedOutputs judged(setting->request.task);
    const auto work = workRequest(*setting, *product, *plan, judged);
    if (!work) co_return std::unexpected(work.error());
    const auto end =
        co_await runWorker({setting->installation.worker(), {}, *work, workerTime_ms}, progressOf(progress), stop);
    if (!end) {
        if (!explainWorkerEnd(end.error(), evaluation)) co_return std::unexpected(end.error());
    } else if (const QString trouble = end->last.value(QLatin1String("error")).toString(); !trouble.isEmpty()) {
        co_return failure(QStringLiteral("simulator.worker"), trouble, end->log);
    } else {
        addWork(end->last, setting->gpu.id, evaluation);
        if (judged.applies()) {
            const auto done = co_await judged.judge(setting->request.task, plan->checks, &evaluation,
                                                    setting->request.unconfined, stop);
            if (!done) co_return std::unexpected(done.error());
        }
        checkPlausibility(*setting, evaluation);
    }
    checks::conclude(evaluation);
    co_return evaluation;
}

} // namespace kernelskill::simulator
