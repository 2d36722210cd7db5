// SPDX-License-Identifier: Apache-2.0
// The CUDA evaluator's worker and host as they are, on a stand-in for the GPU: whole evaluations, faults, and every
// known cheat that shows on the host's side.
#include "worker_fixture.h"

#include <QFile>
#include <QJsonDocument>
#include <QTest>

#include <sys/file.h>

#include <algorithm>

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
    void clashOfNames();
    void cachedBuild();
    void generatedInputs();
    void remembersGeneratedInputs();
    void aheadOfItsStream();
    void buildsOnly();
    void saysItsVersion();
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
    const QJsonObject answer = m_fixture.run(m_fixture.request(WorkerFixture::steadyProgram()), &stages);
    QCOMPARE(complaints(answer), QString());
    QCOMPARE(answer.value(u"status").toString(), "ok");
    for (const char *name :
         {"outputs n=100 seed 1", "outputs n=100 seed 2", "outputs n=1 seed 1", "outputs n=100 seed 77",
          "outputs at size n=3000", "work at size n=3000", "inputs unmodified", "nothing but outputs written",
          "work inside the call", "work on the device", "precision", "clock", "work after the end event",
          "persisting L2", "work in the given stream", "names"})
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
    add("defines a function of the driver", right, "names",
        "extern \"C\" int cuStreamSynchronize(void *) { return 0; }");
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

// As where the run time is linked statically and so defines its names a second time.
void TestCudaWorker::clashOfNames()
{
    const QJsonObject answer = m_fixture.run(m_fixture.request(WorkerFixture::program(
        WorkerFixture::rightBody(),
        "int kernelskill_counts = 0;\nextern \"C\" int cuStreamSynchronize(void *) { return 0; }")));
    QCOMPARE(answer.value(u"status").toString(), "build_failed");
    QVERIFY(answer.value(u"build")[u"log"].toString().contains("multiple definition of `kernelskill_counts'"));
    QCOMPARE(failures(answer), QStringList("names"));
    QVERIFY(complaints(answer).contains("the candidate defines cuStreamSynchronize, which belongs to the run time"));
}

void TestCudaWorker::cachedBuild()
{
    const QJsonObject request = m_fixture.request(WorkerFixture::program("/* cached */" + WorkerFixture::rightBody()));
    QCOMPARE(m_fixture.run(request).value(u"build")[u"cached"].toBool(), false);
    QCOMPARE(m_fixture.run(request).value(u"build")[u"cached"].toBool(), true);
}

// A program that needs its input as the generator made it, whichever set it gets.
void TestCudaWorker::generatedInputs()
{
    const QString body =
        "launch(s, [=] { usleep(300); for (int i = 1; i < n; ++i) if (x[i] - x[i - 1] != 0.25f) standInFault(700);"
        "for (int i = 0; i < n; ++i) y[i] = 2 * x[i]; });";
    const QJsonObject request = m_fixture.request(WorkerFixture::program(body, "#include <unistd.h>"));
    QJsonObject answer = m_fixture.run(m_fixture.generated(request, 6));
    QCOMPARE(complaints(answer), QString());
    QCOMPARE(answer.value(u"status").toString(), "ok");
    const QJsonArray checks = answer.value(u"checks").toArray();
    const auto fresh = std::ranges::find_if(
        checks, [](const QJsonValue &one) { return one[u"name"].toString() == "fresh inputs at size n=3000"; });
    QVERIFY(fresh != checks.end());
    QCOMPARE((*fresh)[u"outcome"].toString(), "passed");
    QCOMPARE((*fresh)[u"detail"].toString(), "6 sets of inputs in turn");
    QVERIFY(answer.value(u"evidence")[u"sizes"][u"n=3000"][u"seen_again"].toDouble() > 0);
    // Two sets are seen once each before they come again: too few to tell anything by.
    answer = m_fixture.run(m_fixture.generated(request, 2));
    QCOMPARE(outcome(answer, "fresh inputs at size n=3000"), "not made");
    // Nothing is made up where the generator's inputs are missing.
    QJsonObject without = request;
    without["generated"] = true;
    answer = m_fixture.run(without);
    QVERIFY2(complaints(answer).contains("timing n=3000: there are no inputs for x"), qPrintable(complaints(answer)));
}

void TestCudaWorker::remembersGeneratedInputs()
{
    const QString body = "launch(s, [=] { double all = 0; for (int i = 0; i < n; ++i) all += x[i] * (i + 1);"
                         "std::vector<float> &made = known[all];"
                         "if (made.empty()) { usleep(3000); for (int i = 0; i < n; ++i) made.push_back(2 * x[i]); }"
                         "for (int i = 0; i < n; ++i) y[i] = made[i]; });";
    const QString before = "#include <map>\n#include <unistd.h>\n#include <vector>\n"
                           "static std::map<double, std::vector<float>> known;";
    const QJsonObject answer =
        m_fixture.run(m_fixture.generated(m_fixture.request(WorkerFixture::program(body, before)), 6));
    QCOMPARE(answer.value(u"status").toString(), "ok");
    QCOMPARE(failures(answer), QStringList("fresh inputs at size n=3000"));
    QVERIFY2(complaints(answer).contains("of 6 sets of inputs in turn each took"), qPrintable(complaints(answer)));
    QVERIFY(complaints(answer).contains("the candidate remembers them"));
}

// Right in every sample, but where the given stream waits, its work has already been done with what lay there before.
void TestCudaWorker::aheadOfItsStream()
{
    const QString body = "static cudaStream_t other = nullptr;"
                         "if (!other) { cudaStreamCreateWithFlags(&other, 1); standInRunAtOnce(other); }"
                         "launch(other, [=] { usleep(300); for (int i = 0; i < n; ++i) y[i] = 2 * x[i]; });";
    const QJsonObject answer = m_fixture.run(m_fixture.request(WorkerFixture::program(body, "#include <unistd.h>")));
    QCOMPARE(answer.value(u"status").toString(), "ok");
    QCOMPARE(failures(answer), QStringList("work in the given stream"));
    QVERIFY2(complaints(answer).contains("calls that waited in the stream they were given used the inputs of before"),
             qPrintable(complaints(answer)));
}

void TestCudaWorker::buildsOnly()
{
    const QJsonObject whole =
        m_fixture.request(WorkerFixture::program("/* built before */" + WorkerFixture::rightBody()));
    const QJsonObject request{
        {"build_only", true}, {"candidate", whole.value(u"candidate")}, {"baseline", whole.value(u"baseline")}};
    QStringList stages;
    const QJsonObject answer = m_fixture.run(request, &stages);
    QCOMPARE(answer.value(u"status").toString(), "ok");
    QCOMPARE(answer.value(u"build")[u"ok"].toBool(), true);
    QCOMPARE(answer.value(u"build")[u"cached"].toBool(), false);
    QCOMPARE(answer.value(u"checks").toArray().size(), 0);
    QCOMPARE(stages, QStringList("building"));
    QCOMPARE(m_fixture.run(whole).value(u"build")[u"cached"].toBool(), true);
}

void TestCudaWorker::saysItsVersion()
{
    QFile file(QStringLiteral(SOURCE_DIR "/plugins/evaluators/cuda/plugin/metadata.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString version = QJsonDocument::fromJson(file.readAll()).object().value(u"version").toString();
    const auto process = m_fixture.start({{"list_devices", true}});
    QVERIFY(process->waitForFinished());
    const QJsonObject hello = QJsonDocument::fromJson(process->readLine()).object();
    QCOMPARE(hello.value(u"hello").toString(), "kernelskill-cuda-worker");
    QCOMPARE(hello.value(u"version").toString(), version);
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
    const QJsonObject answer = m_fixture.run(request);
    QVERIFY(answer.value(u"error").toString().startsWith("The task's baseline does not compile"));
    QCOMPARE(answer.value(u"code").toString(), "task.baseline");
    set(WorkerFixture::program(QStringLiteral("launch(s, [=] { for (int i = 0; i < n; ++i) y[i] = 3 * x[i]; });")));
    QVERIFY(m_fixture.run(request).value(u"error").toString().startsWith(
        "The task's baseline is wrong at outputs n=100 seed 1"));
    set(WorkerFixture::program(QStringLiteral("standInFault(700);")));
    const QJsonObject faulty = m_fixture.run(request);
    QVERIFY(faulty.value(u"error").toString().startsWith("The task's baseline does not run"));
    QCOMPARE(faulty.value(u"code").toString(), "task.baseline");
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
    QCOMPARE(answer.value(u"code").toString(), "environment.busy");
    QVERIFY(stages.contains("waiting"));
    QVERIFY(!stages.contains("checking"));
    file.remove();
}

void TestCudaWorker::missingPieces()
{
    const auto error = [](const char *name, const char *value, const char *code) {
        WorkerFixture fixture;
        fixture.setEnvironment(QString::fromLatin1(name), QString::fromLatin1(value));
        const QJsonObject answer = fixture.run(fixture.request(WorkerFixture::program(WorkerFixture::rightBody())));
        return answer.value(u"code").toString() == QLatin1String(code) ? answer.value(u"error").toString() : QString();
    };
    QVERIFY(error("KERNELSKILL_LIBCUDA", "/nowhere/libcuda.so.1", "environment.driver")
                .startsWith("The NVIDIA driver is not installed"));
    QVERIFY(error("KERNELSKILL_NVCC", "/nowhere/nvcc", "environment.compiler")
                .startsWith("NVIDIA's compiler nvcc is not on this machine"));
    const QJsonObject nonsense = m_fixture.run({{"candidate", 7}});
    QCOMPARE(nonsense.value(u"code").toString(), "worker.request");
    QVERIFY(nonsense.value(u"error").toString().startsWith("The request is not understood"));
    QTemporaryDir folder;
    const QString newer = folder.filePath("nvcc");
    QFile script(newer);
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("#!/bin/sh\necho Cuda compilation tools, release 14.1, V14.1.0\n");
    script.close();
    QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    QCOMPARE(error("KERNELSKILL_NVCC", qPrintable(newer), "environment.compiler"),
             "The NVIDIA driver (CUDA 13.0) is too old for this toolkit "
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
    QCOMPARE(answer.value(u"tools")[u"ncu"].toString(), QStringLiteral(BUILD_DIR "/tests/cuda/toolkit/bin/ncu"));
    QVERIFY(answer.value(u"tools")[u"counters"][u"ok"].isBool());
}

QTEST_GUILESS_MAIN(TestCudaWorker)
#include "tst_cuda_worker.moc"
