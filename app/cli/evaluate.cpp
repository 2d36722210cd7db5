// SPDX-License-Identifier: Apache-2.0
// evaluate and profile: one candidate through one evaluator.
#include "command.h"

#include "evaluation/evaluator.h"
#include "plugin/plugin_manager.h"
#include "profile/metric_catalogue.h"
#include "task/candidate_file.h"
#include "task/task.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>

#include <algorithm>
#include <cmath>

namespace kernelskill::cli {

namespace {

// A .cu file, or a folder whose files make up the candidate: solve.cu first, else the only .cu file.
Result<Candidate> readCandidate(const QString &path)
{
    const QFileInfo info(path);
    if (!info.exists())
        return failure(QStringLiteral("candidate.missing"),
                       QStringLiteral("%1: there is no such file; expected a .cu file that defines solve").arg(path));
    Candidate candidate;
    if (info.isFile()) {
        auto file = readCandidateFile(path, info.fileName());
        if (!file) return std::unexpected(file.error());
        candidate.files.append(*file);
        return candidate;
    }
    if (!info.isDir())
        return failure(QStringLiteral("candidate.missing"),
                       QStringLiteral("%1: is neither a file nor a folder; expected a .cu file that defines solve").arg(path));
    QStringList names = QDir(path).entryList({QStringLiteral("*.cu"), QStringLiteral("*.cuh"), QStringLiteral("*.h")},
                                             QDir::Files, QDir::Name);
    std::ranges::stable_sort(names, [](const QString &a, const QString &b) {
        const auto rank = [](const QString &n) {
            return n == QLatin1String("solve.cu") ? 0 : n.endsWith(QLatin1String(".cu")) ? 1 : 2;
        };
        return rank(a) < rank(b);
    });
    if (names.isEmpty() || !names.first().endsWith(QLatin1String(".cu")))
        return failure(QStringLiteral("candidate.missing"),
                       QStringLiteral("%1: holds no .cu file; expected solve.cu").arg(path));
    for (const QString &name : names) {
        auto file = readCandidateFile(QDir(path).filePath(name), name);
        if (!file) return std::unexpected(file.error());
        candidate.files.append(*file);
    }
    return candidate;
}

constexpr QLatin1String reportEnding(".ncu-rep");

struct Options
{
    QString task, candidate, evaluator, device, mode;
    quint64 seed = 1;
    bool json = false, unconfined = false;
};

std::variant<Options, int> readOptions(const QString &command, const QStringList &arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(command == QLatin1String("profile") ? QStringLiteral("Shows a candidate's counters, or those in a report of ncu.")
                                                                         : QStringLiteral("Checks and times one candidate."));
    const bool profileOnly = command == QLatin1String("profile");
    parser.addPositionalArgument(QStringLiteral("TASK"),
                                 profileOnly ? QStringLiteral("Folder with task.json; or, alone, a report of ncu (%1).").arg(reportEnding)
                                             : QStringLiteral("Folder with task.json."));
    parser.addPositionalArgument(QStringLiteral("CANDIDATE"), QStringLiteral("A .cu file or a folder with solve.cu. The task's own vendor.cu is linked with what task.json says it needs."));
    parser.addOptions({
        {QStringLiteral("evaluator"), QStringLiteral("Evaluator plugin."), QStringLiteral("P"), QStringLiteral("simulator")},
        {QStringLiteral("device"), QStringLiteral("Device, as “doctor” lists them."), QStringLiteral("NAME")},
        {QStringLiteral("mode"), QStringLiteral("strict, kernelbench or paper."), QStringLiteral("M"), QStringLiteral("strict")},
        {QStringLiteral("seed"), QStringLiteral("Seed of the inputs."), QStringLiteral("N"), QStringLiteral("1")},
        {QStringLiteral("json"), QStringLiteral("One JSON document on stdout.")},
        {QStringLiteral("unconfined"), QStringLiteral("Run the candidate without a sandbox; the verdict is at most unproven.")},
    });
    if (const auto parsed = parse(parser, command, arguments, profileOnly ? 1 : 2, 2); parsed.over) return parsed.exitCode;
    Options options;
    options.task = parser.positionalArguments().at(0);
    options.candidate = parser.positionalArguments().value(1);
    if (options.candidate.isEmpty() && !options.task.endsWith(reportEnding)) {
        progressLine(QStringLiteral("kernelskill %1: expected TASK CANDIDATE, or a report that ends in %2").arg(command, reportEnding));
        return int(WrongUsage);
    }
    options.evaluator = parser.value(QStringLiteral("evaluator"));
    options.device = parser.value(QStringLiteral("device"));
    options.mode = parser.value(QStringLiteral("mode"));
    options.json = parser.isSet(QStringLiteral("json"));
    options.unconfined = parser.isSet(QStringLiteral("unconfined"));
    if (!QStringList{QStringLiteral("strict"), QStringLiteral("kernelbench"), QStringLiteral("paper")}.contains(options.mode)) {
        progressLine(QStringLiteral("kernelskill %1: --mode is strict, kernelbench or paper, not “%2”").arg(command, options.mode));
        return int(WrongUsage);
    }
    bool isNumber = false;
    options.seed = parser.value(QStringLiteral("seed")).toULongLong(&isNumber);
    if (!isNumber) {
        progressLine(QStringLiteral("kernelskill %1: --seed is a whole number, not “%2”")
                         .arg(command, parser.value(QStringLiteral("seed"))));
        return int(WrongUsage);
    }
    return options;
}

void printEvaluation(const Evaluation &evaluation)
{
    print(QStringLiteral("%1 (%2)").arg(toString(evaluation.verdict), toString(evaluation.status)));
    if (const auto time = evaluation.time_us())
        print(QStringLiteral("time      %1 [%2, %3] %4")
                  .arg(timeText(*time), timeText(evaluation.interval()->low), timeText(evaluation.interval()->high),
                       toString(evaluation.kind)));
    for (const Check &check : evaluation.checks)
        print(QStringLiteral("%1 %2%3").arg(check.outcome, -9).arg(check.name, check.detail.isEmpty() ? QString() : QStringLiteral(": ") + check.detail));
    for (const Finding &finding : evaluation.findings)
        print(QStringLiteral("%1%2: %3: %4")
                  .arg(finding.file.isEmpty() ? finding.kernel : finding.file,
                       finding.line > 0 ? QStringLiteral(":%1").arg(finding.line) : QString(), finding.kind, finding.message));
    if (evaluation.status == Status::BuildFailed || evaluation.status == Status::Crashed) print(evaluation.log);
}

// One bar an eighth of the height, of at most 60 equal parts of the time; a gap where there is no value.
QString bars(const QList<double> &values)
{
    const qsizetype parts = std::min<qsizetype>(60, values.size());
    QString line;
    for (qsizetype part = 0; part < parts; ++part) {
        double sum = 0;
        int count = 0;
        for (qsizetype i = part * values.size() / parts; i < (part + 1) * values.size() / parts; ++i) {
            if (!std::isfinite(values[i])) continue;
            sum += values[i];
            ++count;
        }
        const int eighths = count == 0 ? 0 : std::clamp(int(std::lround(sum / count / 100 * 8)), 1, 8);
        line += count == 0 ? QChar(u' ') : QChar(char16_t(0x2580 + eighths));
    }
    return line;
}

void printTimeline(const KernelTimeline &timeline)
{
    for (auto series = timeline.metrics.begin(); series != timeline.metrics.end(); ++series)
        print(QStringLiteral("  %1 every %2: %3").arg(series.key(), timeText(timeline.interval_us), bars(series.value())));
}

void printProfile(const Evaluation &evaluation)
{
    for (const KernelProfile &kernel : evaluation.profile.kernels) {
        print(QStringLiteral("\n%1  %2×%3×%4 blocks of %5×%6×%7 threads, %8 %9, %10 % of the time, roofline %11")
                  .arg(kernel.name).arg(kernel.grid[0]).arg(kernel.grid[1]).arg(kernel.grid[2])
                  .arg(kernel.block[0]).arg(kernel.block[1]).arg(kernel.block[2])
                  .arg(timeText(kernel.duration_us), toString(evaluation.kind), number(100 * kernel.timeShare, 0),
                       timeText(kernel.roofline_us)));
        for (auto metric = kernel.metrics.begin(); metric != kernel.metrics.end(); ++metric) {
            const MetricInfo *info = metricInfo(metric.key());
            print(QStringLiteral("  %1 %2 %3").arg(info ? info->title : metric.key(), -36)
                      .arg(number(metric.value(), 2), 18).arg(info ? info->unit : QString()));
        }
        for (auto stall = kernel.stalls.begin(); stall != kernel.stalls.end(); ++stall)
            print(QStringLiteral("  stall %1 %2 %").arg(stall.key(), -30).arg(number(100 * stall.value(), 1), 18));
        for (const HotSpot &spot : kernel.hotSpots)
            print(QStringLiteral("  %1:%2: %3").arg(spot.file).arg(spot.line).arg(spot.text));
        printTimeline(kernel.timeline);
        if (kernel.inGraph) print(QStringLiteral("  launched by a CUDA graph"));
        if (!kernel.missing.isEmpty())
            print(QStringLiteral("  without a value: %1").arg(kernel.missing.join(QStringLiteral(", "))));
        for (auto counter = kernel.counters.begin(); counter != kernel.counters.end(); ++counter)
            print(QStringLiteral("  %1 %2").arg(counter.key(), -70).arg(number(counter.value(), 2), 18));
    }
    const QJsonObject profiled = evaluation.evidence.value(u"profile").toObject();
    if (const QString why = profiled.value(u"why").toString(); !why.isEmpty()) print(QStringLiteral("\n%1").arg(why));
    for (const QJsonValue &remark : profiled.value(u"remarks").toArray()) print(remark.toString());
}

// Its libraries stand in task.json, not in the file.
bool isVendorBaseline(const Task &task, const QString &path)
{
    if (!task.vendor) return false;
    const QString own = QDir(task.folder).filePath(task.vendor->candidate.files.first().path);
    return QFileInfo(path).canonicalFilePath() == QFileInfo(own).canonicalFilePath();
}

int evaluateWith(const Options &options, bool profileOnly)
{
    auto task = readTask(options.task);
    if (!task) return report(task.error(), options.json);
    auto candidate = isVendorBaseline(*task, options.candidate) ? Result<Candidate>(task->vendor->candidate)
                                                                : readCandidate(options.candidate);
    if (!candidate) return report(candidate.error(), options.json);

    PluginManager manager;
    auto evaluator = manager.createEvaluator(options.evaluator);
    if (!evaluator) return report(evaluator.error(), options.json);

    std::stop_source stop;
    EvaluationRequest request{*task, *candidate, options.device, options.mode, options.seed, true, options.unconfined};
    const auto body = [&]() -> QCoro::Task<int> {
        QString last;
        auto evaluation = co_await (*evaluator)->evaluate(
            request,
            [&last](const EvaluationProgress &progress) {
                if (progress.stage == last) return;
                last = progress.stage;
                progressLine(progress.text.isEmpty() ? progress.stage : progress.text);
            },
            stop.get_token());
        if (stop.stop_requested()) co_return StoppedByPerson;
        if (!evaluation) co_return report(evaluation.error(), options.json);
        if (options.json) printJson(evaluation->toJson());
        else if (profileOnly) printProfile(*evaluation);
        else printEvaluation(*evaluation);
        co_return evaluation->isUsable() ? Done : CandidateFailed;
    };
    return runToEnd(body, [&] { stop.request_stop(); });
}

// Only one evaluator knows such files, whichever measures otherwise.
int showReport(const Options &options)
{
    PluginManager manager;
    auto evaluator = manager.createEvaluator(QStringLiteral("cuda"));
    if (!evaluator) return report(evaluator.error(), options.json);
    std::stop_source stop;
    const auto body = [&]() -> QCoro::Task<int> {
        const auto found = co_await (*evaluator)->importReport(options.task, stop.get_token());
        if (stop.stop_requested()) co_return StoppedByPerson;
        if (!found) co_return report(found.error(), options.json);
        if (options.json) printJson({{QStringLiteral("profile"), found->profile.toJson()}, {QStringLiteral("evidence"), found->evidence}});
        else printProfile(*found);
        co_return Done;
    };
    return runToEnd(body, [&] { stop.request_stop(); });
}

} // namespace

int evaluate(const QStringList &arguments)
{
    const auto options = readOptions(QStringLiteral("evaluate"), arguments);
    return std::holds_alternative<int>(options) ? std::get<int>(options) : evaluateWith(std::get<Options>(options), false);
}

int profile(const QStringList &arguments)
{
    const auto read = readOptions(QStringLiteral("profile"), arguments);
    if (std::holds_alternative<int>(read)) return std::get<int>(read);
    const auto &options = std::get<Options>(read);
    return options.candidate.isEmpty() ? showReport(options) : evaluateWith(options, true);
}

} // namespace kernelskill::cli
