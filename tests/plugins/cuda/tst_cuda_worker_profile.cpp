// SPDX-License-Identifier: Apache-2.0
// Profiles the CUDA evaluator's worker makes, on a stand-in for the GPU and for each profiler: who is asked, what is kept,
// and what is said where there is none.
#include "worker_fixture.h"

#include <QFile>
#include <QTest>

using namespace kernelskill::testing;

class TestCudaWorkerProfile : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void profile();
    void profilers_data();
    void profilers();
    void profilerThatMayNot();
    void allOfNcu();
    void kernelsFromElsewhere();
    void worksByALibrary();
    void importsAReport();

private:
    WorkerFixture m_fixture;
};

// What the profiler saw is in the answer; where there is none, the answer says why and the rest holds.
void TestCudaWorkerProfile::profile()
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

void TestCudaWorkerProfile::profilers_data()
{
    QTest::addColumn<QString>("profiler");
    QTest::addColumn<QString>("library"); // of CUPTI
    QTest::addColumn<bool>("hasNcu");
    QTest::addColumn<QString>("outcome");
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("why");    // begins with it
    QTest::addColumn<double>("time_us"); // of the kernel "doubles"
    QTest::addColumn<int>("bytes");      // to and from DRAM in its longest launch; −1: unknown
    const QString kernel = "kernelskill-cuda-profile", graph = "kernelskill-cuda-graph-profile", none = "nothing";
    QTest::newRow("ncu") << "ncu" << none << true << "passed"
                         << "ncu"
                         << "Counters by ncu, as asked for." << 16.0 << 26000;
    QTest::newRow("ncu is missing") << "ncu" << kernel << false << "not made"
                                    << "ncu"
                                    << "" << 0.0 << -1;
    QTest::newRow("cupti") << "cupti" << kernel << true << "passed"
                           << "cupti"
                           << "Counters by CUPTI, as asked for." << 5.0 << -1;
    QTest::newRow("cupti alone on a graph") << "cupti" << graph << true << "passed"
                                            << "cupti"
                                            << "Counters by CUPTI, as asked for." << 14.0 << -1;
    QTest::newRow("auto") << "auto" << kernel << true << "passed"
                          << "cupti"
                          << "Counters by CUPTI: it is quick, and had them all." << 5.0 << -1;
    QTest::newRow("auto on a graph") << "auto" << graph << true << "passed"
                                     << "cupti, ncu"
                                     << "Times by CUPTI, counters by ncu: the candidate launches a CUDA graph" << 14.0
                                     << 26000;
    QTest::newRow("auto on a graph without ncu")
        << "auto" << graph << false << "passed"
        << "cupti"
        << "Times by CUPTI and no counters: the candidate launches a CUDA graph, whose kernels have no counters by "
           "CUPTI. ncu is not installed on the GPU machine"
        << 14.0 << -1;
    QTest::newRow("auto without CUPTI") << "auto" << none << true << "passed"
                                        << "ncu"
                                        << "Counters by ncu: CUPTI saw nothing." << 16.0 << 26000;
    QTest::newRow("auto with neither") << "auto" << none << false << "not made"
                                       << "cupti"
                                       << "No profile: CUPTI saw nothing. ncu is not installed" << 0.0 << -1;
}

// Whatever becomes of the profile, the candidate is as right and as fast as before.
void TestCudaWorkerProfile::profilers()
{
    QFETCH(QString, profiler);
    QFETCH(QString, library);
    QFETCH(bool, hasNcu);
    QFETCH(QString, why);
    QFETCH(double, time_us);
    QFETCH(int, bytes);
    WorkerFixture fixture;
    fixture.setEnvironment("KERNELSKILL_PROFILE_LIBRARY",
                           QStringLiteral(BUILD_DIR "/tests/cuda/lib%1-stand-in.so").arg(library));
    if (!hasNcu) fixture.setEnvironment("KERNELSKILL_NCU", "/nowhere/ncu");
    QJsonObject request = fixture.request(WorkerFixture::steadyProgram());
    request["profile"] = true;
    request["profiler"] = profiler;
    const QJsonObject answer = fixture.run(request);
    QCOMPARE(answer.value(u"status").toString(), "ok");
    QCOMPARE(failures(answer), QStringList());
    QTEST(outcome(answer, "profile"), "outcome");
    const QJsonObject evidence = answer.value(u"evidence")[u"profile"].toObject();
    QTEST(evidence.value(u"source").toString(), "source");
    QVERIFY2(evidence.value(u"why").toString().startsWith(why), qPrintable(evidence.value(u"why").toString()));
    if (evidence.value(u"source").toString() == QLatin1String("cupti, ncu"))
        QCOMPARE(evidence.value(u"version").toString(), "CUPTI 130001, ncu 2025.3.1.0");
    if (!hasNcu && profiler == QLatin1String("ncu"))
        QVERIFY2(complaints(answer).startsWith("profile: ncu is not installed on the GPU machine"),
                 qPrintable(complaints(answer)));
    const QJsonValue kernel = answer.value(u"kernels").toArray().at(0);
    QCOMPARE(kernel[u"duration_us"].toDouble(), time_us);
    QCOMPARE(kernel[u"metrics"][u"dram_bytes"].toInt(-1), bytes);
    QCOMPARE(kernel[u"graph"].toBool(), library.contains("graph"));
    QCOMPARE(fixture.processes().join(u'\n'), QString());
}

void TestCudaWorkerProfile::profilerThatMayNot()
{
    QTemporaryDir folder;
    QFile script(folder.filePath("ncu"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("#!/bin/sh\necho '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission'\nexit 1\n");
    script.close();
    QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    WorkerFixture fixture;
    fixture.setEnvironment("KERNELSKILL_NCU", script.fileName());
    QJsonObject request = fixture.request(WorkerFixture::steadyProgram());
    request["profile"] = true;
    request["profiler"] = "ncu";
    const QJsonObject answer = fixture.run(request);
    QCOMPARE(answer.value(u"status").toString(), "ok");
    QVERIFY2(complaints(answer).startsWith("profile: This user may not read the GPU's counters (ERR_NVGPUCTRPERM)"),
             qPrintable(complaints(answer)));
}

void TestCudaWorkerProfile::allOfNcu()
{
    QJsonObject request = m_fixture.request(WorkerFixture::steadyProgram());
    request["profile"] = true;
    request["profiler"] = "ncu-full";
    const QJsonObject answer = m_fixture.run(request);
    QCOMPARE(complaints(answer), QString());
    QCOMPARE(answer.value(u"launches").toInt(), 3);
    const QJsonArray kernels = answer.value(u"kernels").toArray();
    QCOMPARE(kernels.size(), 2);
    QCOMPARE(kernels[0][u"counters"][u"sm__sass_inst_executed_op_ldsm.sum"].toInt(), 7); // of the longest launch
    QCOMPARE(kernels[1][u"counters"][u"dram__bytes_read.sum"].toInt(), 1000);
}

void TestCudaWorkerProfile::kernelsFromElsewhere()
{
    WorkerFixture fixture;
    fixture.setEnvironment("KERNELSKILL_PROFILE_LIBRARY",
                           QStringLiteral(BUILD_DIR "/tests/cuda/libkernelskill-cuda-graph-profile-stand-in.so"));
    QJsonObject request = fixture.request(WorkerFixture::steadyProgram());
    request["profile"] = true;
    request["profiler"] = "cupti";
    QCOMPARE(outcome(fixture.run(request), "kernels of its own"), "passed");
    request["candidate"] = fixture.request("/* no kernel \"rest\" */" + WorkerFixture::steadyProgram())["candidate"];
    QJsonObject answer = fixture.run(request);
    QCOMPARE(failures(answer), QStringList("kernels of its own"));
    QVERIFY2(complaints(answer).contains("it launched rest(float*, int), which its code does not define"),
             qPrintable(complaints(answer)));
    request["mode"] = "paper";
    answer = fixture.run(request);
    QCOMPARE(outcome(answer, "kernels of its own"), QString());
    QCOMPARE(answer.value(u"launches").toInt(), 3);
}

// A library launches behind the candidate's back: its work shows in a profile, and is in doubt without one.
void TestCudaWorkerProfile::worksByALibrary()
{
    WorkerFixture fixture;
    fixture.setEnvironment("KERNELSKILL_PROFILE_LIBRARY",
                           QStringLiteral(BUILD_DIR "/tests/cuda/libkernelskill-cuda-profile-stand-in.so"));
    const QString uncounted = QStringLiteral(
        "extern \"C\" cudaError_t __real_cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);\n"
        "template <class Work> void library(cudaStream_t s, Work work) { void *arguments[] = {new Work(work)};\n"
        "__real_cudaLaunchKernel(reinterpret_cast<const void *>(&runStandInWork<Work>), {}, {}, arguments, 0, s); }");
    QJsonObject request = fixture.request(WorkerFixture::program(
        QStringLiteral("library(s, [=] { for (int i = 0; i < n; ++i) y[i] = 2 * x[i]; });"), uncounted));
    QCOMPARE(outcome(fixture.run(request), "work on the device"), "failed");
    QJsonObject candidate = request.value(u"candidate").toObject();
    candidate["libraries"] = QJsonArray{"m"};
    request["candidate"] = candidate;
    QJsonObject answer = fixture.run(request);
    QCOMPARE(failures(answer), QStringList());
    QCOMPARE(outcome(answer, "work on the device"), "not made");
    request["profile"] = true;
    request["profiler"] = "cupti";
    answer = fixture.run(request);
    QCOMPARE(complaints(answer), QString());
    QCOMPARE(outcome(answer, "work on the device"), "passed");
}

void TestCudaWorkerProfile::importsAReport()
{
    WorkerFixture fixture;
    QJsonObject answer = fixture.run({{"import_report", "/there/layer.ncu-rep"}});
    QCOMPARE(answer.value(u"error").toString(), QString());
    QCOMPARE(answer.value(u"launches").toInt(), 3);
    QCOMPARE(answer.value(u"kernels").toArray().size(), 2);
    QCOMPARE(answer.value(u"kernels")[1][u"counters"][u"dram__bytes_read.sum"].toInt(), 1000);
    QCOMPARE(answer.value(u"evidence")[u"profile"][u"why"].toString(), "From the report /there/layer.ncu-rep.");
    fixture.setEnvironment("KERNELSKILL_NCU", QStringLiteral("/nowhere/ncu"));
    answer = fixture.run({{"import_report", "/there/layer.ncu-rep"}});
    QVERIFY2(answer.value(u"error").toString().startsWith("/there/layer.ncu-rep: "), qPrintable(answer.value(u"error").toString()));
    QCOMPARE(answer.value(u"code").toString(), "environment.profiler");
}

QTEST_GUILESS_MAIN(TestCudaWorkerProfile)
#include "tst_cuda_worker_profile.moc"
