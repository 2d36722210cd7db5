// SPDX-License-Identifier: Apache-2.0
// The evaluator's side of the border to the CUDA worker: what it asks, and what it makes of answers. A scripted worker
// stands for the real one.
#include "evaluation/checks.h"
#include "evaluation/plausibility.h"
#include "evaluator_test.h"
#include "plugin/cuda_answer.h"
#include "plugin/cuda_request.h"

using namespace kernelskill;
using namespace kernelskill::cuda;
using namespace kernelskill::test;
using namespace Qt::StringLiterals;

class TestCudaEvaluator : public CudaEvaluatorTest
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { makeTask(); }
    void init() { DeviceDirectory::instance().forget(); }

    void requestSaysEverything()
    {
        play(json(goodAnswer));
        EvaluationRequest asked = request();
        asked.mode = u"paper"_s;
        asked.seed = 7;
        const auto evaluation = evaluate(asked, {{u"samples"_s, 33}, {u"compiler"_s, u"/opt/nvcc"_s}});
        QVERIFY2(evaluation, errorIn(evaluation).constData());
        QCOMPARE(m_worker.requests().size(), 1);
        const QJsonObject sent = m_worker.requests().first();
        QCOMPARE(sent.value(u"device").toString(), u"GPU-00000000-0000-0000-0000-000000000001"_s);
        QCOMPARE(sent.value(u"mode").toString(), u"paper"_s);
        QCOMPARE(sent.value(u"absolute").toDouble(), 1e-2);
        QCOMPARE(sent.value(u"samples").toInt(), 33);
        QCOMPARE(sent.value(u"compiler").toString(), u"/opt/nvcc"_s);
        QCOMPARE(sent.value(u"profiler").toString(), u"auto"_s);
        QCOMPARE(sent.value(u"profile"), QJsonValue(true));
        QCOMPARE(sent.value(u"unconfined"), QJsonValue(false));
        QCOMPARE(sent.value(u"generated"), QJsonValue(false));
        QCOMPARE(sent.value(u"main_file").toString(), u"baseline.cu"_s);
        QCOMPARE(sent.value(u"ceilings").toObject().value(u"dram_peak_gb_s").toDouble(), 4800);
        QVERIFY(sent.value(u"limits").toObject().contains(u"build_ms"));
        const QJsonObject candidate = sent.value(u"candidate").toObject();
        QVERIFY(candidate.value(u"unit").toString().contains(u"kernelskill_call"));
        QCOMPARE(candidate.value(u"files").toArray().first().toObject().value(u"text").toString(),
                 m_task.baseline.mainText());
        QVERIFY(sent.value(u"baseline").toObject().contains(u"unit"));
        // Ten fills at the check size, one at the edge; the same two sizes again afterwards, from seeds of their own.
        QCOMPARE(sent.value(u"checks").toArray().size(), 11);
        const QJsonArray after = sent.value(u"after").toArray();
        QCOMPARE(after.size(), 2);
        QCOMPARE(after[0].toObject().value(u"name").toString(), u"outputs n=4 seed 1000010 after timing"_s);
        QCOMPARE(after[1].toObject().value(u"name").toString(), u"outputs n=1 seed 1000011 after timing"_s);
    }

    void measuredAnswerIsKept()
    {
        play(json(goodAnswer));
        const auto evaluation = evaluate(request());
        QVERIFY2(evaluation, errorIn(evaluation).constData());
        QVERIFY(evaluation->verdict == Verdict::Verified);
        QVERIFY(evaluation->kind == TimeKind::Measured);
        QCOMPARE(evaluation->time_us().value_or(0), 20.0);
        const SizeTiming &timing = evaluation->timings.first();
        QCOMPARE(timing.overBaseline, 1.25);
        QVERIFY((timing.overBaselineInterval == (Interval{1.2, 1.3})));
        QCOMPARE(timing.host_us, 24.0);
        QCOMPARE(evaluation->profile.device, u"h200"_s);
        QCOMPARE(evaluation->profile.kind, u"measured"_s);
        QCOMPARE(evaluation->profile.kernels.first().hotSpots.first().file, u"solve.cu"_s);
        QCOMPARE(evaluation->profile.kernels.first().missing, QStringList{u"l2_hit_pct"_s});
        QCOMPARE(evaluation->profile.kernels.first().timeline.metrics.value(u"dram__read"_s), (QList<double>{10, 80.5}));
        QCOMPARE(evaluation->artefacts.value(u"ptx"_s), u".version 9.0"_s);
        QCOMPARE(evaluation->artefacts.value(u"sass"_s), u"EXIT"_s);
        QCOMPARE(evaluation->evidence.value(u"temperature_c").toInt(), 41);
        QCOMPARE(evaluation->evidence.value(u"resources").toArray().first().toObject().value(u"registers").toInt(), 12);
        const QJsonObject manifest = evaluation->manifest;
        QCOMPARE(manifest.value(u"worker").toString(), u"scripted 1.2"_s);
        QCOMPARE(manifest.value(u"driver").toString(), u"580.159.04"_s);
        QCOMPARE(manifest.value(u"device_facts")[u"memory"].toDouble(), 150e9);
        QCOMPARE(manifest.value(u"compiler").toString(), u"nvcc 13.0"_s);
        QCOMPARE(manifest.value(u"device").toString(), u"0"_s);
        QCOMPARE(manifest.value(u"build_cached"), QJsonValue(true));
        QCOMPARE(manifest.value(u"confined"), QJsonValue(true));
    }

    void unconfinedIsUnproven()
    {
        play(json(goodAnswer));
        EvaluationRequest open = request();
        open.unconfined = true;
        const auto evaluation = evaluate(open);
        QVERIFY(evaluation);
        QVERIFY(evaluation->verdict == Verdict::Unproven);
        QCOMPARE(checks::reason(*evaluation).contains(u"the candidate ran without a sandbox"), true);
    }

    void unfilteredIsUnproven()
    {
        play(json(goodAnswer),
             {{u"hello"_s, QJsonObject{{u"hello"_s, u"scripted"_s}, {u"protocol"_s, 1}, {u"filters_system_calls"_s, false}}}});
        const auto evaluation = evaluate(request());
        QVERIFY2(evaluation, errorIn(evaluation).constData());
        QVERIFY(evaluation->verdict == Verdict::Unproven);
        QVERIFY(checks::reason(*evaluation).contains(u"built without libseccomp"));
    }

    void tooFastIsSuspect()
    {
        // 8 elements of 4 bytes in and out at 7000 GB/s of L2: 9 ps.
        QJsonObject answer = json(goodAnswer);
        QJsonObject timing = answer.value(u"timings").toArray().first().toObject();
        timing.insert(u"time_us"_s, 1e-6);
        answer.insert(u"timings"_s, QJsonArray{timing});
        play(answer);
        const auto evaluation = evaluate(request());
        QVERIFY(evaluation);
        QVERIFY(evaluation->verdict == Verdict::Suspect);
    }

    void workMustShowInTheProfile_data()
    {
        QTest::addColumn<double>("moved"); // bytes to and from DRAM
        QTest::addColumn<QString>("outcome");
        QTest::newRow("all of it") << 790e6 << u"passed"_s;
        QTest::newRow("some stayed in L2") << 600e6 << u"passed"_s;
        QTest::newRow("next to nothing") << 1e6 << u"failed"_s;
        QTest::newRow("not told") << -1.0 << QString();
    }
    void workMustShowInTheProfile()
    {
        QFETCH(double, moved);
        QFETCH(QString, outcome);
        Task task = m_task;
        task.time.first().sizes.insert(u"n"_s, 100'000'000); // 8 bytes each: 800 MB
        const auto gpu = GpuSpec::find(u"h200"_s);
        QVERIFY(gpu);
        Evaluation evaluation;
        evaluation.kind = TimeKind::Measured;
        KernelProfile kernel;
        if (moved >= 0) kernel.metrics.insert(u"dram_bytes"_s, moved);
        evaluation.profile.kernels = {kernel};
        checkProfiledWork(task, *gpu, evaluation);
        QCOMPARE(evaluation.checks.isEmpty() ? QString() : evaluation.checks.first().outcome, outcome);
        evaluation.checks.clear();
        checkProfiledWork(m_task, *gpu, evaluation); // fits into L2
        QVERIFY(evaluation.checks.isEmpty());
    }

    void slowCompilerIsATimeout()
    {
        Evaluation evaluation;
        addAnswer(json(R"({"status": "timeout", "build": {"ok": false, "log": "nvcc did not finish within 300 seconds"}})"),
                  u"h200"_s, u"solve.cu"_s, evaluation);
        QVERIFY(evaluation.status == Status::Timeout);
        QVERIFY(evaluation.log.contains(u"nvcc did not finish within 300 seconds"));
    }

    void unknownGpuCannotBeJudged()
    {
        QJsonObject gpu = json(h200);
        gpu.insert(u"name"_s, u"NVIDIA Unheard Of"_s);
        m_worker.play({{u"devices"_s, devices({gpu})}, {u"last"_s, json(goodAnswer)}});
        const auto evaluation = evaluate(request());
        QVERIFY(evaluation);
        QVERIFY(evaluation->verdict == Verdict::Unproven);
        QCOMPARE(evaluation->profile.device, u"NVIDIA Unheard Of"_s);
    }

    void compilerErrorsAreAtTheCandidatesLines()
    {
        const QString log = u"src/baseline.cu(3): error: identifier \"y\" is undefined\n\n1 error detected\n"_s;
        play({{u"build"_s, QJsonObject{{u"ok"_s, false}, {u"log"_s, log}}}});
        const auto evaluation = evaluate(request());
        QVERIFY(evaluation);
        QVERIFY(evaluation->status == Status::BuildFailed);
        QVERIFY(evaluation->verdict == Verdict::Failed);
        QCOMPARE(evaluation->findings.size(), 1);
        QCOMPARE(evaluation->findings.first().file, u"baseline.cu"_s);
        QCOMPARE(evaluation->findings.first().line, 3);
        QCOMPARE(evaluation->findings.first().message, u"identifier \"y\" is undefined"_s);
    }

    // A reference that never ends keeps nobody waiting whose candidate does not compile.
    void compilerErrorsDoNotWaitForReferences()
    {
        const QString folder = m_home.filePath(u"endless"_s);
        EvaluationRequest asked = request();
        asked.task = smallTask(folder);
        QFile reference(folder + u"/reference.cpp"_s);
        QVERIFY(reference.open(QIODevice::WriteOnly));
        reference.write("extern \"C\" void reference(const float *, float *, int)\n"
                        "{\n    for (volatile int i = 0;; i = i + 1) {}\n}\n");
        reference.close();
        const QString log = u"src/baseline.cu(3): error: identifier \"y\" is undefined\n"_s;
        play({{u"build"_s, QJsonObject{{u"ok"_s, false}, {u"log"_s, log}}}});
        asked.task = *readTask(folder);
        const auto evaluation = evaluate(asked);
        QVERIFY2(evaluation, errorIn(evaluation).constData());
        QVERIFY(evaluation->status == Status::BuildFailed);
        QCOMPARE(evaluation->findings.first().message, u"identifier \"y\" is undefined"_s);
        QCOMPARE(m_worker.builds().size(), 1);
        QCOMPARE(m_worker.requests().size(), 0);
        const QJsonObject sent = m_worker.builds().first();
        QVERIFY(sent.value(u"candidate").toObject().value(u"unit").toString().contains(u"kernelskill_call"));
        QVERIFY(sent.value(u"baseline").toObject().contains(u"unit"));
        QVERIFY(!sent.contains(u"checks"));
    }

    void compilesWithoutEvaluating()
    {
        const QString log = u"src/baseline.cu(3): error: identifier \"y\" is undefined\n"_s;
        play({{u"build"_s, QJsonObject{{u"ok"_s, false}, {u"log"_s, log}}}});
        CudaEvaluator evaluator({}, installation());
        const auto findings = QCoro::waitFor(evaluator.compile(request(), {}));
        QVERIFY2(findings, errorIn(findings).constData());
        QCOMPARE(findings->size(), 1);
        QCOMPARE(findings->first().file, u"baseline.cu"_s);
        QCOMPARE(findings->first().line, 3);
        QCOMPARE(m_worker.builds().size(), 1);
        QCOMPARE(m_worker.requests().size(), 0);
        play(json(goodAnswer));
        const auto none = QCoro::waitFor(evaluator.compile(request(), {}));
        QVERIFY2(none, errorIn(none).constData());
        QVERIFY(none->isEmpty());
        play(json(R"({"error": "nvcc was not found.", "code": "environment.compiler"})"));
        // The third time: the device is still known.
        const auto trouble = QCoro::waitFor(evaluator.compile(request(), {}));
        QVERIFY(!trouble);
        QCOMPARE(trouble.error().message, u"nvcc was not found."_s);
        QCOMPARE(trouble.error().code, u"environment.compiler"_s);
    }

    void buildsWhileReferencesAreComputed()
    {
        QJsonObject built = json(R"({"status": "ok", "build": {"ok": true, "log": "built first\n", "seconds": 3, "ptx": "first"}})");
        play(json(goodAnswer), {{u"built"_s, built}});
        EvaluationRequest asked = request();
        asked.seed = 4711; // references nobody has asked for yet
        const auto evaluation = evaluate(asked);
        QVERIFY2(evaluation, errorIn(evaluation).constData());
        QVERIFY(evaluation->verdict == Verdict::Verified);
        QCOMPARE(m_worker.builds().size(), 1);
        QCOMPARE(m_worker.requests().size(), 1);
        QCOMPARE(evaluation->artefacts.value(u"ptx"_s), u"first"_s); // of the build that took place
        QCOMPARE(evaluation->manifest.value(u"build_ms").toDouble(), 3000);
        QCOMPARE(std::ranges::count(evaluation->checks, u"build"_s, &Check::name), 1);
        // Known ones keep nobody waiting: then one request does.
        play(json(goodAnswer));
        QVERIFY(evaluate(asked));
        QCOMPARE(m_worker.builds().size(), 0);
        QCOMPARE(m_worker.requests().size(), 1);
    }

    void generatedInputsAreSent()
    {
        const QString folder = m_home.filePath(u"generated"_s);
        EvaluationRequest asked = request();
        asked.task = smallTask(folder);
        QFile hook(folder + u"/generate.cpp"_s);
        QVERIFY(hook.open(QIODevice::WriteOnly));
        hook.write("extern \"C\" void generate(float *x, float *, int n, unsigned long long seed)\n"
                   "{\n    for (int i = 0; i < n; ++i) x[i] = float(seed % 100000) + i;\n}\n");
        hook.close();
        play(json(goodAnswer));
        asked.task = *readTask(folder);
        const auto evaluation = evaluate(asked);
        QVERIFY2(evaluation, errorIn(evaluation).constData());
        const QJsonObject sent = m_worker.requests().first();
        QCOMPARE(sent.value(u"generated"), QJsonValue(true));
        const QJsonObject timed = sent.value(u"times").toArray().first().toObject();
        QVERIFY(!timed.contains(u"fresh_seeds"));
        QList<QJsonArray> sets{timed.value(u"inputs").toArray()};
        for (const QJsonValue &set : timed.value(u"input_sets").toArray())
            sets.append(set.toArray());
        QCOMPARE(sets.size(), 12); // they are small
        QSet<float> starts;
        for (const QJsonArray &set : std::as_const(sets)) {
            QCOMPARE(set.size(), 3);
            QFile file(set[0].toString());
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
            const QByteArray bytes = file.readAll();
            QCOMPARE(bytes.size(), 8 * 4);
            const auto *values = reinterpret_cast<const float *>(bytes.constData());
            for (int i = 1; i < 8; ++i)
                QCOMPARE(values[i], values[0] + float(i)); // as the generator made them
            starts.insert(values[0]);
            QCOMPARE(set[1].toString(), QString());
        }
        QCOMPARE(starts.size(), 12);
        QHash<QString, QString> places;
        for (const QString &file : filesRead(sent))
            places.insert(file, u"/there/"_s + QString::number(places.size()));
        for (const QJsonArray &set : std::as_const(sets))
            QVERIFY(places.contains(set[0].toString()));
        const QJsonArray movedSets =
            moved(sent, places, {}).value(u"times").toArray().first().toObject().value(u"input_sets").toArray();
        QCOMPARE(movedSets.size(), 11);
        QCOMPARE(movedSets[3].toArray()[0].toString(), places.value(sets[4][0].toString()));
    }

    void troubleIsNoEvaluation_data()
    {
        QTest::addColumn<QJsonObject>("answer");
        QTest::addColumn<QString>("code");
        QTest::newRow("named") << json(R"({"error": "nvcc was not found.", "code": "environment.compiler"})")
                               << u"environment.compiler"_s;
        QTest::newRow("other") << json(R"({"error": "nvcc was not found."})") << u"environment.cuda"_s;
    }
    void troubleIsNoEvaluation()
    {
        QFETCH(QJsonObject, answer);
        QFETCH(QString, code);
        play(answer);
        const auto evaluation = evaluate(request());
        QVERIFY(!evaluation);
        QCOMPARE(evaluation.error().code, code);
        QCOMPARE(evaluation.error().message, u"nvcc was not found."_s);
    }

    void deathOfTheWorker()
    {
        play({}, {{u"then"_s, QJsonArray{u"die"_s}}});
        const auto evaluation = evaluate(request());
        QVERIFY2(evaluation, errorIn(evaluation).constData());
        QVERIFY(evaluation->status == Status::Crashed);
        QVERIFY(evaluation->verdict == Verdict::Failed);
        QCOMPARE(evaluation->findings.first().kind, u"worker_fault"_s);
        QVERIFY(evaluation->log.contains(u"the worker's last words"));
        Evaluation none;
        QVERIFY(!explainWorkerEnd({u"worker.died"_s, {}, {}}, false, none)); // it never took the request
        QVERIFY(!explainWorkerEnd({u"worker.connection"_s, {}, {}}, true, none));
        QVERIFY(none.findings.isEmpty());
        QVERIFY(explainWorkerEnd({u"worker.timeout"_s, u"It did not finish checking within 300 s."_s, {}}, true, none));
        QVERIFY(none.status == Status::Timeout);
        QCOMPARE(none.findings.first().message,
                 u"the evaluation was given up: It did not finish checking within 300 s."_s);
    }

    void progressIsPassedOn()
    {
        play(json(goodAnswer),
             {{u"messages"_s,
               QJsonArray{json(R"({"stage": "waiting", "text": "waiting for the GPU, held by process 17"})"),
                          json(R"({"stage": "checking", "progress": 3, "total": 11})")}}});
        QVERIFY(evaluate(request()));
        QVERIFY(m_said.contains(u"waiting for the GPU, held by process 17"_s));
        QVERIFY(m_said.contains(u"checking 4 of 11"_s));
    }

    void stopLeavesNothing()
    {
        play({}, {{u"then"_s, QJsonArray{u"hang"_s}}});
        std::stop_source source;
        CudaEvaluator evaluator({}, installation());
        const auto evaluation = QCoro::waitFor(evaluator.evaluate(
            request(),
            [&](const EvaluationProgress &progress) {
                if (progress.text == u"hanging") source.request_stop();
            },
            source.get_token()));
        QVERIFY(!evaluation);
        QCOMPARE(evaluation.error().code, u"worker.stopped"_s);
        QCOMPARE(m_worker.hanging().size(), 2);
        QTRY_VERIFY(std::ranges::none_of(m_worker.hanging(), isRunning));
    }

    void judgedOutputs_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("verdict");
        QTest::newRow("good") << u"goodgoodgoodgood"_s << u"verified"_s;
        QTest::newRow("bad") << u"bad.bad.bad.bad."_s << u"wrong"_s;
    }
    void judgedOutputs()
    {
        QFETCH(QString, text);
        QFETCH(QString, verdict);
        play(json(goodAnswer), {{u"outputs"_s, text}});
        EvaluationRequest asked = request();
        asked.task = smallTask(m_home.filePath(u"judged"_s), true);
        const auto evaluation = evaluate(asked);
        QVERIFY2(evaluation, errorIn(evaluation).constData());
        QCOMPARE(toString(evaluation->verdict), verdict);
        // The worker's own check, the build, 13 judged ones, the plausible time.
        QCOMPARE(evaluation->checks.size(), 16);
        QVERIFY(std::ranges::contains(evaluation->checks, u"outputs n=4 seed 1000004 after timing"_s, &Check::name));
    }
};

QTEST_GUILESS_MAIN(TestCudaEvaluator)
#include "tst_cuda_evaluator.moc"
