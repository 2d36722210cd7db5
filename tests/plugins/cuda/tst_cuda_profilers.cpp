// SPDX-License-Identifier: Apache-2.0
// What stands around a profile: the library's build and its calls, permission, tools, and what is said when they fail.
#include "profiler/counter_access.h"
#include "profiler/library_build.h"
#include "profiler/library_calls.h"
#include "profiler/messages.h"
#include "profiler/metrics.h"
#include "profiler/ncu_report.h"
#include "profiler/run_tool.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill::cuda;

namespace {

QString text(const std::string &s)
{
    return QString::fromStdString(s);
}

QByteArray readAll(const std::string &path)
{
    QFile file(text(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestCudaProfilers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void messages_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("said");
        QTest::addColumn<QString>("contains");
        QTest::newRow("no permission, ncu") << 1 << "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"
                                            << "NVreg_RestrictProfilingToAdminUsers=0";
        QTest::newRow("no permission, CUPTI") << 1 << "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: could not enable"
                                              << "NVreg_RestrictProfilingToAdminUsers=0";
        QTest::newRow("no ncu") << 127 << "ncu: No such file or directory" << "install Nsight Compute";
        QTest::newRow("ncu and driver") << 1 << "==ERROR== Cuda driver is not compatible with Nsight Compute."
                                        << "do not fit together";
        QTest::newRow("CUPTI and driver") << 1 << "CUPTI_ERROR_NOT_COMPATIBLE: could not initialise" << "nvidia-smi";
        QTest::newRow("new chip") << 1 << "CUPTI_ERROR_INVALID_CHIP_NAME: x" << "newer CUDA toolkit";
        QTest::newRow("DCGM")
            << 1 << "==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other tool"
            << "dcgmi profile --pause";
        QTest::newRow("graph") << 1 << "graph_launch: the range profiler" << "choose the profiler ncu";
        QTest::newRow("no report") << 1 << "==ERROR== Could not open report file '/tmp/a.ncu-rep'." << ".ncu-rep";
        QTest::newRow("no ncu report") << 1 << "==ERROR== The file is not an Nsight Compute profiler report"
                                       << "no report of ncu";
        QTest::newRow("library missing") << 2 << "/x.so: cannot open shared object file: No such file"
                                         << "cache folder";
        QTest::newRow("unheard of") << 9 << "==PROF== Connected\n==ERROR== The GPU is on fire.\n"
                                    << "with status 9: The GPU is on fire;";
        QTest::newRow("silent") << 139 << "" << "The profiler failed with status 139;";
    }

    void messages()
    {
        QFETCH(int, status);
        QFETCH(QString, said);
        QFETCH(QString, contains);
        const QString sentence = text(explainProfiler(status, said.toStdString()));
        QVERIFY2(sentence.contains(contains), qPrintable(sentence));
        QVERIFY(!sentence.contains(QLatin1String("sudo")) && !sentence.contains(QLatin1Char('\n')));
        QVERIFY(sentence.endsWith(QLatin1Char('.')) &&
                sentence[0].isUpper() == !sentence.startsWith(QLatin1String("ncu")));
    }

    void nothingToExplain()
    {
        QCOMPARE(explainProfiler(0, "==PROF== Disconnected from process 7\n"), std::string());
        QCOMPARE(explainLibraryBuild(0, ""), std::string());
        QCOMPARE(explainMissingCounters({}, {}), std::string());
        QCOMPARE(
            text(explainMissingCounters({"a", "b", "c", "d", "e", "f"}, {"g"})),
            QStringLiteral("The profiler gave no number (NaN) for a, b, c, d and 2 more; this GPU or profiler has no "
                           "counter g: what is made of them is shown as missing, and the profiler ncu may have it."));
    }

    // build.sh against folders made to look like toolkits.
    void libraryBuildFailures()
    {
        QTemporaryDir folder;
        const std::string cuda = folder.path().toStdString() + "/cuda", cache = folder.path().toStdString() + "/cache";
        const auto build = [&](const char *compiler) {
            return runTool({"env", std::string("CXX=") + compiler, "sh",
                            SOURCE_DIR "/plugins/evaluators/cuda/profiler/cupti/build.sh", cache, cuda},
                           60);
        };
        const auto write = [&](const char *name) {
            QFile file(text(cuda) + QLatin1String(name));
            return QDir().mkpath(QFileInfo(file).path()) && file.open(QIODevice::WriteOnly);
        };
        ToolRun run = build("nosuchcompiler");
        QCOMPARE(run.status, 14);
        QVERIFY(text(explainLibraryBuild(run.status, run.errors)).contains(QLatin1String("no C++ compiler")));
        run = build("false");
        QCOMPARE(run.status, 10);
        QVERIFY(
            text(explainLibraryBuild(run.status, run.errors)).startsWith(QLatin1String("CUPTI's headers are missing")));
        QVERIFY(write("/include/cupti.h") && write("/include/cuda.h"));
        run = build("false");
        QCOMPARE(run.status, 11);
        QVERIFY(
            text(explainLibraryBuild(run.status, run.errors)).contains(QLatin1String("install CUDA 12.6 or newer")));
        QVERIFY(write("/include/cupti_range_profiler.h") && write("/include/cupti_pmsampling.h") &&
                write("/include/cupti_version.h"));
        run = build("false");
        QCOMPARE(run.status, 12);
        QVERIFY(text(explainLibraryBuild(run.status, run.errors)).contains(QLatin1String("library is missing")));
        QVERIFY(write("/lib64/libcupti.so"));
        run = build("false"); // that compiler never succeeds
        QCOMPARE(run.status, 13);
        QVERIFY(text(explainLibraryBuild(run.status, run.errors))
                    .startsWith(QLatin1String("The profiling library does not")));
    }

    void libraryIsTakenFromTheCacheOrExplained()
    {
        QTemporaryDir folder;
        const std::string sources = folder.path().toStdString();
        const auto script = [&](const char *content) {
            QFile file(folder.filePath(QStringLiteral("build.sh")));
            return file.open(QIODevice::WriteOnly) && file.write(content) > 0;
        };
        QVERIFY(script("echo $1/library.so $2\n"));
        QCOMPARE(text(profilingLibrary(sources, "/cache", "/cuda").path), QStringLiteral("/cache/library.so /cuda"));
        QVERIFY(script("echo old headers >&2; exit 11\n"));
        const ProfilingLibrary none = profilingLibrary(sources, "/cache");
        QVERIFY(none.path.empty());
        QVERIFY(text(none.problem).startsWith(QLatin1String("CUPTI is too old on the GPU machine (old headers):")));
    }

    // The loop that the candidate's process runs, with a stand-in for the library.
    void callsOfALibrary()
    {
        QTemporaryDir folder;
        const std::string output = folder.filePath(QStringLiteral("profile")).toStdString();
        std::string error;
        const auto calls = ProfilingCalls::load(BUILD_DIR "/tests/cuda-profile-stand-in.so", error);
        QVERIFY2(calls, error.c_str());
        std::string order;
        const auto prepare = [&] {
            order += 'p';
            return true;
        };
        const auto call = [&] {
            order += 'c';
            return true;
        };
        QVERIFY(calls->profile("parts=launches", prepare, call, output, error));
        QCOMPARE(order, std::string("pcpcpc"));
        QCOMPARE(readAll(output), QByteArray("parts=launches 1 3")); // attached once, three calls
        // A call that fails ends it, and what was seen is kept.
        QVERIFY(calls->profile("x", prepare, [] { return false; }, output, error));
        QCOMPARE(readAll(output), QByteArray("x 1 1"));
        QVERIFY(calls->profile("x", [] { return false; }, call, output, error));
        QCOMPARE(readAll(output), QByteArray("x 1 0"));
        QVERIFY(!calls->profile("refuse", prepare, call, output, error));
        QCOMPARE(error, std::string("no context is current (no_context)"));
        QVERIFY(!calls->profile("x", prepare, call, "/nowhere/profile", error));
        QVERIFY(text(error).startsWith(QLatin1String("cannot write /nowhere/profile")));
    }

    void libraryThatDoesNotLoad()
    {
        std::string error;
        QVERIFY(!ProfilingCalls::load("/nowhere/library.so", error));
        QVERIFY(text(explainProfiler(1, error))
                    .startsWith(QLatin1String("The profiling library cannot be loaded (/nowhere")));
    }

    void whoMayReadCounters_data()
    {
        QTest::addColumn<QString>("parameters");
        QTest::addColumn<QString>("status");
        QTest::addColumn<CounterAccess>("access");
        const QString root = QStringLiteral("Name:\tx\nCapPrm:\t0\nCapEff:\t000001fffeffffff\n");
        const QString user = QStringLiteral("Name:\tx\nCapEff:\t0000000000000000\n");
        const QString open = QStringLiteral("Mobile: 4294967295\nRmProfilingAdminOnly: 0\n");
        const QString closed = QStringLiteral("Mobile: 4294967295\nRmProfilingAdminOnly: 1\nX: 0\n");
        QTest::newRow("open") << open << user << CounterAccess::Everybody;
        QTest::newRow("closed to a user") << closed << user << CounterAccess::AdministratorsButNotUs;
        QTest::newRow("closed, root") << closed << root << CounterAccess::Administrator;
        QTest::newRow("closed, no status") << closed << "" << CounterAccess::AdministratorsButNotUs;
        QTest::newRow("no driver") << "" << user << CounterAccess::Everybody;
    }

    void whoMayReadCounters()
    {
        QFETCH(QString, parameters);
        QFETCH(QString, status);
        QTEST(counterAccess(parameters.toStdString(), status.toStdString()), "access");
    }

    void importWithoutNcu()
    {
        const RawProfile profile = importReport("/nowhere/a.ncu-rep", "/nowhere/ncu");
        QVERIFY(profile.launches.empty());
        QVERIFY(text(profileRemarks(profile).at(0)).startsWith(QLatin1String("ncu is not installed")));
    }

    void toolsRunToTheirEnd()
    {
        const ToolRun run = runTool({"sh", "-c", "echo out; echo err >&2; exit 3"}, 60);
        QCOMPARE(run.status, 3);
        QCOMPARE(run.output, std::string("out\n"));
        QCOMPARE(run.errors, std::string("err\n"));
        QCOMPARE(runTool({"/nowhere/tool"}, 60).status, 127);
        QCOMPARE(runTool({"cat", "/dev/zero"}, 0).status, 128 + 9); // no time at all
    }
};

QTEST_GUILESS_MAIN(TestCudaProfilers)
#include "tst_cuda_profilers.moc"
