// SPDX-License-Identifier: Apache-2.0
// The CUDA evaluator's worker and host as they are, on a stand-in for the GPU: whole evaluations, faults, and every
// known cheat that shows on the host's side.
#include "worker_fixture.h"

#include <QFile>
#include <QTest>

#include <sys/file.h>

using namespace kernelskill::testing;

class TestCudaWorker : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void rightProgram();
    void failedChecks_data();
    void failedChecks();
    void faults_data();
    void faults();
    void nextCandidateIsUnaffected();
    void buildFailure();
    void cachedBuild();
    void profile();
    void brokenBaseline();
    void leftNothingWhenKilled_data();
    void leftNothingWhenKilled();
    void leasedElsewhere();
    void missingPieces();
    void listsDevices();

private:
    WorkerFixture m_fixture;
};

void TestCudaWorker::rightProgram()
{
    QStringList stages;
    const QString slower = QStringLiteral("launch(s, [] { usleep(300); });") + WorkerFixture::rightBody();
    const QJsonObject answer =
        m_fixture.run(m_fixture.request(WorkerFixture::program(slower, "#include <unistd.h>")), &stages);
    QCOMPARE(complaints(answer), QString());
    QCOMPARE(answer.value(u"status").toString(), "ok");
    for (const char *name : {"outputs n=100 seed 1", "outputs n=100 seed 2", "outputs n=1 seed 1",
                             "outputs n=100 seed 77", "outputs at size n=3000", "work at size n=3000",
                             "inputs unmodified", "nothing but outputs written", "work inside the call",
                             "work on the device", "precision", "clock", "work after the end event", "persisting L2"})
        QCOMPARE(outcome(answer, QString::fromLatin1(name)), "passed");
    const QJsonValue timing = answer.value(u"timings").toArray().at(0);
    QCOMPARE(timing[u"name"].toString(), "n=3000");
    QCOMPARE(timing[u"samples_us"].toArray().size(), 8);
    QVERIFY(timing[u"time_us"].toDouble() > 0);
    QVERIFY(timing[u"low_us"].toDouble() <= timing[u"time_us"].toDouble());
    QVERIFY(timing[u"high_us"].toDouble() >= timing[u"time_us"].toDouble());
    QVERIFY(timing[u"over_baseline"].toDouble() < 1);
    QVERIFY(timing[u"over_baseline_high"].toDouble() < 1);
    QVERIFY(timing[u"host_us"].toDouble() > 0);
    const QJsonObject evidence = answer.value(u"evidence").toObject();
    QCOMPARE(evidence.value(u"precision")[u"class"].toString(), "float32");
    QCOMPARE(evidence.value(u"samples").toInt(), 8);
    QVERIFY(evidence.value(u"clock_mhz").isNull()); // there is no management library to ask
    QCOMPARE(answer.value(u"build")[u"resources"].toArray().at(0)[u"registers"].toInt(), 10);
    QVERIFY(stages.contains("building") && stages.contains("checking") && stages.contains("timing"));
    QCOMPARE(m_fixture.processes().join(u'\n'), QString());
}

void TestCudaWorker::failedChecks_data()
{
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("check"); // a failed one
    const QString right = WorkerFixture::rightBody();
    const auto add = [](const char *name, const QString &body, const char *check, const QString &before = {}) {
        QTest::newRow(name) << body << before << QString::fromLatin1(check);
    };
    add("wrong output", "launch(s, [=] { for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + (i == 77); });",
        "outputs n=100 seed 1");
    add("leaves an element out", "launch(s, [=] { for (int i = 0; i + 1 < n; ++i) y[i] = 2 * x[i]; });",
        "outputs n=100 seed 1");
    add("returns its input", "launch(s, [=] { for (int i = 0; i < n; ++i) y[i] = x[i]; });", "outputs n=100 seed 1");
    add("returns zeros", "launch(s, [=] { for (int i = 0; i < n; ++i) y[i] = 0; });", "outputs n=100 seed 1");
    add("returns a constant", "launch(s, [=] { for (int i = 0; i < n; ++i) y[i] = 1.5f; });", "outputs n=100 seed 2");
    add("changes its input", right + "launch(s, [=] { const_cast<float *>(x)[n - 1] = 0; });", "inputs unmodified");
    add("writes before its output", right + "launch(s, [=] { y[-1] = 1; });", "nothing but outputs written");
    add("writes behind its output", right + "launch(s, [=] { y[n] = 1; });", "nothing but outputs written");
    add("computes on the host", "for (int i = 0; i < n; ++i) y[i] = 2 * x[i];", "work on the device");
    add("host computes with copies",
        right + "float *h = new float[n]; cudaMemcpy(h, x, 4 * n, cudaMemcpyDeviceToHost); "
                "cudaMemcpy(y, h, 4 * n, cudaMemcpyHostToDevice); launch(s, [=] { for (int i = 0; i < n; ++i) y[i] *= "
                "2; });",
        "work on the device");
    add("caches by address", "for (auto one : seen) if (one == x) return; if (n > 1000) seen.push_back(x);" + right,
        "outputs at size n=3000", "#include <vector>\nstatic std::vector<const float *> seen;");
    add("caches by a digest",
        "float largest = 0; for (int i = 0; i < n; ++i) largest = x[i] > largest ? x[i] : largest;"
        "if (n > 1000 && known == int(largest)) { launch(s, [=] { __builtin_memcpy(y, results, 4 * n); }); return; }" +
            right + "if (n > 1000) { known = int(largest); launch(s, [=] { __builtin_memcpy(results, y, 4 * n); }); }",
        "outputs at size n=3000", "static float results[4096]; static int known = -1;");
    add("returns after so many calls", "if (++calls > 12) return;" + right, "outputs at size n=3000",
        "static int calls = 0;");
    add("knows what it was timed with", "if (x[0] == 40) return;" + right, "outputs n=100 seed 77");
    add("works in a thread after return",
        "std::thread([=] { usleep(20000); for (int i = 0; i < n; ++i) y[i] = 2 * x[i]; }).detach(); launch(s, [] {});",
        "outputs n=100 seed 1", "#include <thread>\n#include <unistd.h>");
    add("works on another stream",
        "static cudaStream_t other = nullptr; if (!other) cudaStreamCreateWithFlags(&other, 1);"
        "launch(other, [=] { usleep(2000); for (int i = 0; i < n; ++i) y[i] = 2 * x[i]; });",
        "work after the end event", "#include <unistd.h>");
    add("slows the clock down", "standInScaleEvents(0.1f); launch(s, [] { usleep(1000); });" + right, "clock",
        "#include <unistd.h>");
    add("keeps lines in the L2", "standInSetPersistingL2(1 << 20);" + right, "persisting L2");
    add("computes in half precision",
        "launch(s, [=] { for (int i = 0; i < n; ++i) { unsigned b; float v = 2.002f * x[i]; __builtin_memcpy(&b, &v, "
        "4); "
        "b &= ~0x1fffu; __builtin_memcpy(y + i, &b, 4); } });",
        "precision");
}

void TestCudaWorker::failedChecks()
{
    QFETCH(QString, body);
    QFETCH(QString, before);
    QFETCH(QString, check);
    QJsonObject request = m_fixture.request(WorkerFixture::program(body, before));
    if (check == QLatin1String("precision")) {
        request["absolute"] = 1e-2;
        request["relative"] = 1e-2;
    }
    const QJsonObject answer = m_fixture.run(request);
    QVERIFY2(failures(answer).contains(check), qPrintable(complaints(answer)));
    QCOMPARE(answer.value(u"status").toString(), "ok");
}

void TestCudaWorker::faults_data()
{
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("status");
    QTest::addColumn<QString>("kind");
    const QString right = WorkerFixture::rightBody();
    const auto add = [](const char *name, const QString &body, const char *status, const char *kind,
                        const QString &before = {}) {
        QTest::newRow(name) << body << before << QString::fromLatin1(status) << QString::fromLatin1(kind);
    };
    add("illegal access", "standInFault(700);", "crashed", "out_of_bounds");
    add("misaligned access", "standInFault(716);", "crashed", "misaligned");
    add("assertion", "standInFault(710);", "crashed", "assert");
    add("no device memory", "standInFault(2);", "crashed", "memory");
    add("steps behind its output", "launch(s, [=] { y[n + 1000] = 1; });", "crashed", "crash");
    add("ends early", "exit(0);", "crashed", "crash", "#include <cstdlib>");
    add("forged line", "(void)!write(3, \"{\\\"n\\\": 5, \\\"event_us\\\": 1}\\n\", 23);" + right, "crashed", "sandbox",
        "#include <unistd.h>");
    add("forged number", "dprintf(3, \"{\\\"n\\\": \\\"2\\\", \\\"error\\\": []}\\n\");" + right, "crashed", "sandbox",
        "#include <cstdio>");
    add("starts a process", "if (fork() == 0) _exit(0);" + right, "crashed", "sandbox", "#include <unistd.h>");
    add("reaches for the network", "socket(2, 1, 0);" + right, "crashed", "sandbox", "#include <sys/socket.h>");
    add("hangs", "for (volatile int i = 0;; i = i + 1) {}", "timeout", "timeout");
    add("hangs on the device", "launch(s, [] { for (volatile int i = 0;; i = i + 1) {} });", "timeout", "timeout");
    add("does not load", "nowhere();", "crashed", "crash", "extern \"C\" void nowhere();");
}

void TestCudaWorker::faults()
{
    QFETCH(QString, body);
    QFETCH(QString, before);
    QFETCH(QString, status);
    QFETCH(QString, kind);
    const QJsonObject answer = m_fixture.run(m_fixture.request(WorkerFixture::program(body, before)));
    QVERIFY2(!answer.contains(u"error"), qPrintable(answer.value(u"error").toString()));
    QCOMPARE(answer.value(u"status").toString(), status);
    QCOMPARE(findingKind(answer), kind);
    QCOMPARE(answer.value(u"timings").toArray().size(), 0);
    QCOMPARE(m_fixture.processes().join(u'\n'), QString());
}

void TestCudaWorker::nextCandidateIsUnaffected()
{
    const QJsonObject first =
        m_fixture.run(m_fixture.request(WorkerFixture::program(QStringLiteral("standInFault(719);"))));
    QCOMPARE(first.value(u"status").toString(), "crashed");
    const QJsonObject next = m_fixture.run(m_fixture.request(WorkerFixture::program(WorkerFixture::rightBody())));
    QCOMPARE(next.value(u"status").toString(), "ok");
    QCOMPARE(complaints(next), QString());
}

void TestCudaWorker::buildFailure()
{
    const QJsonObject answer =
        m_fixture.run(m_fixture.request(WorkerFixture::program(QStringLiteral("y[0] = nonsense;"))));
    QCOMPARE(answer.value(u"status").toString(), "build_failed");
    QVERIFY(answer.value(u"build")[u"log"].toString().contains("src/solve.cu:4"));
    QVERIFY(answer.value(u"build")[u"log"].toString().contains("nonsense"));
    QCOMPARE(answer.value(u"checks").toArray().size(), 0);
}

void TestCudaWorker::cachedBuild()
{
    const QJsonObject request = m_fixture.request(WorkerFixture::program("/* cached */" + WorkerFixture::rightBody()));
    QCOMPARE(m_fixture.run(request).value(u"build")[u"cached"].toBool(), false);
    QCOMPARE(m_fixture.run(request).value(u"build")[u"cached"].toBool(), true);
}

// What the profiler saw is in the answer; where there is none, the answer says why and the rest holds.
void TestCudaWorker::profile()
{
    QJsonObject request = m_fixture.request(WorkerFixture::program(WorkerFixture::rightBody()));
    request["profile"] = true;
    request["profiler"] = "cupti";
    QJsonObject answer = m_fixture.run(request);
    QCOMPARE(outcome(answer, "profile"), "not made");
    QVERIFY2(complaints(answer).contains("CUPTI"), qPrintable(complaints(answer)));
    QCOMPARE(answer.value(u"status").toString(), "ok");

    WorkerFixture fixture;
    fixture.setEnvironment("KERNELSKILL_PROFILE_LIBRARY",
                           QStringLiteral(BUILD_DIR "/tests/cuda/libkernelskill-cuda-profile-stand-in.so"));
    answer = fixture.run(request);
    QCOMPARE(complaints(answer), QString());
    QCOMPARE(outcome(answer, "profile"), "passed");
    QCOMPARE(answer.value(u"launches").toInt(), 1);
    const QJsonValue kernel = answer.value(u"kernels").toArray().at(0);
    QVERIFY2(kernel[u"name"].toString().startsWith("doubles"), qPrintable(kernel[u"name"].toString()));
    QCOMPARE(kernel[u"duration_us"].toDouble(), 5.0);
    QCOMPARE(kernel[u"grid"].toArray().at(0).toInt(), 12);
    QCOMPARE(answer.value(u"evidence")[u"profile"][u"passes"].toInt(), 2);
    QCOMPARE(fixture.processes().join(u'\n'), QString());
}

void TestCudaWorker::brokenBaseline()
{
    QJsonObject request = m_fixture.request(WorkerFixture::program(WorkerFixture::rightBody()));
    QJsonObject baseline = request.value(u"baseline").toObject();
    const auto set = [&](const QString &text) {
        baseline["files"] = QJsonArray{QJsonObject{{"path", "solve.cu"}, {"text", text}}};
        request["baseline"] = baseline;
    };
    set(QStringLiteral("nonsense"));
    QVERIFY(m_fixture.run(request).value(u"error").toString().startsWith("The task's baseline does not compile"));
    set(WorkerFixture::program(QStringLiteral("launch(s, [=] { for (int i = 0; i < n; ++i) y[i] = 3 * x[i]; });")));
    QVERIFY(m_fixture.run(request).value(u"error").toString().startsWith(
        "The task's baseline is wrong at outputs n=100 seed 1"));
    set(WorkerFixture::program(QStringLiteral("standInFault(700);")));
    QVERIFY(m_fixture.run(request).value(u"error").toString().startsWith("The task's baseline does not run"));
}

void TestCudaWorker::leftNothingWhenKilled_data()
{
    QTest::addColumn<QByteArray>("stage");
    for (const char *stage :
         {"\"stage\":\"building\"", "starting the candidate", "\"progress\":1,\"stage\":\"checking\"",
          "\"stage\":\"timing\"", "with inputs never seen before"})
        QTest::newRow(stage) << QByteArray(stage);
}

void TestCudaWorker::leftNothingWhenKilled()
{
    QFETCH(QByteArray, stage);
    QJsonObject request = m_fixture.request(WorkerFixture::program("/* " + QString::fromLatin1(stage).remove(u'"') +
                                                                       " */ launch(s, [] { usleep(20000); });" +
                                                                       WorkerFixture::rightBody(),
                                                                   "#include <unistd.h>"));
    const auto process = m_fixture.start(request);
    QByteArray output;
    while (!output.contains(stage) && process->waitForReadyRead(20'000))
        output += process->readAllStandardOutput();
    QVERIFY2(output.contains(stage), output.constData());
    process->kill();
    QVERIFY(process->waitForFinished());
    QTRY_COMPARE(m_fixture.processes().join(u'\n'), QString());
}

void TestCudaWorker::leasedElsewhere()
{
    QFile file(m_fixture.leaseFile());
    QVERIFY(file.open(QIODevice::ReadWrite));
    QCOMPARE(flock(file.handle(), LOCK_EX), 0);
    QJsonObject request = m_fixture.request(WorkerFixture::program(WorkerFixture::rightBody()));
    request["limits"] = QJsonObject{{"lease_ms", 200}};
    QStringList stages;
    const QJsonObject answer = m_fixture.run(request, &stages);
    QVERIFY(answer.value(u"error").toString().contains("was in use by another evaluation"));
    QVERIFY(stages.contains("waiting"));
    QVERIFY(!stages.contains("checking"));
    file.remove();
}

void TestCudaWorker::missingPieces()
{
    const auto error = [](const char *name, const char *value) {
        WorkerFixture fixture;
        fixture.setEnvironment(QString::fromLatin1(name), QString::fromLatin1(value));
        return fixture.run(fixture.request(WorkerFixture::program(WorkerFixture::rightBody())))
            .value(u"error")
            .toString();
    };
    QVERIFY(error("KERNELSKILL_LIBCUDA", "/nowhere/libcuda.so.1").startsWith("The NVIDIA driver is not installed"));
    QVERIFY(error("KERNELSKILL_NVCC", "/nowhere/nvcc").startsWith("NVIDIA's compiler nvcc is not on this machine"));
    QTemporaryDir folder;
    const QString newer = folder.filePath("nvcc");
    QFile script(newer);
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("#!/bin/sh\necho Cuda compilation tools, release 14.1, V14.1.0\n");
    script.close();
    QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    QCOMPARE(error("KERNELSKILL_NVCC", qPrintable(newer)), "The NVIDIA driver (CUDA 13.0) is too old for this toolkit "
                                                           "(CUDA 14.1). Update the driver, or install a toolkit "
                                                           "of CUDA 13.");
}

void TestCudaWorker::listsDevices()
{
    const QJsonObject answer = m_fixture.run({{"list_devices", true}});
    const QJsonValue device = answer.value(u"devices").toArray().at(0);
    QCOMPARE(device[u"name"].toString(), "Stand-in");
    QCOMPARE(device[u"architecture"].toString(), "sm_90");
    QCOMPARE(device[u"driver"].toString(), "13.0");
    QCOMPARE(device[u"usable"].toBool(), true);
    QCOMPARE(answer.value(u"tools")[u"nvcc_version"].toString(), "13.0");
}

QTEST_GUILESS_MAIN(TestCudaWorker)
#include "tst_cuda_worker.moc"
