// SPDX-License-Identifier: Apache-2.0
#include "simulator_evaluator.h"

#include "base/paths.h"
#include "evaluation/checks.h"
#include "evaluation/plausibility.h"
#include "evaluation/work_order.h"
#include "evaluation/worker_answer.h"
#include "frontend/build.h"
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

// Everything one evaluation is made with.
struct Setting
{
    EvaluationRequest request;
    Installation installation;
    Compiler compiler;
    GpuSpec gpu;
    QString gpuFile;
    int cores = 0;           // for sessions side by side; 0: as many as the worker may use
    double sessionWork = 0;  // see the worker's WorkRequest; 0: its own figure
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
        if (const auto confined = requireSandbox(QStringLiteral("Candidates")); !confined)
            return std::unexpected(confined.error());
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
    setting.cores = settings.value(QLatin1String("cores")).toInt();
    setting.sessionWork = settings.value(QLatin1String("sessionWork")).toDouble();
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

Result<QJsonObject> workRequest(const Setting &setting, const BuildProduct &product, const WorkOrder &order,
                                const JudgedOutputs &judged)
{
    auto work = toJson(order, setting.request, judged);
    if (!work) return work;
    work->insert(QStringLiteral("gpu"), setting.gpuFile);
    work->insert(QStringLiteral("ptx"), QJsonArray::fromStringList(product.ptx));
    work->insert(QStringLiteral("host"), setting.installation.hostProgram());
    work->insert(QStringLiteral("library"), product.library);
    work->insert(QStringLiteral("readable"), QJsonArray{setting.installation.folder, product.folder});
    work->insert(QStringLiteral("unconfined"), setting.request.unconfined);
    work->insert(QStringLiteral("mode"), setting.request.mode);
    work->insert(QStringLiteral("cores"), setting.cores);
    if (setting.sessionWork > 0) work->insert(QStringLiteral("session_work"), setting.sessionWork);
    work->insert(QStringLiteral("sample_budget"), setting.sampleBudget);
    return work;
}

void report(const ProgressSink &sink, const QString &stage, int done, int total, const QString &what)
{
    if (sink) sink({stage, done, total, what});
}

// What a worker that did not finish means for the candidate. False when it is trouble of the environment.
bool explainWorkerEnd(const Error &error, Evaluation &evaluation)
{
    if (error.code == QLatin1String("worker.timeout")) {
        evaluation.status = Status::Timeout;
        evaluation.findings.append(
            checks::finding(QStringLiteral("timeout"),
                          QStringLiteral("the simulation took longer than %1 seconds").arg(workerTime_ms / 1000)));
        return true;
    }
    if (error.code == QLatin1String("worker.died") || error.code == QLatin1String("worker.protocol")) {
        evaluation.status = Status::Crashed;
        evaluation.findings.append(
            checks::finding(QStringLiteral("simulator_fault"),
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
    auto planning = makeWorkOrder(setting->request, stop);
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
        addWorkerAnswer(end->last, setting->gpu.id, TimeKind::Modelled, evaluation);
        if (judged.applies()) {
            const auto done = co_await judged.judge(setting->request.task, plan->checks, &evaluation,
                                                    setting->request.unconfined, stop);
            if (!done) co_return std::unexpected(done.error());
        }
        checkPlausibility(setting->request.task, setting->gpu, evaluation);
    }
    checks::conclude(evaluation);
    co_return evaluation;
}

QCoro::Task<Result<QList<Finding>>> SimulatorEvaluator::compile(EvaluationRequest request, std::stop_token stop)
{
    const auto setting = prepare(m_settings, std::move(request));
    if (!setting) co_return std::unexpected(setting.error());
    const auto product = co_await build({setting->request.task, setting->request.candidate, setting->compiler,
                                         setting->installation, setting->request.unconfined},
                                        stop);
    if (!product) co_return std::unexpected(product.error());
    co_return product->succeeded ? QList<Finding>() : product->findings;
}

} // namespace kernelskill::simulator
