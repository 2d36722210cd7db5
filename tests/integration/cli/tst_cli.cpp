// SPDX-License-Identifier: Apache-2.0
// The command line on odd input: exit status, a sentence on stderr that names the remedy, JSON alone on stdout.
#include "program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTest>

using namespace kernelskill::test;

class tst_cli : public QObject
{
    Q_OBJECT
    TestFolders m_folders;

    void write(const QString &name, const QByteArray &content)
    {
        QFile file(m_folders.path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }

private Q_SLOTS:
    void oddInput_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("says");
        const QString task = taskFolder(QStringLiteral("row_softmax"));
        const auto row = [](const char *name, const QStringList &arguments, int exitCode, const char *says) {
            QTest::newRow(name) << arguments << exitCode << QString::fromUtf8(says);
        };
        row("nothing", {}, 2, "optimize");
        row("help", {"--help"}, 0, "");
        row("unknown command", {"optimise"}, 2, "there is no command “optimise”");
        row("no task", {"optimize"}, 2, "--help");
        row("two tasks", {"optimize", task, task}, 2, "unexpected argument");
        row("no such task", {"optimize", "/nowhere"}, 2, "/nowhere");
        row("rounds in words", {"optimize", task, "--rounds", "many"}, 2, "--rounds is a whole number from 1");
        row("negative rounds", {"optimize", task, "--rounds", "-3"}, 2, "--rounds");
        row("unknown mode", {"optimize", task, "--mode", "fast"}, 2, "--mode is one of strict");
        row("unknown option", {"optimize", task, "--speed", "9"}, 2, "speed");
        row("unknown agent", {"optimize", task, "--agent", "wizard"}, 3, "wizard");
        row("unknown evaluator", {"optimize", task, "--evaluator", "crystal"}, 3, "crystal");
        row("unknown role", {"optimize", task, "--cast", "painter=expert"}, 2, "--cast takes role=agent pairs");
        row("budget", {"optimize", task, "--budget", "time=soon"}, 2, "--budget takes time=SECONDS");
        row("no candidate", {"evaluate", task, "missing.cu"}, 2, "missing.cu");
        row("candidate is no file", {"evaluate", task, "/proc"}, 2, "holds no .cu file");
        row("candidate is a device", {"evaluate", task, "/dev/null"}, 2, "neither a file nor a folder");
        row("candidate is no text", {"evaluate", task, "/bin/true"}, 2, "no text in UTF-8");
        row("task is a file", {"evaluate", task + "/task.json", task + "/baseline.cu"}, 2, "the folder that holds task.json");
        row("no such device", {"evaluate", task, task + "/baseline.cu", "--device", "abacus"}, 2, "abacus");
        row("simulate nothing", {"simulate"}, 2, "a source file is missing");
        row("simulate a missing file", {"simulate", "missing.cu"}, 2, "there is no file");
        row("simulate help", {"simulate", "--help"}, 0, "");
        row("simulate on no such device", {"simulate", task + "/baseline.cu", "--device", "abacus"}, 2, "abacus");
        row("not a session", {"explain", task + "/task.json", "1"}, 2, "task.json");
        row("missing session", {"session", "show", "gone.kss"}, 2, "gone.kss");
        row("node in words", {"explain", "gone.kss", "best"}, 2, "NODE is a number");
        row("try what", {"session", "try", "gone.kss", "0"}, 2, "a file with code or the name of a skill");
        row("try in a missing session", {"session", "try", "gone.kss", "0", "memory-coalescing"}, 2, "gone.kss");
        row("again, node in words", {"session", "again", "gone.kss", "best"}, 2, "NODE is a number");
        row("replay of nothing", {"optimize", task, "--agent", "replay"}, 2, "--agent-option replay.session=FILE");
        row("replay of a missing file", {"optimize", task, "--agent", "replay", "--agent-option", "session=gone.kss"}, 2, "gone.kss: there is no such file; name a recorded session");
        row("replay of no session", {"optimize", task, "--agent", "replay", "--agent-option", "session=" + task + "/task.json"}, 2, "not a session file; name a recorded session");
        row("agent option without a value", {"optimize", task, "--agent-option", "session"}, 2, "--agent-option takes NAME=VALUE");
        row("transcript without a node", {"session", "show", "gone.kss", "--transcript"}, 2, "--transcript takes --node N");
        row("session action", {"session", "burn"}, 2, "unknown action");
        row("skill missing", {"skills", "show", "magic", "--memory", "none"}, 2, "there is no skill “magic”");
        row("reject without reason", {"skills", "reject", "kernel-fusion", "--memory", "none"}, 2, "needs --reason");
        row("skills action", {"skills", "fly"}, 2, "unknown action");
    }

    void oddInput()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QString, says);
        const ProgramEnd end = m_folders.kernelskill(arguments, 60'000);
        QVERIFY(!end.timedOut && !end.crashed);
        QVERIFY2(QString::fromUtf8(end.err).contains(says), end.err.constData());
        QCOMPARE(end.exitCode, exitCode);
        if (exitCode != 0) QCOMPARE(end.out, QByteArray());
    }

    void errorsAsJson()
    {
        const ProgramEnd end = m_folders.kernelskill({"optimize", "/nowhere", "--json"}, 60'000);
        QCOMPARE(end.exitCode, 2);
        const QJsonObject error = end.json().value("error").toObject();
        QVERIFY(error.value("message").toString().contains("/nowhere"));
        QVERIFY(!error.value("code").toString().isEmpty());
    }

    void brokenTaskNamesFileAndPointer()
    {
        QVERIFY(QDir(m_folders.path({})).mkpath("broken"));
        write("broken/task.json", R"({"schema": 1, "name": "broken", "sizes": {"check": {"n": 4}, "time": {"n": 8}},
            "parameters": [{"name": "x", "kind": "tensor", "dtype": "float23", "shape": ["n"], "role": "in"}]})");
        write("broken/reference.cpp", "extern \"C\" void reference(const float *x) {}\n");
        write("broken/baseline.cu", "");
        const ProgramEnd end = m_folders.kernelskill({"optimize", m_folders.path("broken")}, 60'000);
        QCOMPARE(end.exitCode, 2);
        QVERIFY2(end.err.contains("task.json"), end.err.constData());
        QVERIFY2(end.err.contains("/parameters/0/dtype"), end.err.constData());
        QVERIFY2(end.err.contains("float32"), end.err.constData());
    }

    void pluginsAndDoctorSpeakJson()
    {
        const QJsonArray plugins = m_folders.kernelskill({"plugins", "--json"}, 60'000).json().value("plugins").toArray();
        QStringList ids;
        for (const QJsonValue &plugin : plugins) {
            ids << plugin["id"].toString();
            QVERIFY2(plugin["reason"].toString().isEmpty(), qPrintable(plugin["reason"].toString()));
        }
        QVERIFY(ids.contains("simulator"));
        QVERIFY(ids.contains("expert"));
        QVERIFY(ids.contains("manual"));
        const ProgramEnd doctor = m_folders.kernelskill({"doctor", "--json"}, 60'000);
        QVERIFY(!doctor.json().value("checks").toArray().isEmpty());
        QVERIFY2(doctor.exitCode == 0, doctor.out.constData());
    }

    // A person at the terminal: plans a round from a pipe, tries code of their own and a skill, has a node evaluated again.
    void aPersonAtTheTerminal()
    {
        const QString session = m_folders.path("person.kss"), task = taskFolder(QStringLiteral("transpose"));
        QProcess process;
        m_folders.prepare(process, QStringLiteral("kernelskill"),
                          {"optimize", task, "--rounds", "1", "--cast", "planner=manual", "--session", session, "--memory", "none", "--json"});
        process.start();
        process.write("one\n1\n"); // no number is asked again
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished(240'000));
        const QByteArray asked = process.readAllStandardError();
        QVERIFY2(asked.contains("What should be tried on this base?"), asked.constData());
        QVERIFY2(asked.contains("\xe2\x80\x9cone\xe2\x80\x9d is no answer"), asked.constData());
        QCOMPARE(process.exitCode(), 0);

        QFile baseline(task + "/baseline.cu");
        QVERIFY(baseline.open(QIODevice::ReadOnly));
        const QByteArray code = baseline.readAll();
        write("mine.cu", code + "__device__ int mine() { return 1; }\n");
        ProgramEnd end = m_folders.kernelskill({"session", "try", session, "0", m_folders.path("mine.cu"), "--memory", "none", "--json"});
        QVERIFY2(end.exitCode == 0, end.err.constData());
        QCOMPARE(end.json().value("nodes").toInt(), 3);
        write("same.cu", code + "// a remark\n");
        end = m_folders.kernelskill({"session", "try", session, "0", m_folders.path("same.cu"), "--memory", "none"});
        QCOMPARE(end.exitCode, 2);
        QVERIFY2(end.err.contains("this is the code of node 0"), end.err.constData());
        end = m_folders.kernelskill({"session", "try", session, "0", "memory-coalesing", "--memory", "none"});
        QCOMPARE(end.exitCode, 2);
        QVERIFY2(end.err.contains("no skill 'memory-coalesing'; it has") && end.err.contains("memory-coalescing"), end.err.constData());
        end = m_folders.kernelskill({"session", "again", session, "2", "--memory", "none", "--json"});
        QVERIFY2(end.exitCode == 0, end.err.constData());
        const QJsonObject shown = m_folders.kernelskill({"session", "show", session, "--json"}).json();
        QCOMPARE(shown.value("nodes").toInt(), 3);
        QCOMPARE(shown.value("trajectory").toArray().at(2)["kind"].toString(), QString("human"));
    }

    // What the person did above, played again, with a stop and a prediction at its plan.
    void aRecordedSessionAgain()
    {
        const QString recorded = m_folders.path("person.kss"), again = m_folders.path("again.kss"), task = taskFolder(QStringLiteral("transpose"));
        const QStringList replay{"optimize", task, "--agent", "replay", "--agent-option", "session=" + recorded, "--memory", "none"};
        QProcess process;
        m_folders.prepare(process, QStringLiteral("kernelskill"), replay + QStringList{"--session", again, "--step", "--json"});
        process.start();
        process.write("same\nsame\nsame\nsame\nsame\nsame\n\n"); // five counters at most, the speedup; the plan as it is
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished(240'000));
        const QByteArray asked = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 0, asked.constData());
        QVERIFY2(asked.contains("The plan of round 1"), asked.constData());
        const QJsonObject summary = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QCOMPARE(summary.value("recording").toObject().value("path").toString(), recorded);
        const QJsonObject node = m_folders.kernelskill({"session", "show", again, "--json"}).json().value("trajectory").toArray().at(1).toObject();
        const QJsonObject was = m_folders.kernelskill({"session", "show", recorded, "--json"}).json().value("trajectory").toArray().at(1).toObject();
        QCOMPARE(node.value("code_digest"), was.value("code_digest"));
        QCOMPARE(node.value("recorded").toObject().value("node").toInt(), 1);
        QVERIFY(!node.contains("divergence"));
        QCOMPARE(node.value("prediction").toObject().value("speedup").toString(), QString("same"));
        const QJsonObject story = m_folders.kernelskill({"explain", again, "1", "--json"}).json();
        QCOMPARE(story.value("prediction").toObject().value("speedup").toString(), QString("same"));
        QCOMPARE(story.value("predicted").toArray().first()["promised"].toString(), QString("same"));
        QCOMPARE(story.value("recorded").toObject().value("node").toInt(), 1);
        QVERIFY(m_folders.kernelskill({"explain", again, "1"}).out.contains("Recorded: node 1 of the record"));
        const ProgramEnd shown = m_folders.kernelskill({"session", "show", again});
        QVERIFY2(shown.out.contains("replay of person.kss") && shown.out.contains(" recorded"), shown.out.constData());
        const QJsonArray transcript = m_folders.kernelskill({"session", "show", again, "--node", "1", "--transcript", "--json"}).json().value("transcript").toArray();
        QStringList roles;
        for (const QJsonValue &entry : transcript)
            roles.append(entry["role"].toString() + (entry["recorded"].toBool() ? QStringLiteral(" recorded") : QString()));
        QCOMPARE(roles, QStringList({"features recorded", "planner recorded", "person", "optimizer recorded", "reviewer"}));
        // The file itself is no place to write the replay to.
        const ProgramEnd same = m_folders.kernelskill(replay + QStringList{"--session", recorded});
        QCOMPARE(same.exitCode, 2);
        QVERIFY2(same.err.contains("is the recording itself"), same.err.constData());
    }

    void skillsListAndPin()
    {
        const QString memory = m_folders.path("memory.db");
        const QJsonArray skills = m_folders.kernelskill({"skills", "list", "--json", "--memory", memory}, 60'000).json().value("skills").toArray();
        QVERIFY(skills.size() >= 8);
        QCOMPARE(m_folders.kernelskill({"skills", "pin", "kernel-fusion", "--memory", memory, "--reason", "teaching"}, 60'000).exitCode, 0);
        const QJsonObject shown = m_folders.kernelskill({"skills", "show", "kernel-fusion", "--json", "--memory", memory}, 60'000).json();
        QCOMPARE(shown.value("state").toString(), QString("pinned"));
        QCOMPARE(m_folders.kernelskill({"skills", "reject", "kernel-fusion", "--memory", memory, "--reason", "too clever"}, 60'000).exitCode, 0);
        QCOMPARE(m_folders.kernelskill({"skills", "show", "kernel-fusion", "--json", "--memory", memory}, 60'000).json().value("state").toString(), QString("rejected"));
    }
};

QTEST_GUILESS_MAIN(tst_cli)
#include "tst_cli.moc"
