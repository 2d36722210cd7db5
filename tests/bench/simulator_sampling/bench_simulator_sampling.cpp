// SPDX-License-Identifier: Apache-2.0
// What sampling blocks costs in truth and saves in time: every bundled task's baseline at its `time` size, once as users
// get it and once with every block run.
//
//   bench_simulator_sampling [TASK…]
//
// Prints, for each task, the seconds of the timing stage both ways and how far each counter of the deciding kernel is off.
#include "evaluation/evaluator.h"
#include "plugin/simulator_evaluator.h"
#include "profile/profile.h"
#include "task/task.h"

#include <QCoreApplication>
#include <QCoroTask>
#include <QDir>
#include <QElapsedTimer>

#include <cmath>
#include <cstdio>

using namespace kernelskill;

namespace {

struct Outcome
{
    Evaluation evaluation;
    double timing_s = 0; // from the first word of the timing stage to the end
};

Outcome evaluated(const Task &task, double budget)
{
    QJsonObject settings;
    if (budget > 0) settings.insert(QStringLiteral("sampleBudget"), budget);
    simulator::SimulatorEvaluator evaluator(settings);
    EvaluationRequest request;
    request.task = task;
    request.candidate = task.baseline;
    request.time = true;
    QElapsedTimer timer;
    timer.start();
    double begin_s = 0;
    const auto result = QCoro::waitFor(evaluator.evaluate(
        request,
        [&](const EvaluationProgress &progress) {
            if (begin_s == 0 && progress.stage == QLatin1String("timing")) begin_s = timer.elapsed() / 1e3;
        },
        {}));
    if (!result) qFatal("%s: %s", qPrintable(task.name), qPrintable(result.error().message));
    return {*result, timer.elapsed() / 1e3 - begin_s};
}

// Counters proper: what follows from them by the time model is not a sample's doing alone.
constexpr const char *counters[] = {"instructions",        "fp32_flops",   "l1_bytes",
                                    "l2_bytes",            "dram_bytes",   "sectors_per_request",
                                    "store_sectors_per_request", "l1_wavefronts", "shared_bank_conflicts",
                                    "l1_hit_pct",          "l2_hit_pct",   "pred_on_threads_per_inst"};

void compare(const Task &task)
{
    const Outcome sampled = evaluated(task, 0);
    const Outcome whole = evaluated(task, 1e15);
    const Profile &before = sampled.evaluation.profile;
    const Profile &truth = whole.evaluation.profile;
    if (!sampled.evaluation.time_us() || !whole.evaluation.time_us()) {
        std::printf("%-16s timing stage %6.2f s sampled; all blocks are too many to run\n", qPrintable(task.name),
                    sampled.timing_s);
        std::fflush(stdout);
        return;
    }
    std::printf("%-16s timing stage %6.2f s sampled, %7.2f s whole; time %9.2f against %9.2f µs (%+.1f %%)\n",
                qPrintable(task.name), sampled.timing_s, whole.timing_s, *sampled.evaluation.time_us(),
                *whole.evaluation.time_us(), 100 * (*sampled.evaluation.time_us() / *whole.evaluation.time_us() - 1));
    for (const char *name : counters) {
        const std::optional<double> sample = before.metric(QString::fromLatin1(name));
        const std::optional<double> all = truth.metric(QString::fromLatin1(name));
        if (!sample || !all || *all == 0) continue;
        const double off = 100 * (*sample / *all - 1);
        std::printf("    %-26s %+6.2f %%%s\n", name, off, std::abs(off) > 3 ? "   beyond 3 %" : "");
    }
    std::fflush(stdout); // the next task may take minutes
}

} // namespace

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    QStringList names = application.arguments().mid(1);
    if (names.isEmpty()) names = QDir(QStringLiteral(TASK_DIR)).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString &name : names) {
        const Result<Task> task = readTask(QStringLiteral(TASK_DIR "/") + name);
        if (!task) qFatal("%s", qPrintable(task.error().message));
        compare(*task);
    }
    return 0;
}
