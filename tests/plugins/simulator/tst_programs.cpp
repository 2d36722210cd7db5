// SPDX-License-Identifier: Apache-2.0
// Whole programs on the simulator: the run time interface and the headers by programs that check themselves, and
// `kernelskill simulate` with input of every kind.
#include "simulator_test.h"

#include "program/simulate.h"

#include <QCoroTask>
#include <QDir>
#include <QFile>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::simulator;

namespace {

const QString folder = QStringLiteral(TEST_DIR "/fixtures/programs");

ProgramOutcome run(const QStringList &arguments)
{
    const auto options = readArguments(arguments);
    if (!options) qFatal("%s", qPrintable(options.error()));
    const auto outcome = QCoro::waitFor(simulate(*options, {}, {}));
    if (!outcome) qFatal("%s %s", qPrintable(outcome.error().message), qPrintable(outcome.error().detail));
    return *outcome;
}

QByteArray describe(const ProgramOutcome &outcome)
{
    QString text = outcome.status + u'\n' + QString::fromUtf8(outcome.output + outcome.errors) + outcome.buildLog;
    for (const Finding &finding : outcome.findings)
        text += findingText(finding) + u'\n';
    return text.toUtf8();
}

QString mistake(const QStringList &arguments)
{
    const auto options = readArguments(arguments);
    return options ? QString() : options.error();
}

} // namespace

class TestPrograms : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        test::useOwnFolders();
        QVERIFY(QDir::setCurrent(folder));
    }

    void checksItself_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<int>("checks");
        const auto row = [](const char *name, int checks) {
            QTest::newRow(name) << QString::fromLatin1(name) << checks;
        };
        row("runtime_memory", 98);
        row("runtime_graphs", 91);
        row("runtime_queries", 78);
        row("header_groups", 27);
        row("header_asynchronous", 11);
        row("header_random", 60);
        row("header_texture", 30);
        row("header_cub", 17);
        row("header_small_floats", 31);
        row("language_objects", 31);
    }
    void checksItself()
    {
        QFETCH(QString, program);
        QFETCH(int, checks);
        const ProgramOutcome outcome = run({program + QStringLiteral(".cu")});
        QCOMPARE(QString::fromUtf8(outcome.output).trimmed(), QStringLiteral("%1 checks, 0 failures").arg(checks));
        QVERIFY2(outcome.findings.isEmpty(), describe(outcome));
        QCOMPARE(outcome.exitStatus(), 0);
    }

    void clustersOfBlocks()
    {
        const ProgramOutcome outcome = run({QStringLiteral("clusters.cu"), QStringLiteral("--arch"), QStringLiteral("sm_90")});
        QCOMPARE(QString::fromUtf8(outcome.output).trimmed(), QStringLiteral("60 checks, 0 failures"));
        QVERIFY2(outcome.findings.isEmpty(), describe(outcome));
    }

    // Bit by bit what a GPU printed.
    void saysWhatAGpuSaid_data()
    {
        QTest::addColumn<QString>("program");
        QTest::newRow("intrinsics") << QStringLiteral("intrinsics");
        QTest::newRow("warp_wide") << QStringLiteral("warp_wide");
    }
    void saysWhatAGpuSaid()
    {
        QFETCH(QString, program);
        QFile file(program + QStringLiteral(".h200.txt"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArrayList expected = file.readAll().split('\n');
        const ProgramOutcome outcome = run({program + QStringLiteral(".cu"), QStringLiteral("--arch"), QStringLiteral("sm_90")});
        const QByteArrayList lines = QByteArray(outcome.output).split('\n');
        QVERIFY2(outcome.findings.isEmpty(), describe(outcome));
        QCOMPARE(lines.size(), expected.size());
        for (qsizetype i = 0; i < lines.size(); ++i)
            QCOMPARE(lines[i], expected[i]);
    }

    // What it returns is its own, up to what a shell would say of a signal.
    void exitStatusIsThePrograms_data()
    {
        QTest::addColumn<int>("status");
        for (const int status : {0, 3, 86, 128, 190, 255})
            QTest::addRow("%d", status) << status;
    }
    void exitStatusIsThePrograms()
    {
        QFETCH(int, status);
        const QTemporaryDir own;
        QFile file(own.filePath(QStringLiteral("returns.cu")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("int main() { return " + QByteArray::number(status) + "; }\n");
        file.close();
        const ProgramOutcome outcome = run({file.fileName()});
        QVERIFY2(outcome.ended && outcome.findings.isEmpty(), describe(outcome));
        QCOMPARE(outcome.exitCode, status);
    }

    void whatIsTooMuchOutputIsSaid()
    {
        const QTemporaryDir own;
        QFile file(own.filePath(QStringLiteral("prints.cu")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#include <cstdio>\n#include <string>\n"
                   "int main() { const std::string mib(1 << 20, 'x'); for (int i = 0; i < 70; ++i) puts(mib.c_str()); }\n");
        file.close();
        const ProgramOutcome outcome = run({file.fileName()});
        QCOMPARE(outcome.exitStatus(), 0);
        QCOMPARE(outcome.output.size(), qsizetype(64) << 20);
        QVERIFY2(outcome.errors.contains("printed more than 64 MiB; the rest was left out"), outcome.errors);
    }

    // Its mistakes are on purpose; each is found, and the program goes on as it would on a GPU.
    void errorsPassOrStay()
    {
        const ProgramOutcome outcome = run({QStringLiteral("runtime_errors.cu")});
        QCOMPARE(QString::fromUtf8(outcome.output).trimmed(), QStringLiteral("34 checks, 0 failures"));
        QCOMPARE(outcome.exitCode, 0);
        QCOMPARE(outcome.exitStatus(), 1);
        QStringList kinds;
        for (const Finding &finding : outcome.findings)
            kinds.append(finding.kind);
        // Two of one kernel's are one finding that says so.
        QCOMPARE(kinds, (QStringList{QStringLiteral("illegal_launch"), QStringLiteral("illegal_launch"),
                                     QStringLiteral("out_of_bounds")}));
        QVERIFY2(outcome.findings.last().file.endsWith(QStringLiteral("/runtime_errors.cu")), describe(outcome));
        QCOMPARE(outcome.findings.last().line, 9);
    }

    void unitsArgumentsAndOutput()
    {
        const ProgramOutcome outcome =
            run({QStringLiteral("two_units.cu"), QStringLiteral("two_units_host.cpp"), QStringLiteral("-DSCALE=5"),
                 QStringLiteral("--"), QStringLiteral("-x"), QStringLiteral("file.cu")});
        QVERIFY2(outcome.ended, describe(outcome));
        QCOMPARE(
            QString::fromUtf8(outcome.output),
            QStringLiteral(
                "argument -x\nargument file.cu\nlaunched\nthread 0\nthread 1\nsum 30\nbeside it: 1\nmay write: 0\n"));
        QCOMPARE(outcome.errors, QByteArrayLiteral("to the error stream\n"));
        QCOMPARE(outcome.exitStatus(), 0);
        QCOMPARE(outcome.profile.kernels.size(), 1);
        QCOMPARE(outcome.profile.launchCount, 1);
        QVERIFY(outcome.elapsed_us > 0);
        QVERIFY(profileText(outcome).contains(QStringLiteral("say(int*, char const*)")));
        const QJsonObject object = toJson(outcome);
        QCOMPARE(object.value(u"exit").toInt(), 0);
        QCOMPARE(object.value(u"time_kind").toString(), QStringLiteral("modelled"));
    }

    void doesNotBuild_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("message");
        QTest::addColumn<int>("line");
        QTest::newRow("no main") << QStringLiteral("no_main.cu") << QStringLiteral("the program has no main") << 0;
        QTest::newRow("compile error") << QStringLiteral("does_not_compile.cu")
                                       << QStringLiteral("use of undeclared identifier 'missing'") << 4;
        QTest::newRow("vendor library") << QStringLiteral("vendor_library.cu")
                                        << QStringLiteral("cuBLAS is a library of code compiled for real GPUs") << 0;
        QTest::newRow("undefined symbol")
            << QStringLiteral("undefined_symbol.cu") << QStringLiteral("undefined symbol cublasCreate_v2") << 0;
    }
    void doesNotBuild()
    {
        QFETCH(QString, program);
        QFETCH(QString, message);
        QFETCH(int, line);
        const ProgramOutcome outcome = run({program});
        QCOMPARE(outcome.status, QStringLiteral("build_failed"));
        QCOMPARE(outcome.exitStatus(), 1);
        QVERIFY2(!outcome.findings.isEmpty() && outcome.findings.first().message.contains(message), describe(outcome));
        if (line > 0) QCOMPARE(outcome.findings.first().line, line);
    }

    void endsBadly_data()
    {
        QTest::addColumn<QString>("how");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("message");
        QTest::addColumn<int>("exitStatus");
        QTest::newRow("own exit status") << QStringLiteral("three") << QString() << QString() << 3;
        QTest::newRow("abort") << QStringLiteral("crash") << QStringLiteral("crash")
                               << QStringLiteral("the program's host code was ended by signal 6 (SIGABRT)") << 1;
        QTest::newRow("fork") << QStringLiteral("fork") << QStringLiteral("sandbox")
                              << QStringLiteral("the program's host code used the system call fork") << 1;
        QTest::newRow("endless host") << QStringLiteral("host") << QStringLiteral("timeout")
                                      << QStringLiteral(
                                             "the program did not end within 1 seconds (--timeout sets the limit)")
                                      << 1;
        QTest::newRow("race") << QStringLiteral("race") << QStringLiteral("race") << QString() << 1;
    }
    void endsBadly()
    {
        QFETCH(QString, how);
        QFETCH(QString, kind);
        QFETCH(QString, message);
        QFETCH(int, exitStatus);
        const bool endless = how == QLatin1String("host");
        const ProgramOutcome outcome =
            run({QStringLiteral("misbehaves.cu"), QStringLiteral("--timeout"),
                 endless ? QStringLiteral("1") : QStringLiteral("60"), QStringLiteral("--"), how});
        QCOMPARE(outcome.exitStatus(), exitStatus);
        QCOMPARE(outcome.findings.isEmpty(), kind.isEmpty());
        if (kind.isEmpty()) return;
        QCOMPARE(outcome.findings.first().kind, kind);
        QVERIFY2(outcome.findings.first().message.startsWith(message), describe(outcome));
    }

    // Every place that allocated is named once, in the order of the allocations; the status stays the program's own.
    void memoryNeverFreed()
    {
        const ProgramOutcome outcome = run({QStringLiteral("leaks.cu")});
        QCOMPARE(outcome.output, QByteArrayLiteral("pitch 512\n"));
        QCOMPARE(outcome.status, QStringLiteral("ok"));
        QCOMPARE(outcome.exitStatus(), 0);
        QStringList found;
        for (const Finding &finding : outcome.findings) {
            QCOMPARE(finding.kind, QStringLiteral("leak"));
            QVERIFY(!finding.hasPlace);
            QCOMPARE(finding.file.endsWith(QStringLiteral("/leaks.cu")), finding.line > 0);
            found.append(QStringLiteral("%1: %2").arg(finding.line).arg(finding.message));
        }
        QCOMPARE(found,
                 (QStringList{QStringLiteral("13: 2048 bytes of device memory in 2 allocations were never freed"),
                              QStringLiteral("0: 100 bytes of device memory were never freed"),
                              QStringLiteral("33: 2048 bytes of device memory were never freed"), // 4 rows of 512 bytes
                              QStringLiteral("36: 512 bytes of device memory were never freed")}));
    }
    void memoryThatNeedsNoFreeing()
    {
        const ProgramOutcome outcome = run({QStringLiteral("leaks_nothing.cu")});
        QCOMPARE(outcome.output, QByteArrayLiteral("8\n"));
        QVERIFY2(outcome.findings.isEmpty(), describe(outcome));
        QCOMPARE(outcome.exitStatus(), 0);
    }

    // Nothing can be freed on a device that is lost.
    void noLeaksOfALostDevice()
    {
        const ProgramOutcome outcome =
            run({QStringLiteral("misbehaves.cu"), QStringLiteral("--"), QStringLiteral("lost")});
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY2(outcome.findings.size() == 1, describe(outcome));
        QCOMPARE(outcome.findings.first().kind, QStringLiteral("out_of_bounds"));
    }

    void argumentsThatAreMistakes()
    {
        QCOMPARE(mistake({}), QStringLiteral("a source file is missing"));
        QVERIFY(mistake({QStringLiteral("absent.cu")}).startsWith(QStringLiteral("there is no file ")));
        QCOMPARE(mistake({QStringLiteral("check.h")}),
                 QStringLiteral("check.h is no source file: expected .cu, .cpp, .cc, .cxx or .c"));
        QCOMPARE(mistake({QStringLiteral("no_main.cu"), QStringLiteral("--frobnicate")}),
                 QStringLiteral("unknown option --frobnicate; the program's own arguments follow “--”"));
        QCOMPARE(mistake({QStringLiteral("no_main.cu"), QStringLiteral("-I"), QStringLiteral("nowhere")}),
                 QStringLiteral("there is no folder nowhere"));
        QCOMPARE(mistake({QStringLiteral("no_main.cu"), QStringLiteral("-D")}), QStringLiteral("-D needs a value"));
        QCOMPARE(mistake({QStringLiteral("no_main.cu"), QStringLiteral("--timeout"), QStringLiteral("0")}),
                 QStringLiteral("--timeout is a number of seconds from 1 to 86400, not “0”"));
        QCOMPARE(mistake({QStringLiteral("no_main.cu"), QStringLiteral("--arch=sm_10")}),
                 QStringLiteral("--arch is sm_80, sm_86, sm_89, sm_90 or sm_90a, not “sm_10”"));
    }

    void argumentsAsACompilerTakesThem()
    {
        const auto options =
            readArguments({QStringLiteral("-Ifixtures/.."), QStringLiteral("no_main.cu"), QStringLiteral("-I."),
                           QStringLiteral("-DX=1"), QStringLiteral("-std=c++20"), QStringLiteral("-lm"),
                           QStringLiteral("input"), QStringLiteral("--json")});
        QVERIFY(!options); // "fixtures/.." is no folder here
        const auto right = readArguments({QStringLiteral("no_main.cu"), QStringLiteral("-I."), QStringLiteral("-DX=1"),
                                          QStringLiteral("-std=c++20"), QStringLiteral("-lm"), QStringLiteral("input"),
                                          QStringLiteral("--json")});
        QVERIFY(right);
        QCOMPARE(right->sources, QStringList{folder + QStringLiteral("/no_main.cu")});
        QCOMPARE(right->code.more, (QStringList{QStringLiteral("-I") + folder, QStringLiteral("-DX=1")}));
        QCOMPARE(right->code.standard, QStringLiteral("c++20"));
        QCOMPARE(right->libraries, QStringList{QStringLiteral("-lm")});
        QCOMPARE(right->programArguments, (QStringList{QStringLiteral("input"), QStringLiteral("--json")}));
        QVERIFY(!right->json);
    }
};

QTEST_GUILESS_MAIN(TestPrograms)
#include "tst_programs.moc"
