// SPDX-License-Identifier: Apache-2.0
// What candidates must not get away with. Each fixture is one way to fail or to cheat, and one right answer to it.
#include "simulator_test.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::test;

class tst_hostile_candidates : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { useOwnFolders(); }

    void honestCandidateIsVerified()
    {
        const Task task = fixtureTask();
        const Evaluation evaluation = evaluate(task, task.baseline, true);
        QVERIFY2(evaluation.verdict == Verdict::Verified, describe(evaluation));
        QVERIFY(evaluation.findings.isEmpty());
        QCOMPARE(evaluation.timings.size(), 1);
    }

    void doesNotCompile()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("does_not_compile.cu")));
        QVERIFY2(evaluation.status == Status::BuildFailed, describe(evaluation));
        QVERIFY2(evaluation.verdict == Verdict::Failed, describe(evaluation));
        const Finding *finding = findingOf(evaluation, QStringLiteral("compile_error"));
        QVERIFY(finding);
        QCOMPARE(finding->file, QStringLiteral("solve.cu"));
        QCOMPARE(finding->line, 8);
    }

    void wrongAtOneRaggedSizeOnly()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("wrong_when_ragged.cu")));
        QVERIFY2(evaluation.status == Status::Wrong, describe(evaluation));
        QVERIFY2(evaluation.verdict == Verdict::Wrong, describe(evaluation));
        int failed = 0;
        for (const Check &check : evaluation.checks) {
            if (check.outcome == QLatin1String("failed")) {
                ++failed;
                QCOMPARE(check.name, QStringLiteral("outputs n=1000 seed 1"));
                QVERIFY2(check.detail.contains(QStringLiteral("never written")), qPrintable(check.detail));
            }
        }
        QCOMPARE(failed, 1);
    }

    void readsOutOfBounds()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("out_of_bounds.cu")));
        QVERIFY2(evaluation.verdict == Verdict::Wrong, describe(evaluation));
        const Finding *finding = findingOf(evaluation, QStringLiteral("out_of_bounds"));
        QVERIFY2(finding, describe(evaluation));
        QCOMPARE(finding->file, QStringLiteral("solve.cu"));
        QCOMPARE(finding->line, 9);
        QCOMPARE(finding->block[0], qint64(15)); // 4096 elements: the last thread of the last block
        QCOMPARE(finding->thread[0], qint64(255));
    }

    void sharedMemoryRace()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("shared_race.cu")));
        QVERIFY2(evaluation.verdict == Verdict::Wrong, describe(evaluation));
        const Finding *finding = findingOf(evaluation, QStringLiteral("race"));
        QVERIFY2(finding, describe(evaluation));
        QCOMPARE(finding->file, QStringLiteral("solve.cu"));
        QVERIFY(finding->line == 9 || finding->line == 10);
    }

    void endlessKernel()
    {
        QElapsedTimer timer;
        timer.start();
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("endless_kernel.cu")));
        QVERIFY2(evaluation.status == Status::Timeout, describe(evaluation));
        QVERIFY2(evaluation.verdict == Verdict::Failed, describe(evaluation));
        const Finding *finding = findingOf(evaluation, QStringLiteral("endless_loop"));
        QVERIFY2(finding, describe(evaluation));
        QVERIFY(finding->line >= 7 && finding->line <= 8);
        QVERIFY2(timer.elapsed() < 60'000, "an endless kernel must not hold everything up");
    }

    // Nobody waits for more warps than the budget has instructions.
    void gridOfMoreBlocksThanCanRun()
    {
        const Candidate huge = Candidate::fromText(
            QStringLiteral("solve.cu"),
            QStringLiteral("#include <cuda_runtime.h>\n"
                           "__global__ void touch(float *y) { y[0] = 1; }\n"
                           "extern \"C\" void solve(const float *, float *y, int, cudaStream_t stream)\n"
                           "{ touch<<<dim3(0x7fffffff, 65535, 65535), 1024, 0, stream>>>(y); }\n"));
        const Evaluation evaluation = evaluate(fixtureTask(), huge);
        QVERIFY2(evaluation.status == Status::Timeout, describe(evaluation));
        const Finding *finding = findingOf(evaluation, QStringLiteral("endless_loop"));
        QVERIFY2(finding, describe(evaluation));
        QVERIFY2(finding->message.startsWith(QStringLiteral("a grid of 2147483647 x 65535 x 65535 blocks of 1024")),
                 qPrintable(finding->message));
    }

    void closesTheChannelAndStays()
    {
        const Candidate closes = Candidate::fromText(
            QStringLiteral("solve.cu"), QStringLiteral("#include <cuda_runtime.h>\n#include <unistd.h>\n"
                                                       "extern \"C\" void solve(const float *, float *, int, cudaStream_t)\n"
                                                       "{ close(3); sleep(100); }\n"));
        const Evaluation evaluation = evaluate(fixtureTask(), closes);
        QVERIFY2(evaluation.status == Status::Crashed, describe(evaluation));
        const Finding *finding = findingOf(evaluation, QStringLiteral("crash"));
        QVERIFY2(finding, describe(evaluation));
        QVERIFY2(finding->message.contains(QStringLiteral("closed the simulator's own channel")),
                 qPrintable(finding->message));
    }

    void endlessHostLoop()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("endless_host.cu")));
        QVERIFY2(evaluation.status == Status::Timeout, describe(evaluation));
        QVERIFY(findingOf(evaluation, QStringLiteral("timeout")));
    }

    void refusedSystemCalls_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("forks without end") << QStringLiteral("forks.cu");
        QTest::newRow("opens a socket") << QStringLiteral("opens_socket.cu");
    }

    void refusedSystemCalls()
    {
        QFETCH(QString, file);
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(file));
        QVERIFY2(evaluation.status == Status::Crashed, describe(evaluation));
        QVERIFY2(evaluation.verdict == Verdict::Failed, describe(evaluation));
        QVERIFY2(findingOf(evaluation, QStringLiteral("sandbox")), describe(evaluation));
    }

    void homeFolderSurvives()
    {
        QTemporaryDir home(QDir::homePath() + QStringLiteral("/kernelskill-test-XXXXXX"));
        QVERIFY(home.isValid());
        QFile precious(home.filePath(QStringLiteral("precious")));
        QVERIFY(precious.open(QIODevice::WriteOnly));
        precious.write("data");
        precious.close();
        Candidate hostile = candidate(QStringLiteral("deletes_home.cu"));
        hostile.files[0].content.replace(QStringLiteral("CANARY_FOLDER"), u'"' + home.path() + u'"');
        const Evaluation evaluation = evaluate(fixtureTask(), hostile);
        QVERIFY2(evaluation.verdict == Verdict::Verified, describe(evaluation));
        QVERIFY(QFile::exists(precious.fileName()));
        QVERIFY(QDir(QDir::homePath()).exists());
    }

    void forgedResultLineHasNoEffect()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("forges_result.cu")), true);
        QVERIFY2(evaluation.verdict == Verdict::Wrong, describe(evaluation));
        QVERIFY(evaluation.timings.isEmpty());
        QVERIFY2(evaluation.log.contains(QStringLiteral("0.001")), "what it printed belongs into the log");
    }

    void supervisorSurvives_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("floods the channel") << QStringLiteral("floods_channel.cu");
        QTest::newRow("closes every descriptor and leaves") << QStringLiteral("closes_everything.cu");
    }

    void supervisorSurvives()
    {
        QFETCH(QString, file);
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(file));
        QVERIFY2(evaluation.status == Status::Crashed, describe(evaluation));
        QVERIFY2(!findingOf(evaluation, QStringLiteral("simulator_fault")), describe(evaluation));
    }

    void computesOnTheHost()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("computes_on_host.cu")));
        QVERIFY2(evaluation.verdict == Verdict::Suspect, describe(evaluation));
        QCOMPARE(checkNamed(evaluation, QStringLiteral("work on the device"))->outcome, QStringLiteral("failed"));
    }

    void cachesItsResult()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("caches_result.cu")));
        QVERIFY2(evaluation.verdict == Verdict::Wrong, describe(evaluation));
        QCOMPARE(checkNamed(evaluation, QStringLiteral("outputs n=4096 seed 1"))->outcome, QStringLiteral("passed"));
        QCOMPARE(checkNamed(evaluation, QStringLiteral("outputs n=4096 seed 2"))->outcome, QStringLiteral("failed"));
    }

    void modifiesItsInput()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("modifies_input.cu")));
        QVERIFY2(evaluation.verdict == Verdict::Suspect, describe(evaluation));
        QCOMPARE(checkNamed(evaluation, QStringLiteral("inputs unmodified"))->outcome, QStringLiteral("failed"));
    }

    void skipsWorkAtTheTimedSize()
    {
        const Evaluation evaluation = evaluate(fixtureTask(), candidate(QStringLiteral("skips_large.cu")), true);
        QVERIFY2(evaluation.verdict == Verdict::Suspect, describe(evaluation));
        QCOMPARE(checkNamed(evaluation, QStringLiteral("plausible time"))->outcome, QStringLiteral("failed"));
    }
};

QTEST_GUILESS_MAIN(tst_hostile_candidates)
#include "tst_hostile_candidates.moc"
