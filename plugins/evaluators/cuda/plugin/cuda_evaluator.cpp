// SPDX-License-Identifier: Apache-2.0
#include "cuda_evaluator.h"

#include "cuda_answer.h"
#include "cuda_request.h"
#include "device_directory.h"
#include "device_spec.h"
#include "evaluation/checks.h"
#include "evaluation/plausibility.h"
#include "evaluation/worker_answer.h"
#include "profile/metric_catalogue.h"
#include "worker/sandbox.h"

#include <algorithm>

#include <QFileInfo>

namespace kernelskill::cuda {

namespace {

constexpr std::chrono::seconds askedFor{30};
constexpr std::chrono::seconds patience{12}; // ssh gives up connecting after 10
constexpr int starting_ms = 60'000;          // from the request to the first message
constexpr int importing_ms = 180'000;        // of a report with thousands of launches

void report(const ProgressSink &sink, const QString &stage, const QString &what, int done = 0, int total = 1)
{
    if (sink) sink({stage, done, total, what});
}

std::function<void(const QString &)> sayTo(const ProgressSink &sink)
{
    return [sink](const QString &what) { report(sink, QStringLiteral("preparing"), what); };
}

QString join(const QString &name, const QString &version)
{
    return version.isEmpty() ? name : QStringLiteral("%1 %2").arg(name, version);
}

} // namespace

// What one evaluation is made with; outlives its tasks.
struct CudaEvaluator::Job
{
    EvaluationRequest request;
    ProgressSink progress;
    CudaDevice device;
    QString host;
    Launcher *launcher = nullptr;
    Result<GpuSpec> gpu;
};

struct CudaEvaluator::Answer
{
    QJsonObject hello;
    Result<WorkerEnd> end; // an Error here is the worker's end on this candidate
    bool greeted = false;
};

CudaEvaluator::CudaEvaluator(const QJsonObject &settings, WorkerInstallation worker)
    : m_settings(CudaSettings::read(settings)), m_worker(std::move(worker))
{
}

CudaEvaluator::~CudaEvaluator() = default;

EvaluatorFacts CudaEvaluator::facts() const
{
    EvaluatorFacts facts;
    facts.id = QStringLiteral("cuda");
    facts.title = QStringLiteral("NVIDIA GPU");
    facts.taskKinds = {QStringLiteral("native")};
    facts.languages = {QStringLiteral("cuda")};
    facts.kind = TimeKind::Measured;
    for (const MetricInfo &metric : metricCatalogue())
        facts.metrics.append(metric.name);
    return facts;
}

QList<DeviceInfo> CudaEvaluator::devices() const
{
    if (!m_settings)
        return {{QStringLiteral("0"), QStringLiteral("NVIDIA GPU"), {}, false, m_settings.error().message}};
    QList<DeviceInfo> devices;
    for (const HostDevices &host : DeviceDirectory::instance().look(m_worker, m_settings->hosts, patience)) {
        const QString place = host.host.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(host.host);
        for (const CudaDevice &device : host.devices)
            devices.append({device.id, device.name + place, device.architecture, device.usable, device.reason});
        if (host.devices.isEmpty())
            devices.append(
                {deviceId(host.host, 0), QStringLiteral("NVIDIA GPU") + place, {}, false, host.trouble.message});
    }
    // The default comes first: who lists devices offers the first one.
    std::ranges::stable_partition(devices,
                                  [this](const DeviceInfo &device) { return device.id == m_settings->device; });
    return devices;
}

Result<void> CudaEvaluator::accepts(const EvaluationRequest &request) const
{
    if (!m_settings) return std::unexpected(m_settings.error());
    if (request.task.kind != QLatin1String("native") || request.candidate.language != QLatin1String("cuda"))
        return failure(
            QStringLiteral("cuda.unsupported"),
            QStringLiteral("The CUDA evaluator takes CUDA C++ candidates of native tasks; this is a %1 candidate "
                           "of a %2 task.")
                .arg(request.candidate.language, request.task.kind));
    if (request.candidate.isEmpty())
        return failure(QStringLiteral("cuda.candidate"), QStringLiteral("The candidate has no files."));
    return {};
}

Launcher *CudaEvaluator::launcher(const QString &host)
{
    std::unique_ptr<Launcher> &found = m_launchers[host];
    if (found) return found.get();
    const auto address = std::ranges::find(m_settings->hosts, host, &HostAddress::name);
    found = address == m_settings->hosts.end() ? makeLocalLauncher(m_worker) : makeSshLauncher(*address, m_worker);
    return found.get();
}

QCoro::Task<HostDevices> CudaEvaluator::ask(QString host, ProgressSink progress, std::stop_token stop)
{
    if (const auto known = m_asked.find(host); known != m_asked.end() && !known->second.until.hasExpired()) {
        HostDevices copy = known->second.answer; // a task moves out of whatever it returns
        co_return copy;
    }
    HostDevices answer = co_await askDevices(launcher(host), sayTo(progress), stop);
    if (!answer.devices.isEmpty()) m_asked[host] = {answer, QDeadlineTimer(askedFor)};
    co_return answer;
}

QCoro::Task<Result<CudaDevice>> CudaEvaluator::choose(QString wanted, ProgressSink progress, std::stop_token stop)
{
    const auto hosts = hostsToAsk(wanted, m_settings->hosts);
    if (!hosts) co_return std::unexpected(hosts.error());
    QList<HostDevices> asked;
    for (const QString &host : *hosts) {
        asked.append(co_await ask(host, progress, stop));
        const bool stopped = asked.last().trouble.code == QLatin1String("worker.stopped");
        if (stopped) co_return std::unexpected(asked.last().trouble);
        // The first that can be used will do.
        if (wanted.isEmpty() && std::ranges::any_of(asked.last().devices, &CudaDevice::usable)) break;
    }
    co_return chooseDevice(wanted, asked);
}

QCoro::Task<Result<CudaEvaluator::Answer>> CudaEvaluator::work(const Job *job, QJsonObject request,
                                                               std::stop_token stop)
{
    Launcher *where = job->launcher;
    const auto say = sayTo(job->progress);
    const auto ready = co_await where->prepare(say, stop);
    if (!ready) co_return std::unexpected(ready.error());
    const QStringList files = filesRead(request);
    if (!job->host.isEmpty() && !files.isEmpty()) say(QStringLiteral("sending files to %1").arg(job->host));
    const auto places = co_await where->stage(files, stop);
    if (!places) co_return std::unexpected(places.error());
    const QString outputsHere = outputFolder(request);
    QString outputsThere;
    if (!outputsHere.isEmpty()) {
        const auto made = co_await where->makeFolder(outputsHere, stop);
        if (!made) co_return std::unexpected(made.error());
        outputsThere = *made;
    }
    Answer answer;
    WorkerCommand command;
    command.request = moved(request, *places, outputsThere);
    command.wallClock_ms = starting_ms;
    command.stageClock_ms = StageLimits().clocks();
    command.greeted = [&answer](const QJsonObject &hello) {
        answer.hello = hello;
        answer.greeted = true;
    };
    answer.end = co_await where->run(std::move(command), progressOf(job->progress), stop);
    if (!answer.end && answer.end.error().code == QLatin1String("worker.connection"))
        co_return std::unexpected(answer.end.error());
    if (!outputsThere.isEmpty()) {
        const auto fetched = co_await where->fetchFolder(outputsThere, outputsHere, stop);
        if (!fetched && answer.end) co_return std::unexpected(fetched.error());
    }
    co_return answer;
}

QCoro::Task<Result<CudaEvaluator::Answer>> CudaEvaluator::attempt(const Job *job, QJsonObject request,
                                                                  std::stop_token stop)
{
    auto answer = co_await work(job, request, stop);
    const auto lost = [&] { return !answer && answer.error().code == QLatin1String("worker.connection"); };
    if (!lost() || stop.stop_requested()) co_return answer;
    report(job->progress, QStringLiteral("connecting"),
           QStringLiteral("the connection to %1 was lost; trying once more").arg(job->host));
    answer = co_await work(job, request, stop);
    if (lost())
        co_return failure(answer.error().code, answer.error().message + QStringLiteral(" This was the second attempt."),
                          answer.error().detail);
    co_return answer;
}

namespace {

QJsonObject manifest(const EvaluationRequest &request, const CudaDevice &device, const QString &host,
                     const CudaSettings &settings)
{
    return {{QStringLiteral("evaluator"), QStringLiteral("cuda")},
            {QStringLiteral("device"), device.id},
            {QStringLiteral("device_name"), device.name},
            {QStringLiteral("device_uuid"), device.uuid},
            {QStringLiteral("architecture"), device.architecture},
            {QStringLiteral("driver"), device.facts.value(u"driver").toString()},
            {QStringLiteral("host"), host},
            {QStringLiteral("mode"), request.mode},
            {QStringLiteral("seed"), qint64(request.seed)},
            {QStringLiteral("profiler"), settings.profiler},
            {QStringLiteral("candidate"), QString::fromLatin1(request.candidate.digest())},
            {QStringLiteral("task"), QString::fromLatin1(request.task.digest())},
            {QStringLiteral("confined"), !request.unconfined}};
}

// What the worker knows better: its version, the compiler it used.
void completeManifest(const QJsonObject &hello, const QJsonObject &answer, QJsonObject &manifest)
{
    manifest.insert(QStringLiteral("worker"),
                    join(hello.value(u"hello").toString(), hello.value(u"version").toString()));
    const QJsonObject build = answer.value(u"build").toObject();
    if (const QString compiler = build.value(u"compiler").toString(); !compiler.isEmpty())
        manifest.insert(QStringLiteral("compiler"), compiler);
    const QJsonObject device = answer.value(u"device").toObject();
    for (const char *key : {"driver", "clocks", "persistence"}) {
        const QJsonValue value = device.value(QLatin1String(key));
        if (!value.isUndefined()) manifest.insert(QLatin1String(key), value);
    }
    if (!device.isEmpty()) manifest.insert(QStringLiteral("device_facts"), device);
}

void addIsolation(const EvaluationRequest &request, const QJsonObject &hello, Evaluation &evaluation)
{
    QString why;
    if (request.unconfined)
        why = QStringLiteral("the candidate ran without a sandbox");
    else if (!hello.value(u"filters_system_calls").toBool(true))
        why = QStringLiteral("the worker there was built without libseccomp, so the candidate's system calls were not "
                             "filtered");
    const QString name = QStringLiteral("isolation");
    if (why.isEmpty() || std::ranges::contains(evaluation.checks, name, &Check::name)) return; // the worker may say so too
    evaluation.checks.append(checks::notMade(name, why));
}

void checkDevice(const EvaluationRequest &request, const Result<GpuSpec> &gpu, Evaluation &evaluation)
{
    if (gpu) {
        checkPlausibility(request.task, *gpu, evaluation);
        checkProfiledWork(request.task, *gpu, evaluation);
    } else if (!evaluation.timings.isEmpty())
        evaluation.checks.append(checks::notMade(QStringLiteral("plausible time"), gpu.error().message));
}

} // namespace

Result<Evaluation> CudaEvaluator::evaluationOf(const Job &job, const Answer &answer) const
{
    Evaluation evaluation;
    evaluation.kind = TimeKind::Measured;
    evaluation.manifest = manifest(job.request, job.device, job.host, *m_settings);
    if (!answer.end) {
        if (!explainWorkerEnd(answer.end.error(), answer.greeted, evaluation))
            return std::unexpected(answer.end.error());
        return evaluation;
    }
    const QJsonObject &last = answer.end->last;
    if (const auto trouble = troubleIn(last, answer.end->log)) return std::unexpected(*trouble);
    completeManifest(answer.hello, last, evaluation.manifest);
    addAnswer(last, job.gpu ? job.gpu->id : job.device.name, job.request.candidate.files.first().path, evaluation);
    addIsolation(job.request, answer.hello, evaluation);
    return evaluation;
}

// Everything but building, with the right answers at hand. `build`: what building said when it was done before.
QCoro::Task<Result<Evaluation>> CudaEvaluator::judge(const Job *job, WorkOrder order, QJsonObject build,
                                                     std::stop_token stop)
{
    const JudgedOutputs judged(job->request.task);
    const auto body = makeRequest(job->request, *m_settings, job->device,
                                  job->gpu ? std::optional(*job->gpu) : std::nullopt, order, judged);
    if (!body) co_return std::unexpected(body.error());
    auto answer = co_await attempt(job, *body, stop);
    if (!answer) co_return std::unexpected(answer.error());
    if (answer->end && !build.isEmpty()) answer->end->last.insert(QStringLiteral("build"), build);
    auto evaluation = evaluationOf(*job, *answer);
    if (!evaluation) co_return evaluation;
    if (answer->end && judged.applies()) {
        const auto done =
            co_await judged.judge(job->request.task, order.allChecks(), &*evaluation, job->request.unconfined, stop);
        if (!done) co_return std::unexpected(done.error());
    }
    if (answer->end) checkDevice(job->request, job->gpu, *evaluation);
    checks::conclude(*evaluation);
    co_return evaluation;
}

QCoro::Task<Result<CudaEvaluator::Job>> CudaEvaluator::prepare(EvaluationRequest request, ProgressSink progress,
                                                               std::stop_token stop)
{
    if (const auto accepted = accepts(request); !accepted) co_return std::unexpected(accepted.error());
    const auto device = co_await choose(request.device.isEmpty() ? m_settings->device : request.device, progress, stop);
    if (!device) co_return std::unexpected(device.error());
    const qsizetype colon = device->id.lastIndexOf(u':');
    const QString host = colon < 0 ? QString() : device->id.first(colon);
    co_return Job{request, progress, *device, host, launcher(host), specOf(*device)};
}

QCoro::Task<Result<QList<Finding>>> CudaEvaluator::compile(EvaluationRequest request, std::stop_token stop)
{
    const auto job = co_await prepare(request, {}, stop);
    if (!job) co_return std::unexpected(job.error());
    const auto answer = co_await attempt(&*job, makeBuildRequest(request, *m_settings, job->device), stop);
    if (!answer) co_return std::unexpected(answer.error());
    const auto built = evaluationOf(*job, *answer);
    if (!built) co_return std::unexpected(built.error());
    co_return built->findings;
}

QCoro::Task<Result<Evaluation>> CudaEvaluator::importReport(QString path, std::stop_token stop)
{
    if (!QFileInfo(path).isFile())
        co_return failure("profile.report", QStringLiteral("%1: there is no such file; expected a report of ncu").arg(path));
    const std::unique_ptr<Launcher> here = makeLocalLauncher(m_worker);
    if (const auto ready = co_await here->prepare([](const QString &) {}, stop); !ready)
        co_return std::unexpected(ready.error());
    WorkerCommand command;
    command.request = {{QStringLiteral("import_report"), QFileInfo(path).absoluteFilePath()}};
    command.wallClock_ms = importing_ms;
    const auto end = co_await here->run(std::move(command), [](const QJsonObject &) {}, stop);
    if (!end) co_return std::unexpected(end.error());
    if (const auto trouble = troubleIn(end->last, end->log)) co_return std::unexpected(*trouble);
    Evaluation evaluation;
    evaluation.kind = TimeKind::Measured;
    addWorkerAnswer(end->last, QString(), TimeKind::Measured, evaluation);
    co_return evaluation;
}

QCoro::Task<Result<Evaluation>> CudaEvaluator::evaluate(EvaluationRequest request, ProgressSink progress,
                                                        std::stop_token stop)
{
    const auto prepared = co_await prepare(request, progress, stop);
    if (!prepared) co_return std::unexpected(prepared.error());
    const Job &job = *prepared;
    // The reference runs on this machine, whichever has the GPU.
    if (!request.unconfined) {
        if (const auto confined = requireSandbox(QStringLiteral("Candidates")); !confined)
            co_return std::unexpected(confined.error());
    }

    // The right answers are computed here while both programs are built there. Where they are known already, one
    // request does for everything.
    std::stop_source enough;
    const std::stop_callback whenStopped(stop, [&enough] { enough.request_stop(); });
    auto planning = makeWorkOrder(request, enough.get_token(), true);
    QJsonObject build;
    if (!planning.isReady()) {
        const auto answer = co_await attempt(&job, makeBuildRequest(request, *m_settings, job.device), stop);
        auto built = answer ? evaluationOf(job, *answer) : Result<Evaluation>(std::unexpected(answer.error()));
        if (!built || built->status != Status::Ok) {
            enough.request_stop();
            co_await planning;
            if (built) checks::conclude(*built);
            co_return built;
        }
        build = answer->end->last.value(u"build").toObject();
        report(progress, QStringLiteral("reference"), QStringLiteral("computing the right answers"));
    }
    const auto order = co_await planning;
    if (!order) co_return std::unexpected(order.error());
    co_return co_await judge(&job, *order, build, stop);
}

} // namespace kernelskill::cuda
