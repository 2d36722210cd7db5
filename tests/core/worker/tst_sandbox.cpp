// SPDX-License-Identifier: Apache-2.0
#include "kit/confine.h"
#include "worker/sandbox.h"

#include <QCoroTest>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace kernelskill;

class TestSandbox : public QObject
{
    Q_OBJECT

private:
    static SandboxCommand probe(const QStringList &arguments)
    {
        SandboxCommand command;
        command.program = QStringLiteral(BUILD_DIR "/tests/sandbox_probe");
        command.arguments = arguments;
        command.readable = {QStringLiteral(BUILD_DIR)};
        command.limits.wallClock_ms = 20'000;
        return command;
    }
    static SandboxResult run(const SandboxCommand &command, std::stop_token stop = {})
    {
        const auto result = QCoro::waitFor(runSandboxed(command, stop));
        if (!result) qFatal("%s", qPrintable(result.error().message));
        return *result;
    }
    static SandboxResult runProbe(const QStringList &arguments) { return run(probe(arguments)); }
    // Processes whose command line holds the text.
    static int processesWith(const QByteArray &text)
    {
        int found = 0;
        const QStringList entries = QDir(QStringLiteral("/proc")).entryList(QDir::Dirs);
        for (const QString &entry : entries) {
            QFile file(QStringLiteral("/proc/%1/cmdline").arg(entry));
            if (entry.toInt() > 0 && file.open(QIODevice::ReadOnly) && file.readAll().contains(text)) ++found;
        }
        return found;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const SandboxSupport support = sandboxSupport();
        QVERIFY2(support.available, qPrintable(support.reason + u' ' + support.remedy));
    }

    void exitStatusAndOutput()
    {
        const SandboxResult result = runProbe({QStringLiteral("exit"), QStringLiteral("42")});
        QCOMPARE(result.end, SandboxResult::End::Exited);
        QCOMPARE(result.exitCode, 42);
        QCOMPARE(result.describe(), QStringLiteral("exit status 42"));
        QVERIFY(!result.succeeded());
        QVERIFY(runProbe({QStringLiteral("exit"), QStringLiteral("0")}).succeeded());
    }

    void standardInputArrives()
    {
        SandboxCommand command = probe({QStringLiteral("cat")});
        command.standardInput = QByteArray(300'000, 'a') + "end";
        QCOMPARE(run(command).standardOutput, command.standardInput);
    }

    void crashIsASignal()
    {
        const SandboxResult result = runProbe({QStringLiteral("crash")});
        QCOMPARE(result.end, SandboxResult::End::Signalled);
        QCOMPARE(result.signal, SIGABRT);
        QCOMPARE(result.describe(), QStringLiteral("signal 6 (SIGABRT)"));
    }

    void environmentIsScrubbed()
    {
        qputenv("SECRET_API_KEY", "sk-do-not-show");
        SandboxCommand command = probe({QStringLiteral("environment")});
        command.environment.insert(QStringLiteral("GIVEN"), QStringLiteral("yes"));
        QStringList lines = QString::fromUtf8(run(command).standardOutput).split(u'\n', Qt::SkipEmptyParts);
        qunsetenv("SECRET_API_KEY");
        QStringList names;
        for (const QString &line : std::as_const(lines)) names.append(line.section(u'=', 0, 0));
        names.sort();
        names.removeAll(QStringLiteral("PWD")); // bubblewrap sets it
        QCOMPARE(names, QStringList({QStringLiteral("GIVEN"), QStringLiteral("HOME"), QStringLiteral("LANG"),
                                     QStringLiteral("PATH"), QStringLiteral("TMPDIR")}));
    }

    void secretsAreOutOfReach()
    {
        QTemporaryDir home;
        QVERIFY(QDir(home.path()).mkpath(QStringLiteral(".ssh")));
        QFile key(home.filePath(QStringLiteral(".ssh/id_ed25519")));
        QVERIFY(key.open(QIODevice::WriteOnly));
        key.write("private");
        key.close();
        for (const QString &path : {QStringLiteral("/etc/shadow"), QStringLiteral("/etc/passwd"), key.fileName(),
                                    QDir::homePath() + QStringLiteral("/.ssh/id_rsa")}) {
            const SandboxResult result = runProbe({QStringLiteral("read"), path});
            QCOMPARE(result.exitCode, 4);
            QVERIFY(result.standardOutput.isEmpty());
        }
        QVERIFY(runProbe({QStringLiteral("list"), QStringLiteral("/proc/self/root/")}).standardOutput.size() < 400);
    }

    void homeOfTheHostSurvives()
    {
        QTemporaryDir home;
        QFile precious(home.filePath(QStringLiteral("precious")));
        QVERIFY(precious.open(QIODevice::WriteOnly));
        precious.close();
        QVERIFY(runProbe({QStringLiteral("delete")}).succeeded());
        QVERIFY(runProbe({QStringLiteral("delete"), home.path()}).succeeded());
        SandboxCommand readable = probe({QStringLiteral("delete"), home.path()});
        readable.readable.append(home.path());
        run(readable);
        QVERIFY(QFile::exists(precious.fileName()));
        // The control: what was made writable can be deleted.
        SandboxCommand writable = probe({QStringLiteral("delete"), home.path()});
        writable.writable.append(home.path());
        run(writable);
        QVERIFY(!QFile::exists(precious.fileName()));
    }

    void endlessLoopIsKilled()
    {
        SandboxCommand command = probe({QStringLiteral("loop")});
        command.limits.wallClock_ms = 500;
        const SandboxResult result = run(command);
        QCOMPARE(result.end, SandboxResult::End::TimedOut);
        QVERIFY2(result.wall_ms >= 500 && result.wall_ms < 3000, qPrintable(QString::number(result.wall_ms)));
        QVERIFY(result.describe().startsWith(u"killed after 0."));
    }

    void cpuLimitCounts()
    {
        SandboxCommand command = probe({QStringLiteral("loop")});
        command.limits.cpu_s = 1;
        QCOMPARE(run(command).end, SandboxResult::End::TimedOut);
    }

    void memoryHogIsKilled()
    {
        SandboxCommand command = probe({QStringLiteral("hog")});
        command.limits.memoryBytes = 200 << 20;
        const SandboxResult result = run(command);
        QCOMPARE(result.end, SandboxResult::End::OutOfMemory);
        QCOMPARE(result.describe(), QStringLiteral("killed because it used too much memory"));
    }

    void forkBombEnds()
    {
        SandboxCommand command = probe({QStringLiteral("fork-bomb")});
        command.limits.processes = 32;
        const SandboxResult result = run(command);
        QCOMPARE(result.end, SandboxResult::End::Signalled);
        QCOMPARE(result.refusedCall, QStringLiteral("fork"));
        QCOMPARE(processesWith("fork-bomb"), 0);
    }

    // Looking at a tree ends although the tree does not: a bomb grows faster than its processes can be counted.
    void treesAreCountedUpToALimit()
    {
        QProcess sleepers;
        sleepers.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), QStringLiteral("sleep 60 & sleep 60 & sleep 60 & wait")});
        QVERIFY(sleepers.waitForStarted());
        const auto root = pid_t(sleepers.processId());
        QTRY_COMPARE(kit::treeUse(root, 100).processes, 4);
        QCOMPARE(kit::treeUse(root, 2).processes, 2);
        QVERIFY(kit::treeUse(root, 2).residentBytes > 0);
        kit::killTree(root);
        QVERIFY(sleepers.waitForFinished());
        QCOMPARE(kit::treeUse(root, 100).processes, 0);
    }

    void floodIsCappedAndDrained()
    {
        SandboxCommand command = probe({QStringLiteral("flood")});
        command.limits.outputBytes = 100'000;
        const SandboxResult result = run(command);
        QVERIFY(result.succeeded());
        QVERIFY(result.outputTruncated);
        QCOMPARE(result.standardOutput, QByteArray(100'000, 'x'));
    }

    void largeFilesAreRefused()
    {
        SandboxCommand command = probe({QStringLiteral("write"), QStringLiteral("/tmp/large")});
        command.limits.fileBytes = 8 << 20;
        const SandboxResult result = run(command);
        QVERIFY(!result.succeeded());
    }

    void memoryFileSystemsAreClosedOrLimited()
    {
        for (const char *path : {"/large", "/dev/large", "/usr/large", "/proc/large"})
            QCOMPARE(runProbe({QStringLiteral("write"), QString::fromLatin1(path)}).exitCode, 5);
        QVERIFY(runProbe({QStringLiteral("write"), QStringLiteral("/tmp/large")}).succeeded()); // 256 MiB of 1 GiB
    }

    void networkIsRefused_data()
    {
        QTest::addColumn<bool>("processes");
        QTest::addColumn<QString>("call");
        QTest::newRow("compilers get an error") << true << QString();
        QTest::newRow("candidates die") << false << QStringLiteral("socket");
    }
    void networkIsRefused()
    {
        QFETCH(bool, processes);
        QFETCH(QString, call);
        SandboxCommand command = probe({QStringLiteral("socket")});
        command.allowProcesses = processes;
        command.environment.insert(QStringLiteral("REPORT_REFUSALS"), QStringLiteral("1"));
        const SandboxResult result = run(command);
        QCOMPARE(result.refusedCall, call);
        if (processes) {
            QCOMPARE(result.exitCode, 7);
        } else {
            QCOMPARE(result.end, SandboxResult::End::Signalled);
            QCOMPARE(result.signal, SIGSYS);
            QCOMPARE(result.describe(), QStringLiteral("ended because it made the refused system call socket"));
        }
    }

    // A profiler and the program it starts may talk to each other, and to nobody else.
    void loopbackWhereItIsAllowed()
    {
        const auto exitCode = [](const char *what, bool loopback) {
            kit::ConfineCommand command;
            command.program = BUILD_DIR "/tests/sandbox_probe";
            command.arguments = {what};
            command.readable = {BUILD_DIR};
            command.allowLoopback = loopback;
            kit::ConfinedEnd end;
            std::string error;
            return kit::runConfined(command, end, error) ? end.exitCode : -1;
        };
        QCOMPARE(exitCode("loopback", false), 7);
        QCOMPARE(exitCode("loopback", true), 8);
        QCOMPARE(exitCode("netlink", true), 7);
    }

    void forkIsRefusedToCandidates()
    {
        SandboxCommand command = probe({QStringLiteral("fork")});
        QCOMPARE(run(command).exitCode, 6);
        command.allowProcesses = false;
        command.environment.insert(QStringLiteral("REPORT_REFUSALS"), QStringLiteral("1"));
        const SandboxResult result = run(command);
        QCOMPARE(result.signal, SIGSYS);
        QCOMPARE(result.refusedCall, QStringLiteral("fork"));
        // Without the reporter the call is refused all the same, only its name is not known.
        command.environment.clear();
        QCOMPARE(run(command).refusedCall, QStringLiteral("unknown"));
    }

    void threadsAreAllowedToCandidates()
    {
        SandboxCommand command = probe({QStringLiteral("threads")});
        command.allowProcesses = false;
        QCOMPARE(run(command).exitCode, 42);
    }

    void tracingIsRefused()
    {
        QCOMPARE(runProbe({QStringLiteral("ptrace")}).exitCode, 9);
    }

    void onlyGivenDescriptorsAreOpen()
    {
        const int extra = open("/dev/null", O_RDWR); // without close-on-exec, as a careless library might
        int pipeEnds[2];
        QCOMPARE(pipe2(pipeEnds, O_CLOEXEC), 0);
        SandboxCommand command = probe({QStringLiteral("descriptors")});
        command.descriptors.append({pipeEnds[1], 5});
        QCOMPARE(run(command).standardOutput.simplified(), QByteArray("0 1 2 5"));
        command.arguments = QStringList{QStringLiteral("say"), QStringLiteral("5")};
        QVERIFY(run(command).succeeded());
        char text[6] = {};
        QCOMPARE(read(pipeEnds[0], text, 5), ssize_t(5));
        QCOMPARE(QByteArray(text), QByteArray("hello"));
        close(pipeEnds[0]);
        close(pipeEnds[1]);
        close(extra);
    }

    void stopLeavesNoProcess_data()
    {
        QTest::addColumn<bool>("unconfined");
        QTest::newRow("confined") << false;
        QTest::newRow("unconfined") << true;
    }
    void stopLeavesNoProcess()
    {
        QFETCH(bool, unconfined);
        const QString marker = QStringLiteral("marker-%1-%2").arg(getpid()).arg(unconfined);
        SandboxCommand command = probe({QStringLiteral("sleepers"), marker});
        command.unconfined = unconfined;
        std::stop_source source;
        QElapsedTimer clock;
        QTimer poll;
        connect(&poll, &QTimer::timeout, this, [&] {
            // The program and its three children; bubblewrap's own two processes carry the words as well.
            if (processesWith(marker.toUtf8()) < (unconfined ? 4 : 6)) return;
            clock.start();
            source.request_stop();
            poll.stop();
        });
        poll.start(5);
        const SandboxResult result = run(command, source.get_token());
        QCOMPARE(result.end, SandboxResult::End::Stopped);
        QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
        QTRY_COMPARE_WITH_TIMEOUT(processesWith(marker.toUtf8()), 0, 1000);
    }

    void noProcessIsNobody()
    {
        // To kill() these numbers are this test's own group, the first process and everything there is.
        for (const pid_t none : {0, 1, -1}) {
            kit::killTree(none);
            kit::killGroup(none);
        }
    }

    void stopBeforeStart()
    {
        std::stop_source source;
        source.request_stop();
        QCOMPARE(run(probe({QStringLiteral("sleep")}), source.get_token()).end, SandboxResult::End::Stopped);
    }

    void processesAreNotSeen()
    {
        // The first process of its own namespace is bubblewrap's; ours comes next.
        QCOMPARE(runProbe({QStringLiteral("parent")}).standardOutput, QByteArray("2"));
    }

    void missingProgramIsAnError()
    {
        SandboxCommand command;
        command.program = QStringLiteral("/no/such/program");
        const auto result = QCoro::waitFor(runSandboxed(command, {}));
        QVERIFY(!result);
        QCOMPARE(result.error().code, QStringLiteral("sandbox.start"));
        QCOMPARE(result.error().message, QStringLiteral("/no/such/program could not be started: there is no program /no/such/program."));
    }

    void missingFolderIsAnError()
    {
        SandboxCommand command = probe({QStringLiteral("exit"), QStringLiteral("0")});
        command.workingFolder = QStringLiteral("/no/such/folder");
        const auto result = QCoro::waitFor(runSandboxed(command, {}));
        QVERIFY(!result);
        QVERIFY2(result.error().message.contains(u"/no/such/folder"), qPrintable(result.error().message));
    }

    void unconfinedStillHasLimits()
    {
        SandboxCommand command = probe({QStringLiteral("loop")});
        command.unconfined = true;
        command.limits.wallClock_ms = 300;
        QCOMPARE(run(command).end, SandboxResult::End::TimedOut);
        command = probe({QStringLiteral("environment")});
        command.unconfined = true;
        QVERIFY(!run(command).standardOutput.contains("KERNELSKILL_PLUGIN_PATH"));
    }

    void manyAtOnce()
    {
        std::vector<QCoro::Task<Result<SandboxResult>>> tasks;
        for (int i = 0; i < 6; ++i)
            tasks.push_back(runSandboxed(probe({QStringLiteral("exit"), QString::number(i)}), {}));
        for (int i = 0; i < 6; ++i) QCOMPARE(QCoro::waitFor(std::move(tasks[std::size_t(i)]))->exitCode, i);
    }

    void blockingFormWorks()
    {
        kit::ConfineCommand command;
        command.program = "echo";
        command.arguments = {"hello"};
        kit::ConfinedEnd end;
        std::string error;
        QVERIFY2(kit::runConfined(command, end, error), error.c_str());
        QCOMPARE(end.standardOutput, std::string("hello\n"));
    }
};

QTEST_GUILESS_MAIN(TestSandbox)
#include "tst_sandbox.moc"
