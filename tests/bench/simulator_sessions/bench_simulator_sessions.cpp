// SPDX-License-Identifier: Apache-2.0
// What sessions side by side save: every bundled task's baseline, evaluated with one session and with two in turn.
//
//   bench_simulator_sessions [--repeats N] [--scale S] [--cores C] [TASK…]
//
// Prints for each task the wall seconds of the whole evaluation, its check stage and its timing stage, best and median of N
// (default 5) each way. --scale multiplies the check and edge sizes: bundled ones are small, so that starting processes is
// most of their check stage. --cores is what the second way may use (default 2). Building is cached after the first.
#include "evaluation/evaluator.h"
#include "plugin/simulator_evaluator.h"
#include "task/task.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QCoroTask>
#include <QDir>
#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace kernelskill;

namespace {

struct Seconds
{
    double whole = 0, checking = 0, timing = 0;
};

Seconds evaluated(const Task &task, int cores)
{
    simulator::SimulatorEvaluator evaluator({{QStringLiteral("cores"), cores}});
    EvaluationRequest request;
    request.task = task;
    request.candidate = task.baseline;
    request.time = true;
    QElapsedTimer timer;
    timer.start();
    double checkBegin = 0, checkEnd = 0;
    const auto result = QCoro::waitFor(evaluator.evaluate(
        request,
        [&](const EvaluationProgress &progress) {
            if (progress.stage != QLatin1String("checking")) return;
            const double now = static_cast<double>(timer.nsecsElapsed()) / 1e9;
            if (progress.done == 0) checkBegin = now;
            checkEnd = now;
        },
        {}));
    const double whole = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    if (!result) qFatal("%s: %s", qPrintable(task.name), qPrintable(result.error().message));
    if (result->verdict != Verdict::Verified) qFatal("%s: not verified", qPrintable(task.name));
    return {whole, checkEnd - checkBegin, whole - checkEnd};
}

void scaleSizes(Task &task, qint64 factor)
{
    const auto scale = [&](Sizes &sizes) {
        for (auto it = sizes.begin(); it != sizes.end(); ++it)
            *it *= factor;
    };
    scale(task.check);
    for (Sizes &sizes : task.edge)
        scale(sizes);
}

// Best and median each way, and how many times as fast the second way is.
void print(const char *what, const std::vector<Seconds> &one, const std::vector<Seconds> &more, double Seconds::*field)
{
    const auto sorted = [&](const std::vector<Seconds> &all) {
        std::vector<double> values;
        for (const Seconds &each : all)
            values.push_back(each.*field);
        std::ranges::sort(values);
        return values;
    };
    const std::vector<double> a = sorted(one), b = sorted(more);
    const double medianA = a[a.size() / 2], medianB = b[b.size() / 2];
    std::printf("    %-9s best %7.3f and %7.3f s (%.2f×), median %7.3f and %7.3f s (%.2f×)\n", what, a[0], b[0],
                a[0] / b[0], medianA, medianB, medianA / medianB);
}

} // namespace

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    QCommandLineParser parser;
    parser.addOptions({{QStringLiteral("repeats"), {}, QStringLiteral("N"), QStringLiteral("5")},
                       {QStringLiteral("scale"), {}, QStringLiteral("S"), QStringLiteral("1")},
                       {QStringLiteral("cores"), {}, QStringLiteral("C"), QStringLiteral("2")}});
    parser.process(application);
    const int repeats = std::max(1, parser.value(QStringLiteral("repeats")).toInt());
    const int cores = std::max(1, parser.value(QStringLiteral("cores")).toInt());
    QStringList names = parser.positionalArguments();
    if (names.isEmpty()) names = QDir(QStringLiteral(TASK_DIR)).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString &name : names) {
        Result<Task> task = readTask(QStringLiteral(TASK_DIR "/") + name);
        if (!task) qFatal("%s", qPrintable(task.error().message));
        scaleSizes(*task, std::max(1, parser.value(QStringLiteral("scale")).toInt()));
        (void)evaluated(*task, 1); // fills the cache
        std::vector<Seconds> one, more;
        for (int i = 0; i < repeats; ++i) {
            one.push_back(evaluated(*task, 1));
            more.push_back(evaluated(*task, cores));
        }
        std::printf("%s: 1 and %d sessions\n", qPrintable(name), cores);
        print("whole", one, more, &Seconds::whole);
        print("checking", one, more, &Seconds::checking);
        print("timing", one, more, &Seconds::timing);
        std::fflush(stdout);
    }
    return 0;
}
