// SPDX-License-Identifier: Apache-2.0
// `kernelskill skills` as a person types it: every action, as text and as JSON, and what it says to odd input.
#include "program.h"

#include "memory/longterm/skill_store.h"
#include "session/session_file.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::test;

class tst_skills_cli : public QObject
{
    Q_OBJECT
    std::unique_ptr<TestFolders> m_folders;

    QString path(const QString &name) const { return m_folders->path(name); }

    void write(const QString &name, const QByteArray &content)
    {
        QDir().mkpath(QFileInfo(path(name)).path());
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }

    static QByteArray text(const QByteArray &name, const QByteArray &body)
    {
        return "---\nname: " + name + "\ndescription: What " + name +
               " does\nmetadata:\n  languages: cuda\n  gate: has_reuse\n---\n" + body + "\n";
    }

    // Skills of the test's own instead of those that ship.
    ProgramEnd run(const QStringList &arguments, const QString &editor = {})
    {
        QProcess process;
        m_folders->prepare(process, QStringLiteral("kernelskill"),
                           QStringList{"skills"} + arguments + QStringList{"--memory", path("memory.db")});
        QProcessEnvironment environment = process.processEnvironment();
        environment.insert("KERNELSKILL_SKILLS", path("skills"));
        environment.insert("USER", "ada");
        environment.remove("VISUAL");
        environment.remove("EDITOR");
        if (!editor.isEmpty()) environment.insert("EDITOR", editor);
        process.setProcessEnvironment(environment);
        process.start();
        ProgramEnd end;
        end.timedOut = !process.waitForFinished(60'000);
        end.exitCode = process.exitCode();
        end.crashed = process.exitStatus() == QProcess::CrashExit;
        end.out = process.readAllStandardOutput();
        end.err = process.readAllStandardError();
        return end;
    }

    QJsonObject json(const QStringList &arguments, const QString &editor = {})
    {
        return run(arguments + QStringList{"--json"}, editor).json();
    }

    QStringList listed(const QStringList &arguments = {})
    {
        QStringList names;
        for (const QJsonValue &skill : json(QStringList{"list"} + arguments).value("skills").toArray())
            names.append(skill.toObject().value("name").toString());
        return names;
    }

private Q_SLOTS:
    void init()
    {
        m_folders = std::make_unique<TestFolders>();
        write("skills/tiling/SKILL.md", text("tiling", "Stage tiles in shared memory."));
        write("skills/shuffle/SKILL.md", text("shuffle", "A butterfly in registers."));
        QVERIFY(QFile::copy(QStringLiteral(SOURCE_DIR "/skills/policy.yaml"), path("skills/policy.yaml")));
    }

    void listsAndSearches()
    {
        QCOMPARE(listed(), QStringList({"shuffle", "tiling"}));
        QCOMPARE(listed({"--search", "butterflies"}), QStringList{"shuffle"});
        QCOMPARE(listed({"--search", "\"(("}), QStringList());
        QVERIFY(json({"pin", "tiling"}).value("state") == "pinned");
        QCOMPARE(listed({"--state", "pinned"}), QStringList{"tiling"});
        const ProgramEnd end = run({"list", "--search", "tiles"});
        QVERIFY(end.out.contains("pinned") && end.out.contains("«tiling»"));
    }

    void statesKeepTheirReasons()
    {
        QCOMPARE(run({"reject", "tiling", "--reason", "harmful on sm_80"}).exitCode, 0);
        QCOMPARE(json({"show", "tiling"}).value("state_reason").toString(), QString("harmful on sm_80"));
        QVERIFY(run({"pin", "tiling"}).err.contains("tiling is rejected (harmful on sm_80); restore it first"));
        QCOMPARE(run({"restore", "tiling"}).out, QByteArray("tiling is active\n"));
        const QJsonArray states = json({"history", "tiling"}).value("states").toArray();
        QCOMPARE(states.size(), 3);
        QCOMPARE(states[1].toObject().value("reason").toString(), QString("harmful on sm_80"));
        QCOMPARE(states[1].toObject().value("author").toString(), QString("ada"));
        QCOMPARE(json({"unpin", "tiling"}).value("error").toObject().value("code").toString(), QString("usage"));
    }

    void editsFromAFile()
    {
        write("new.md", text("tiling", "Better."));
        const ProgramEnd end = run({"edit", "tiling", "--file", path("new.md"), "--reason", "clearer"});
        QCOMPARE(end.out, QByteArray("tiling: revision 2, before 1; “kernelskill skills undo tiling” takes it back\n"));
        const ProgramEnd history = run({"history", "tiling", "--diff"});
        QVERIFY2(history.out.contains("     -Stage tiles in shared memory.\n     +Better.\n"), history.out.constData());
        const QJsonObject revision =
            json({"history", "tiling", "--diff"}).value("revisions").toArray().last().toObject();
        QCOMPARE(revision.value("reason").toString(), QString("clearer"));
        QVERIFY(revision.value("diff").toObject().value("lines").toArray().contains("+Better."));
        QVERIFY(json({"show", "tiling", "--revision", "1"}).value("body").toString().startsWith("Stage"));
        QCOMPARE(json({"restore", "tiling", "1"}).value("revision").toInt(), 3);
        QCOMPARE(json({"undo", "tiling"}).value("undone").toString(),
                 QString("tiling: revision 4 is revision 2 again"));
        QCOMPARE(run({"undo", "tiling"}).out, QByteArray("tiling: revision 5 is revision 1 again\n"));
        QCOMPARE(run({"undo", "tiling"}).exitCode, 2);
    }

    void editsByHand()
    {
        QCOMPARE(json({"edit", "tiling"}, "sed -i s/Stage/Keep/").value("revision").toInt(), 2);
        QVERIFY(json({"show", "tiling"}).value("body").toString().startsWith("Keep"));
        QCOMPARE(run({"edit", "tiling"}, "true").out, QByteArray("tiling: nothing was changed\n"));
        const ProgramEnd failed = run({"edit", "tiling"}, "false");
        QCOMPARE(failed.exitCode, 2);
        QVERIFY(failed.err.contains("the editor “false” failed, so nothing was changed"));
        // What cannot be taken is not lost.
        const ProgramEnd broken = run({"edit", "tiling"}, "sed -i s/description:/about:/");
        QCOMPARE(broken.exitCode, 2);
        QVERIFY2(broken.err.contains("SKILL.md:2: 'description' must say"), broken.err.constData());
        const QByteArray kept = broken.err.mid(broken.err.indexOf("--file ") + 7).trimmed();
        QFile file(QString::fromUtf8(kept));
        QVERIFY2(file.open(QIODevice::ReadOnly), kept.constData());
        QVERIFY(file.readAll().contains("about:"));
        QVERIFY(QDir(QFileInfo(file).path()).removeRecursively());
        QVERIFY(run({"edit", "tiling"}).err.contains("set $EDITOR, or give the new text with --file"));
    }

    void importsExportsAndAccepts()
    {
        write("in/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms\nallowed-tools: [Read]\n---\n# Forms\n");
        write("in/pdf/scripts/fill.py", "print()\n");
        const QJsonObject imported = json({"import", path("in")}).value("imported").toArray().first().toObject();
        QCOMPARE(imported.value("name").toString(), QString("pdf"));
        QCOMPARE(imported.value("state").toString(), QString("draft"));
        QCOMPARE(listed({"--state", "draft"}), QStringList{"pdf"});
        QVERIFY(run({"pin", "pdf"}).err.contains("pdf is draft; accept it first"));
        QCOMPARE(json({"accept", "pdf"}).value("state").toString(), QString("active"));
        QVERIFY(run({"accept", "pdf"}).err.contains("pdf is active already"));
        QCOMPARE(run({"import", path("in/pdf")}).out, QByteArray("unchanged pdf, revision 1, active\n"));
        QCOMPARE(json({"export", path("out"), "pdf"}).value("exported").toArray().first().toString(), path("out/pdf"));
        QFile script(path("out/pdf/scripts/fill.py"));
        QVERIFY(script.open(QIODevice::ReadOnly));
        QCOMPARE(script.readAll(), QByteArray("print()\n"));
        QVERIFY(run({"export", path("out"), "pdf"}).err.contains("exists; nothing is overwritten"));
        QCOMPARE(json({"show", "pdf"}).value("attachments").toArray().size(), 1);
    }

    void fromASkillToItsNodesAndBack()
    {
        const QString sessionPath = path("run:1.kss"); // a colon in its name, too
        {
            auto session = SessionFile::create(sessionPath);
            QVERIFY(session);
            QList<Event> events;
            for (int node = 0; node < 3; ++node) {
                events.append(Event{
                    0, "node.start", 0, {{"node", node}, {"parent", node - 1}, {"kind", node ? "optimise" : "seed"}}});
                events.append(Event{0,
                                    "node.candidate",
                                    0,
                                    {{"node", node},
                                     {"skill", node == 0   ? ""
                                               : node == 1 ? "tiling"
                                                           : "shuffle"}}});
                events.append(Event{0, "node.evaluated", 0, {{"node", node}, {"verdict", "verified"}}});
            }
            QVERIFY(session->append(events));
            QCOMPARE(listed().size(), 2); // makes the memory
            auto store = SkillStore::open(path("memory.db"), {});
            QVERIFY(store);
            LedgerEntry entry;
            entry.session = session->id();
            entry.sessionPath = sessionPath;
            entry.node = 1;
            entry.task = "row_softmax";
            entry.skill = "tiling";
            entry.architecture = "sm_90";
            entry.bottleneck = "compute";
            entry.verdict = "verified";
            entry.logSpeedup = 0.693147;
            entry.interval = {1.9, 2.1};
            entry.kind = "modelled";
            QVERIFY(store->record(entry));
        }
        const QJsonObject use = json({"ledger", "tiling"}).value("ledger").toArray().first().toObject();
        QCOMPARE(use.value("session_path").toString(), sessionPath);
        QCOMPARE(use.value("kind").toString(), QString("modelled"));
        const ProgramEnd ledger = run({"ledger", "tiling"});
        QVERIFY2(ledger.out.contains("verified 2.00× [1.90, 2.10] modelled"), ledger.out.constData());
        QVERIFY(ledger.out.contains((sessionPath + ":1").toUtf8()));

        const QJsonArray nodes = json({"provenance", sessionPath}).value("nodes").toArray();
        QCOMPARE(nodes.size(), 2);
        QCOMPARE(nodes[0].toObject().value("skill").toString(), QString("tiling"));
        QCOMPARE(nodes[0].toObject().value("revision_written").toObject().value("author").toString(),
                 QString("kernelskill"));
        QVERIFY(nodes[0].toObject().value("in_ledger").toBool());
        QVERIFY(!nodes[1].toObject().value("in_ledger").toBool());
        const QString id = json({"provenance", sessionPath + ":1"}).value("session").toString();
        QCOMPARE(json({"provenance", id}).value("nodes").toArray().size(), 1);
        QCOMPARE(json({"provenance", id + ":1"}).value("nodes").toArray().size(), 1);
        QVERIFY(run({"provenance", sessionPath + ":0"}).out.contains("no skill: seed"));
        const ProgramEnd noNode = run({"provenance", sessionPath + ":7"});
        QCOMPARE(noNode.exitCode, 2);
        QVERIFY(noNode.err.contains("there is no node 7; nodes are 0 to 2"));
        const QJsonObject row = json({"list"}).value("skills").toArray().last().toObject();
        QCOMPARE(row.value("modelled").toInt(), 1);
        QCOMPARE(row.value("wins").toInt(), 1);
    }

    void checksAFolder()
    {
        const ProgramEnd good = run({"check", path("skills")});
        QCOMPARE(good.exitCode, 0);
        QVERIFY2(good.out.contains("2 skills, 0 errors, 2 warnings"),
                 good.out.constData()); // the policy does not know them
        write("skills/broken/SKILL.md",
              "---\nname: broken\ndescription: d\nmetadata:\n  method: X\n  structures: S9\n---\n");
        write("skills/tiling/SKILL.md", "---\nname: tiling\ndescription: d\nmetadata:\n  languages: cuda\n  gate: |\n  "
                                        "  has_reuse\n    no_such_field > 1\n---\n");
        const QJsonObject bad = run({"check", path("skills"), "--json"}).json();
        QCOMPARE(bad.value("errors").toInt(), 3);
        QStringList places;
        for (const QJsonValue &value : bad.value("problems").toArray()) {
            const QJsonObject problem = value.toObject();
            if (problem.value("severity") == "error")
                places.append(QDir(path("skills")).relativeFilePath(problem.value("file").toString()) + ':' +
                              QString::number(problem.value("line").toInt()));
        }
        QCOMPARE(places, QStringList({"broken/SKILL.md:5", "broken/SKILL.md:6", "tiling/SKILL.md:8"}));
        const ProgramEnd end = run({"check", path("skills")});
        QCOMPARE(end.exitCode, 2);
        QVERIFY(end.out.contains("broken/SKILL.md:6: error: 'structures' holds S0 to S4, not 'S9'"));
        // One broken skill takes no other away, and the program goes on.
        const ProgramEnd list = run({"list"});
        QCOMPARE(list.exitCode, 0);
        QVERIFY(list.err.contains("2 problems; “kernelskill skills check” lists them"));
        QVERIFY(list.out.contains("shuffle"));
        QFile policy(path("skills/policy.yaml"));
        QVERIFY(policy.open(QIODevice::Append));
        policy.write("\n  nonsense: [\n");
        policy.close();
        const ProgramEnd withPolicy = run({"check", path("skills")});
        QVERIFY2(withPolicy.out.contains("policy.yaml:"), withPolicy.out.constData());
    }

    void oddInput_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        const auto row = [](const char *name, const QStringList &arguments, const char *says) {
            QTest::newRow(name) << arguments << QString::fromUtf8(says);
        };
        row("no action", {}, "an argument is missing");
        row("no name", {"show"}, "skills show takes a skill's NAME");
        row("empty name", {"show", ""}, "skills show takes a skill's NAME");
        row("two names", {"show", "a", "b"}, "not “b”");
        row("unknown skill", {"undo", "magic"}, "there is no skill “magic”; there are shuffle, tiling");
        row("unknown state", {"list", "--state", "good"}, "--state is one of active");
        row("revision in words", {"show", "tiling", "--revision", "first"},
            "--revision is a whole number from 1, not “first”");
        row("no such revision", {"show", "tiling", "--revision", "7"},
            "skill 'tiling' has no revision 7; there are 1 to 1");
        row("restore in words", {"restore", "tiling", "old"}, "REVISION is a whole number from 1");
        row("nothing to restore", {"restore", "tiling"}, "tiling is active, not rejected; name the revision");
        row("blank reason", {"reject", "tiling", "--reason", " "}, "needs --reason");
        row("no such file", {"edit", "tiling", "--file", "gone.md"}, "--file: gone.md cannot be read");
        row("no text", {"edit", "tiling", "--file", "/dev/null"}, "/dev/null:1: a skill starts with front matter");
        row("import nowhere", {"import", "/nowhere"}, "/nowhere: there is no such file or folder");
        row("import a device", {"import", "/dev/null"}, "/dev/null: is no file or folder");
        row("import a program", {"import", "/bin/sh"}, "/bin/sh: cannot be unpacked");
        row("export unknown", {"export", "out", "magic"}, "there is no skill 'magic'");
        row("export below a file", {"export", "/dev/null/x"}, "/dev/null/x");
        row("provenance of nothing", {"provenance", "gone.kss"}, "“gone.kss” is no session file");
        row("node in words", {"provenance", "gone.kss:best"}, "is a number from 0, not “best”");
        row("check nowhere", {"check", "/nowhere"}, "/nowhere: there is no such folder");
        row("undo nothing", {"undo", "tiling"}, "skill 'tiling' has no change to take back");
    }

    void oddInput()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const ProgramEnd end = run(arguments);
        QVERIFY(!end.timedOut && !end.crashed);
        QVERIFY2(QString::fromUtf8(end.err).contains(says), end.err.constData());
        QCOMPARE(end.exitCode, 2);
        QCOMPARE(end.out, QByteArray());
        if (!arguments.isEmpty()) {
            const ProgramEnd asJson = run(arguments + QStringList{"--json"});
            QVERIFY(asJson.json().value("error").toObject().value("message").toString().contains(says));
            QCOMPARE(asJson.exitCode, 2);
        }
    }

    void damagedAndNewerMemories()
    {
        write("memory.db", QByteArray("not a database, a letter. ").repeated(200));
        const ProgramEnd damaged = run({"list"});
        QCOMPARE(damaged.exitCode, 2);
        QVERIFY2(damaged.err.contains("memory.db: this is no skill memory, or a damaged one"), damaged.err.constData());
        QFile::remove(path("memory.db"));
        {
            auto session = SessionFile::create(path("memory.db")); // a session given by mistake
            QVERIFY(session && session->append({Event{0, "session.start", 0, {}}}));
        }
        const ProgramEnd session = run({"list"});
        QCOMPARE(session.exitCode, 2);
        QVERIFY2(session.err.contains("database of something else, not a skill memory"), session.err.constData());
        QVERIFY(SessionFile::open(path("memory.db"), true));
    }

    // On a medium that cannot be written, everything can be read and nothing can be changed.
    void readOnlyMedium()
    {
        QCOMPARE(listed().size(), 2);
        QProcess process;
        m_folders->prepare(process, QStringLiteral("kernelskill"), {});
        const QString program = process.program();
        const auto confined = [&](const QStringList &arguments) {
            QProcess bwrap;
            bwrap.setProcessEnvironment(process.processEnvironment());
            bwrap.start("bwrap", QStringList{"--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--ro-bind", path("."),
                                             path("."), program, "skills"} +
                                     arguments + QStringList{"--memory", path("memory.db")});
            ProgramEnd end;
            bwrap.waitForFinished(60'000);
            end.exitCode = bwrap.exitCode();
            end.out = bwrap.readAllStandardOutput();
            end.err = bwrap.readAllStandardError();
            return end;
        };
        const ProgramEnd list = confined({"list"});
        if (list.err.contains("bwrap")) QSKIP("no sandbox can be made here");
        QVERIFY2(list.exitCode == 0, list.err.constData());
        QVERIFY(list.out.contains("tiling"));
        QVERIFY2(list.err.contains("memory.db cannot be written; it is read"), list.err.constData());
        const ProgramEnd pin = confined({"pin", "tiling"});
        QCOMPARE(pin.exitCode, 2);
        QVERIFY2(pin.err.contains("memory.db: the skill memory cannot be written, so nothing was changed"),
                 pin.err.constData());
        QCOMPARE(listed({"--state", "pinned"}), QStringList());
    }
};

QTEST_GUILESS_MAIN(tst_skills_cli)
#include "tst_skills_cli.moc"
