// SPDX-License-Identifier: Apache-2.0
// However many sessions check a candidate side by side, the answer is the same to the letter.
#include "simulator_test.h"

#include "plugin/simulator_evaluator.h"

#include <QCoroTask>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <numeric>
#include <stop_token>

using namespace kernelskill;
using namespace kernelskill::test;

namespace {

// The fixture task's right kernel, and a solve whose host code is given: it may launch `scale(x, y, n)`.
Candidate withHostCode(const QString &code)
{
    return Candidate::fromText(QStringLiteral("solve.cu"), QStringLiteral(R"(
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <unistd.h>
__global__ void scale(const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i] + 1.0f;
    if (i == 0 && n == 1000) printf("%d elements\n", n);
}
// The same after as many steps that come to nothing.
__global__ void work(const float *x, float *y, int n, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned noise = i;
    for (int step = 0; step < steps; ++step) noise = noise * 1664525u + 1013904223u;
    y[i] = noise == 1u && steps > 20000 ? 0.0f : 2.0f * x[i] + 1.0f;
}
static int calls = 0;
static void run(const float *x, float *y, int n, cudaStream_t stream)
{
    scale<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}
extern "C" void solve(const float *x, float *y, int n, cudaStream_t stream)
{
%1
}
)").arg(code));
}

QByteArray answer(const Evaluation &evaluation)
{
    QJsonObject object = evaluation.toJson();
    object.remove(QStringLiteral("manifest")); // how long building took
    return QJsonDocument(object).toJson();
}

// Every session is worth it, however little there is to do: the task's cases make four chains.
QJsonObject settings(int cores)
{
    return {{QStringLiteral("cores"), cores}, {QStringLiteral("sessionWork"), 1}};
}

Evaluation evaluatedBy(int cores, const Candidate &candidate)
{
    return evaluate(fixtureTask(), candidate, false, settings(cores));
}

QString outcomes(const Evaluation &evaluation, const QString &outcome)
{
    QStringList names;
    for (const Check &check : evaluation.checks) {
        if (check.outcome == outcome) names.append(check.name);
    }
    return names.join(u'|');
}

} // namespace

class tst_simulator_sessions : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { useOwnFolders(); }

    void answersAreTheSame_data()
    {
        QTest::addColumn<QString>("code"); // empty: the fixture of the row's name
        QTest::addColumn<QString>("verdict");
        QTest::addColumn<QString>("failed"); // checks that failed, in the answer's order
        const auto row = [](const char *name, const char *verdict, const char *failed, const char *code) {
            QTest::newRow(name) << QString::fromLatin1(code) << QString::fromLatin1(verdict) << QString::fromLatin1(failed);
        };
        row("passes and prints", "verified", "", "std::printf(\"called\\n\"); run(x, y, n, stream);");
        row("wrong_when_ragged.cu", "wrong", "outputs n=1000 seed 1", "");
        // Cases are four chains: seeds 1, 2, large… and so on; the first call of each chain is answered rightly.
        row("caches_result.cu", "wrong", nullptr, "");
        row("shared_race.cu", "wrong", nullptr, "");
        row("out_of_bounds.cu", "wrong", nullptr, "");
        row("crashes always", "failed", "outputs n=4096 seed 1", "std::abort();");
        row("crashes at a late case", "failed", "outputs n=1 seed 1",
            "if (n == 1) std::abort(); run(x, y, n, stream);");
        row("crashes at the second call", "failed", "outputs n=4096 seed 2",
            "if (++calls == 2) std::abort(); run(x, y, n, stream);");
        row("hangs at a late case", "failed", "outputs n=1000 seed 1",
            "while (n == 1000) usleep(1000); run(x, y, n, stream);");
        row("endless_kernel.cu", "failed", "outputs n=4096 seed 1", "");
        // More than a third, and less than all, of what a candidate may hold.
        row("needs much memory", "verified", "",
            "char *m = static_cast<char *>(std::malloc(1600u << 20)); std::memset(m, 1, 1600u << 20);"
            "usleep(300000); run(x, y, n, stream); std::free(m);");
        row("needs much device memory", "verified", "",
            "void *m = nullptr; if (cudaMalloc(&m, 5ull << 30) != cudaSuccess) return;"
            "run(x, y, n, stream); cudaFree(m);");
        row("needs too much device memory", "wrong", nullptr,
            "void *m = nullptr; if (cudaMalloc(&m, 9ull << 30) != cudaSuccess) return;"
            "run(x, y, n, stream); cudaFree(m);");
    }

    void answersAreTheSame()
    {
        QFETCH(QString, code);
        QFETCH(QString, verdict);
        QFETCH(QString, failed);
        const QString name = QString::fromLatin1(QTest::currentDataTag());
        const Candidate one = code.isEmpty() ? candidate(name) : withHostCode(code);
        const Evaluation serial = evaluatedBy(1, one);
        QVERIFY2(toString(serial.verdict) == verdict, describe(serial));
        if (!failed.isNull()) QCOMPARE(outcomes(serial, QStringLiteral("failed")), failed);
        for (const int cores : {2, 3}) {
            const Evaluation sideBySide = evaluatedBy(cores, one);
            QCOMPARE(answer(sideBySide), answer(serial));
        }
    }

    void whatEndsAProcessEndsWhatFollows()
    {
        const Evaluation evaluation =
            evaluatedBy(3, withHostCode(QStringLiteral("if (n == 1) std::abort(); run(x, y, n, stream);")));
        // In the answer's order the size 1 follows the ten cases of the check size, and one more follows it.
        QCOMPARE(checkNamed(evaluation, QStringLiteral("outputs n=4096 negative"))->outcome, QStringLiteral("passed"));
        const Check *after = checkNamed(evaluation, QStringLiteral("outputs n=1000 seed 1"));
        QCOMPARE(after->outcome, QStringLiteral("not made"));
        QCOMPARE(after->detail, QStringLiteral("an earlier failure ended the candidate's process"));
        QCOMPARE(evaluation.findings.size(), 1);
        QCOMPARE(evaluation.findings.first().kind, QStringLiteral("crash"));
    }

    void logsHoldEveryCallOnce()
    {
        const Candidate one = withHostCode(QStringLiteral(
            "static const int first = std::printf(\"begins\\n\"); (void)first; run(x, y, n, stream);"));
        const Evaluation evaluation = evaluatedBy(2, one);
        QVERIFY2(evaluation.verdict != Verdict::Wrong, describe(evaluation));
        QCOMPARE(evaluation.log.count(QStringLiteral("1000 elements")), 1); // by a kernel, of one case
        QCOMPARE(evaluation.log.count(QStringLiteral("begins")), 1);        // by every process, alike
    }

    void timesAreTheSame()
    {
        Task task = fixtureTask();
        TimeSize other = task.time[0];
        other.name = QStringLiteral("small");
        other.sizes[QStringLiteral("n")] = 100'000;
        task.time.append(other);
        const auto timed = [&](int cores) {
            return evaluate(task, task.baseline, true, settings(cores));
        };
        const Evaluation serial = timed(1);
        QVERIFY2(serial.verdict == Verdict::Verified, describe(serial));
        QCOMPARE(serial.timings.size(), 2);
        for (const int cores : {2, 3})
            QCOMPARE(answer(timed(cores)), answer(serial));
    }

    // Little work is done in one process as ever; much of it in more than one, on whatever machine.
    void sessionsAreWorthTheirWork()
    {
        const QString counted =
            QStringLiteral("char name[64]; std::snprintf(name, sizeof name, \"call %d of a process\", ++calls);"
                           "std::puts(name); work<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n, %1);");
        for (const int cores : {1, 2}) {
            const QJsonObject setting{{QStringLiteral("cores"), cores}};
            const Evaluation light = evaluate(fixtureTask(), withHostCode(counted.arg(1)), false, setting);
            const Evaluation heavy = evaluate(fixtureTask(), withHostCode(counted.arg(20'000)), false, setting);
            QVERIFY2(light.log.contains(QStringLiteral("call 12 of a process")), describe(light));
            QVERIFY2(!heavy.log.contains(QStringLiteral("call 5 of a process")), describe(heavy));
            QVERIFY2(heavy.log.contains(QStringLiteral("call 3 of a process")), describe(heavy));
        }
    }

    void progressCountsCases()
    {
        for (const int cores : {1, 3}) {
            simulator::SimulatorEvaluator evaluator(settings(cores));
            EvaluationRequest request;
            request.task = fixtureTask();
            request.candidate = request.task.baseline;
            QList<int> steps;
            const auto evaluation = QCoro::waitFor(evaluator.evaluate(
                request,
                [&](const EvaluationProgress &progress) {
                    if (progress.stage == QLatin1String("checking")) steps.append(progress.done);
                },
                {}));
            QVERIFY(evaluation);
            QList<int> expected(13);
            std::iota(expected.begin(), expected.end(), 0);
            QCOMPARE(steps, expected);
        }
    }

    void nothingIsLeftOfAStoppedEvaluation()
    {
        const QString mark = QStringLiteral("stopped-%1").arg(QCoreApplication::applicationPid());
        // Its text makes the candidate's library, and so its process's command line, one of a kind.
        const Candidate hangs = withHostCode(QStringLiteral("run(x, y, n, stream); while (n > 0 && ++calls > 1) usleep(1000); // %1").arg(mark));
        const QString library = build(fixtureTask(), hangs).library;
        simulator::SimulatorEvaluator evaluator(settings(3));
        EvaluationRequest request;
        request.task = fixtureTask();
        request.candidate = hangs;
        std::stop_source stop;
        int seen = 0;
        QTimer watch;
        connect(&watch, &QTimer::timeout, this, [&] {
            seen = std::max(seen, processesWith(library));
            if (seen >= 3) stop.request_stop();
        });
        watch.start(20);
        QElapsedTimer timer;
        timer.start();
        const auto evaluation = QCoro::waitFor(evaluator.evaluate(request, {}, stop.get_token()));
        QVERIFY2(seen >= 3, "three sessions at work, each with the candidate's process");
        QVERIFY(!evaluation);
        QVERIFY(timer.elapsed() < 9'000); // before any call's own limit
        QTRY_COMPARE(processesWith(library), 0);
    }

private:
    // Candidates of this library.
    static int processesWith(const QString &text)
    {
        int count = 0;
        const QStringList entries = QDir(QStringLiteral("/proc")).entryList(QDir::Dirs);
        for (const QString &entry : entries) {
            QFile file(QStringLiteral("/proc/%1/cmdline").arg(entry));
            if (entry[0].isDigit() && file.open(QIODevice::ReadOnly)) {
                const QList<QByteArray> words = file.readAll().split('\0');
                if (words.size() > 1 && words.first().endsWith("kernelskill-sim-host") && words[1] == text.toLocal8Bit())
                    ++count;
            }
        }
        return count;
    }
};

QTEST_GUILESS_MAIN(tst_simulator_sessions)
#include "tst_simulator_sessions.moc"
