// SPDX-License-Identifier: Apache-2.0
// Whole evaluations of the bundled tasks.
#include "plugin/simulator_evaluator.h"
#include "simulator_test.h"

#include <QCoroTask>
#include <QElapsedTimer>
#include <QTest>

#include <cmath>

using namespace kernelskill;
using namespace kernelskill::test;

class tst_simulator_evaluator : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { useOwnFolders(); }

    // A window or a person who does not choose gets the device whose figures were measured.
    void theMeasuredDeviceIsOfferedFirst()
    {
        const QList<DeviceInfo> devices = simulator::SimulatorEvaluator().devices();
        QVERIFY(devices.size() >= 6);
        QCOMPARE(devices.first().id, QStringLiteral("h200"));
        const QJsonObject settings{{QStringLiteral("device"), QStringLiteral("t4")}};
        QCOMPARE(simulator::SimulatorEvaluator(settings).devices().first().id, QStringLiteral("t4"));
    }

    void baselinesAreVerified_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"row_softmax", "layer_norm", "transpose", "matmul", "bias_gelu_residual"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

    void baselinesAreVerified()
    {
        QFETCH(QString, name);
        const Task task = bundledTask(name);
        const Evaluation evaluation = evaluate(task, task.baseline, true);
        QVERIFY2(evaluation.verdict == Verdict::Verified, describe(evaluation));
        QVERIFY(evaluation.findings.isEmpty());
        QCOMPARE(evaluation.timings.size(), task.time.size());
        QVERIFY(evaluation.time_us().value_or(0) > 1);
        const SizeTiming &timing = evaluation.timings.first();
        // one percent to either side at least, but for the last bit of a difference
        const double least = timing.time_us * (0.01 - 1e-12);
        QVERIFY(timing.time_us - timing.interval.low >= least && timing.interval.high - timing.time_us >= least);
        QVERIFY(!evaluation.profile.kernels.isEmpty());
        QCOMPARE(evaluation.profile.kind, QStringLiteral("modelled"));
        QVERIFY(!evaluation.profile.kernels.first().metrics.isEmpty());
        QVERIFY(!evaluation.profile.kernels.first().stalls.isEmpty());
        QVERIFY(!evaluation.artefacts.value(QStringLiteral("ptx")).isEmpty());
        QVERIFY(!evaluation.manifest.value(QLatin1String("compiler")).toString().isEmpty());
    }

    void hotSpotsAreAtTheCandidatesOwnLines()
    {
        const Task task = bundledTask(QStringLiteral("row_softmax"));
        const Evaluation evaluation = evaluate(task, task.baseline, true);
        QVERIFY2(!evaluation.profile.kernels.isEmpty(), describe(evaluation));
        const QList<HotSpot> &spots = evaluation.profile.kernels.first().hotSpots;
        QVERIFY(!spots.isEmpty());
        for (const HotSpot &spot : spots) {
            QCOMPARE(spot.file, task.baseline.files.first().path);
            QVERIFY(spot.line >= 7 && spot.line <= 24);
        }
    }

    void betterSoftmaxIsFasterByMuch()
    {
        const Task task = bundledTask(QStringLiteral("row_softmax"));
        QElapsedTimer timer;
        timer.start();
        const Evaluation better = evaluate(task, candidate(QStringLiteral("softmax_warp.cu")), true);
        qInfo("one evaluation took %lld ms", timer.elapsed());
        QVERIFY2(better.verdict == Verdict::Verified, describe(better));
        const Evaluation baseline = evaluate(task, task.baseline, true);
        const auto gain = speedup(baseline, better);
        QVERIFY(gain);
        QVERIFY2(gain->value > 3, qPrintable(QString::number(gain->value)));
        QVERIFY(!gain->touchesOne());
    }

    void eachKernelOfACandidateIsProfiled()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("two_kernels.cu")), true);
        QVERIFY2(evaluation.verdict == Verdict::Verified, describe(evaluation));
        QCOMPARE(evaluation.profile.launchCount, 2);
        QCOMPARE(evaluation.profile.kernels.size(), 2);
        QVERIFY(evaluation.profile.kernels[0].name.startsWith(QStringLiteral("twice")));
        QVERIFY(evaluation.profile.kernels[1].name.startsWith(QStringLiteral("plusOne")));
        const double shares = evaluation.profile.kernels[0].timeShare + evaluation.profile.kernels[1].timeShare;
        QVERIFY(std::abs(shares - 1) < 1e-9);
        const Evaluation single = evaluate(fixtureTask(), fixtureTask().baseline, true);
        QVERIFY(evaluation.time_us().value_or(0) > 1.5 * single.time_us().value_or(1e9));
    }

    // Launches of one shape cost the same, but each does its own work.
    void repeatedLaunchesAllTakeEffect()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("repeated_launches.cu")), true);
        QVERIFY2(evaluation.verdict == Verdict::Verified, describe(evaluation));
        QCOMPARE(evaluation.profile.launchCount, 4);
        QCOMPARE(evaluation.profile.kernels.size(), 1);
        QCOMPARE(evaluation.profile.kernels.first().launches, 4);
        const double lanes = evaluation.profile.kernels.first().metric(QStringLiteral("pred_on_threads_per_inst")).value_or(0);
        QVERIFY2(lanes > 30 && lanes <= 32, qPrintable(QString::number(lanes)));
    }

    void blocksMayMeetInACooperativeLaunch()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("grid_sync.cu")), true);
        QVERIFY2(evaluation.verdict == Verdict::Verified, describe(evaluation));
        QCOMPARE(evaluation.timings.size(), 1);
    }

    // All blocks that the device holds share the work, also where a counter deals it out.
    void blocksShareAWorkQueue()
    {
        const Evaluation queue = evaluate(fixtureTask(), candidate(QStringLiteral("work_queue.cu")), true);
        QVERIFY2(queue.verdict == Verdict::Verified, describe(queue));
        const double plain_us = evaluate(fixtureTask(), fixtureTask().baseline, true).time_us().value_or(0);
        const double queue_us = queue.time_us().value_or(1e9);
        QVERIFY2(queue_us > plain_us && queue_us < 3 * plain_us, qPrintable(QString("%1 against %2 µs").arg(queue_us).arg(plain_us)));
    }

    void runTimeAnswersAsExpected()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("uses_runtime.cu")));
        for (const Check &check : evaluation.checks) {
            if (check.name.startsWith(QStringLiteral("outputs")))
                QVERIFY2(check.outcome == QLatin1String("passed"), describe(evaluation));
        }
        QVERIFY2(evaluation.log.contains(QStringLiteral("first of 4096: 2.0")),
                 "what a kernel prints belongs into the log");
        QVERIFY(findingOf(evaluation, QStringLiteral("illegal_launch")));
    }

    void tensorCores()
    {
        const Task task = fixtureTask(QStringLiteral("half_matmul"));
        const Evaluation baseline = evaluate(task, task.baseline, true);
        QVERIFY2(baseline.verdict == Verdict::Verified, describe(baseline));
        const Evaluation tensor = evaluate(task, candidate(QStringLiteral("wmma_matmul.cu")), true);
        QVERIFY2(tensor.verdict == Verdict::Verified, describe(tensor));
        QVERIFY(tensor.profile.kernels.first().metric(QStringLiteral("tensor_pipe_pct")).value_or(0) > 0);
        QVERIFY(speedup(baseline, tensor)->value > 1);
    }

    void sameRequestGivesSameAnswer()
    {
        const Task task = bundledTask(QStringLiteral("row_softmax"));
        const Evaluation first = evaluate(task, candidate(QStringLiteral("softmax_warp.cu")), true);
        const Evaluation second = evaluate(task, candidate(QStringLiteral("softmax_warp.cu")), true);
        QVERIFY(first.time_us() == second.time_us());
        QCOMPARE(first.profile.kernels.first().metrics, second.profile.kernels.first().metrics);
    }

    void stops()
    {
        simulator::SimulatorEvaluator evaluator;
        EvaluationRequest request;
        request.task = fixtureTask();
        request.candidate = candidate(QStringLiteral("endless_host.cu"));
        std::stop_source stop;
        QElapsedTimer timer;
        timer.start();
        const auto result = QCoro::waitFor(evaluator.evaluate(
            request,
            [&](const EvaluationProgress &progress) {
                if (progress.stage == QLatin1String("checking")) stop.request_stop();
            },
            stop.get_token()));
        QVERIFY(!result);
        QVERIFY2(result.error().code.endsWith(QStringLiteral("stopped")), qPrintable(result.error().code));
        QVERIFY(timer.elapsed() < 20'000);
    }

    void unknownDeviceIsAnErrorThatNamesIt()
    {
        simulator::SimulatorEvaluator evaluator;
        EvaluationRequest request;
        request.task = fixtureTask();
        request.candidate = request.task.baseline;
        request.device = QStringLiteral("abacus");
        const auto result = QCoro::waitFor(evaluator.evaluate(request, {}, {}));
        QVERIFY(!result);
        QVERIFY(result.error().message.contains(QStringLiteral("abacus")));
    }

    void devicesAndFacts()
    {
        simulator::SimulatorEvaluator evaluator;
        QVERIFY(evaluator.facts().kind == TimeKind::Modelled);
        QCOMPARE(evaluator.facts().taskKinds, QStringList{QStringLiteral("native")});
        bool found = false;
        for (const DeviceInfo &device : evaluator.devices())
            found = found || (device.id == QLatin1String("h200") && device.usable);
        QVERIFY(found);
    }
};

QTEST_GUILESS_MAIN(tst_simulator_evaluator)
#include "tst_simulator_evaluator.moc"
