// SPDX-License-Identifier: Apache-2.0
// Revisions and states over time: restore, undo, difference; search; skills that break.
#include "memory_folder.h"

#include <QDir>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::test;

class TestSkillHistory : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<MemoryFolder>(); }
    void restoresARevision();
    void undoGoesBackStepByStep();
    void nothingToUndo();
    void aRevisionKeepsItsFiles();
    void theDifferenceOfTwoRevisions();
    void statesHaveAHistory();
    void aNewFileOnDiskIsARevision();
    void anUndoneEditDoesNotHoldUpdatesBack();
    void bytesAreKept();
    void searchFindsWords_data();
    void searchFindsWords();
    void anyQueryIsValid();
    void searchFollowsEdits();
    void aBrokenSkillOnDisk();
    void twoFoldersWithOneName();
    void unchangedFoldersAreNotReadAgain();

private:
    void edit(SkillStore &store, const QString &body)
    {
        const auto edited = store.edit("a", MemoryFolder::text("a", body), "why " + body, "Ada");
        QVERIFY2(edited, qPrintable(edited ? QString() : edited.error().message));
    }
    static QString body(const SkillStore &store) { return (*store.skill("a"))->body; }
    std::unique_ptr<MemoryFolder> m_folder;
};

void TestSkillHistory::restoresARevision()
{
    m_folder->writeSkill("a", "one");
    SkillStore store = m_folder->store();
    edit(store, "two");
    edit(store, "three");
    const auto restored = store.restore("a", 2, {}, "Ada");
    QVERIFY2(restored, qPrintable(restored ? QString() : restored.error().message));
    QCOMPARE(restored->revision, 4);
    QCOMPARE(restored->body, QString("two"));
    QCOMPARE(store.history("a")->last().reason, QString("revision 2 again"));
    QCOMPARE(store.revision("a", 3)->body, QString("three"));
    QCOMPARE(store.revision("a", 9).error().message, QString("skill 'a' has no revision 9; there are 1 to 4"));
    QCOMPARE(store.restore("a", 0, {}, {}).error().code, QString("memory.no_revision"));
    QCOMPARE(store.restore("none", 1, {}, {}).error().code, QString("memory.no_skill"));
}

void TestSkillHistory::undoGoesBackStepByStep()
{
    m_folder->writeSkill("a", "one");
    SkillStore store = m_folder->store();
    edit(store, "two");
    QVERIFY(store.setState("a", SkillState::Rejected, "harmful", "Ada"));
    edit(store, "three");
    QCOMPARE(*store.undo("a"), QString("a: revision 4 is revision 2 again"));
    QCOMPARE(body(store), QString("two"));
    QVERIFY((*store.skill("a"))->state == SkillState::Rejected);
    QCOMPARE(*store.undo("a"), QString("a: it is active again"));
    QCOMPARE((*store.skill("a"))->stateReason, QString());
    QCOMPARE(*store.undo("a"), QString("a: revision 5 is revision 1 again"));
    QCOMPARE(body(store), QString("one"));
    QCOMPARE(store.undo("a").error().code, QString("memory.nothing_to_undo"));
    // A change after an undo is taken back to what the undo left.
    edit(store, "four");
    QCOMPARE(*store.undo("a"), QString("a: revision 7 is revision 5 again"));
    QCOMPARE(body(store), QString("one"));
    QVERIFY(!store.undo("a"));
}

void TestSkillHistory::nothingToUndo()
{
    m_folder->writeSkill("a", "one");
    SkillStore store = m_folder->store();
    QCOMPARE(store.undo("a").error().message,
             QString("skill 'a' has no change to take back; `kernelskill skills history a` lists them"));
    QCOMPARE(store.undo("none").error().code, QString("memory.no_skill"));
}

void TestSkillHistory::aRevisionKeepsItsFiles()
{
    m_folder->writeSkill("a", "one");
    m_folder->write("skills/a/references/x.md", "first");
    {
        SkillStore store = m_folder->store();
        edit(store, "two"); // a person's text; the files stay
        QCOMPARE(store.attachments("a", 2)->first().bytes, QByteArray("first"));
    }
    m_folder->write("skills/a/references/x.md", "second");
    SkillStore store = m_folder->store();
    QCOMPARE(store.attachments("a", 2)->first().bytes, QByteArray("first"));
    QCOMPARE(store.history("a")->size(), 2); // a person's revision stays
}

void TestSkillHistory::theDifferenceOfTwoRevisions()
{
    m_folder->writeSkill("a", "one\nsame");
    m_folder->write("skills/a/gone", "x");
    m_folder->write("skills/a/kept", "x");
    m_folder->write("skills/a/run", "x");
    {
        (void)m_folder->store();
    }
    m_folder->writeSkill("a", "two\nsame");
    m_folder->write("skills/a/run", "x", true);
    m_folder->write("skills/a/new", "x");
    QVERIFY(QFile::remove(m_folder->path("skills/a/gone")));
    const SkillStore store = m_folder->store();
    const auto diff = store.diff("a", 1, 2);
    QVERIFY2(diff, qPrintable(diff ? QString() : diff.error().message));
    QCOMPARE(diff->added, QStringList{"new"});
    QCOMPARE(diff->removed, QStringList{"gone"});
    QCOMPARE(diff->changed, QStringList{"run"});
    QCOMPARE(diff->text.hunks.size(), 1);
    QCOMPARE(diff->text.leftLines[diff->text.rows[diff->text.hunks[0].first].left], QString("one"));
    QCOMPARE(store.diff("a", 1, 7).error().code, QString("memory.no_revision"));
}

void TestSkillHistory::statesHaveAHistory()
{
    m_folder->writeSkill("a", "one");
    SkillStore store = m_folder->store();
    QVERIFY(store.setState("a", SkillState::Pinned, "good here", "Ada"));
    edit(store, "two");
    QVERIFY(store.setState("a", SkillState::Rejected, "harmful", "Ben"));
    QVERIFY(store.undo("a", "Cleo"));
    const auto history = *store.stateHistory("a");
    QCOMPARE(history.size(), 4);
    QVERIFY(history[0].state == SkillState::Active);
    QCOMPARE(history[1].reason, QString("good here"));
    QCOMPARE(history[2].author, QString("Ben"));
    QVERIFY(history[3].state == SkillState::Pinned);
    QCOMPARE(history[3].author, QString("Cleo"));
    QCOMPARE(history[3].reason, QString("good here"));
}

void TestSkillHistory::aNewFileOnDiskIsARevision()
{
    m_folder->writeSkill("a", "one");
    {
        (void)m_folder->store();
    }
    m_folder->write("skills/a/references/example/task.json", "{}");
    const SkillStore store = m_folder->store();
    QCOMPARE(store.history("a")->size(), 2);
    QCOMPARE((*store.skill("a"))->revision, 2);
    QCOMPARE(store.attachments("a", 1)->size(), 0);
    QCOMPARE(store.attachments("a", 2)->size(), 1);
}

void TestSkillHistory::anUndoneEditDoesNotHoldUpdatesBack()
{
    m_folder->writeSkill("a", "one");
    {
        SkillStore store = m_folder->store();
        edit(store, "mine");
        QVERIFY(store.undo("a"));
    }
    m_folder->writeSkill("a", "two");
    QCOMPARE(body(m_folder->store()), QString("two"));
}

void TestSkillHistory::bytesAreKept()
{
    const QByteArray text =
        QByteArray("\xef\xbb\xbf") + MemoryFolder::text("a", "b \xff").toUtf8().replace("\n", "\r\n") + "\xfe";
    m_folder->write("skills/a/SKILL.md", text);
    const SkillStore store = m_folder->store();
    QCOMPARE(*store.textOf("a", 1), text);
}

void TestSkillHistory::searchFindsWords_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QStringList>("names");
    QTest::newRow("name") << "warp-shuffle" << QStringList{"warp-shuffle"};
    QTest::newRow("stem") << "coalesced" << QStringList{"memory-coalescing"};
    QTest::newRow("beginning") << "coal" << QStringList{"memory-coalescing"};
    QTest::newRow("body") << "butterfly" << QStringList{"warp-shuffle"};
    QTest::newRow("name before body") << "memory" << QStringList({"memory-coalescing", "warp-shuffle"});
    QTest::newRow("all words") << "memory butterfly" << QStringList{"warp-shuffle"};
    QTest::newRow("any word when none has all") << "butterfly dragonfly" << QStringList{"warp-shuffle"};
    QTest::newRow("accents") << QString::fromUtf8("MÉMORY cöalescing") << QStringList{"memory-coalescing"};
    QTest::newRow("no spaces between words") << QString::fromUtf8("共享") << QStringList{"memory-coalescing"};
    QTest::newRow("nothing") << "zebra" << QStringList();
}

void TestSkillHistory::searchFindsWords()
{
    QFETCH(QString, query);
    QFETCH(QStringList, names);
    m_folder->writeSkill("memory-coalescing", QString::fromUtf8("Neighbouring addresses. 使用共享内存"));
    m_folder->writeSkill("warp-shuffle", "A butterfly in registers instead of shared memory.");
    const SkillStore store = m_folder->store();
    const auto found = store.search(query);
    QVERIFY2(found, qPrintable(found ? QString() : found.error().message));
    QStringList got;
    for (const SkillMatch &match : *found)
        got.append(match.name);
    QCOMPARE(got, names);
}

void TestSkillHistory::anyQueryIsValid()
{
    m_folder->writeSkill("a", "one");
    const SkillStore store = m_folder->store();
    for (const char *query :
         {"",         " ",     "\"",        "\"unclosed", "a AND", "NEAR(",   "name:",
          "*",        "^a",    "a OR OR b", "(((",        "-",     "'",       "a\" OR \"b",
          "{a b}: c", "a + b", "\\",        "%_",         "NOT",   "rowid:1", "--; DROP TABLE skills"}) {
        const auto found = store.search(query);
        QVERIFY2(found, query);
    }
    QVERIFY(store.search(QString(100'000, u'x')));
    QVERIFY(store.search(QString("a ").repeated(10'000)));
    QVERIFY(store.search(QString(QChar(0)) + QChar(0xd800)));
    QCOMPARE(store.skills()->size(), 1);
}

void TestSkillHistory::searchFollowsEdits()
{
    m_folder->writeSkill("a", "one");
    SkillStore store = m_folder->store();
    edit(store, "butterfly");
    QCOMPARE(store.search("butterfly")->size(), 1);
    QCOMPARE(store.search("butterfly")->first().excerpt, QString("«butterfly»"));
    QVERIFY(store.undo("a"));
    QVERIFY(store.search("butterfly")->isEmpty());
    QCOMPARE(store.search("one")->size(), 1);
}

void TestSkillHistory::aBrokenSkillOnDisk()
{
    m_folder->writeSkill("a", "one");
    m_folder->writeSkill("b", "good");
    {
        const SkillStore store = m_folder->store();
        QVERIFY(store.problems()->isEmpty());
    }
    m_folder->write("skills/a/SKILL.md", "---\nname: a\n");
    m_folder->write("skills/new/SKILL.md", "nothing");
    for (int i = 0; i < 2; ++i) { // also when it was seen before
        QTest::ignoreMessage(QtWarningMsg,
                             QRegularExpression("skills/a/SKILL.md:1: the front matter that starts here"));
        QTest::ignoreMessage(QtWarningMsg,
                             QRegularExpression("skills/new/SKILL.md:1: a skill starts with front matter"));
        const SkillStore store = m_folder->store();
        QCOMPARE(body(store), QString("one"));
        QCOMPARE(store.skills()->size(), 2);
        const auto problems = *store.problems();
        QCOMPARE(problems.size(), 2);
        QCOMPARE(problems[0].skill, QString("a"));
        QCOMPARE(problems[0].servedRevision, 1);
        QCOMPARE(problems[0].diagnostic.line, 1);
        QCOMPARE(problems[1].skill, QString("new"));
        QCOMPARE(problems[1].servedRevision, 0);
        QCOMPARE(problems[1].diagnostic.file, m_folder->path("skills/new/SKILL.md"));
    }
}

void TestSkillHistory::twoFoldersWithOneName()
{
    m_folder->writeSkill("a", "one");
    m_folder->write("skills/b/SKILL.md", MemoryFolder::text("a", "other").toUtf8());
    for (int i = 0; i < 2; ++i) {
        QTest::ignoreMessage(QtWarningMsg,
                             QRegularExpression("skills/b/SKILL.md:2: 'a' is the name of the skill in 'a', too"));
        const SkillStore store = m_folder->store();
        QCOMPARE(body(store), QString("one"));
        QCOMPARE(store.history("a")->size(), 1);
        QCOMPARE(store.problems()->size(), 1);
    }
}

void TestSkillHistory::unchangedFoldersAreNotReadAgain()
{
    m_folder->writeSkill("a", "one");
    const QString path = m_folder->path("skills/a/SKILL.md");
    const auto age = [&] {
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.setFileTime(QDateTime::currentDateTime().addSecs(-60), QFileDevice::FileModificationTime));
    };
    age();
    {
        (void)m_folder->store();
    }
    // A file as young as the clock's grain is read again: here its change of status is, whatever its own time says.
    m_folder->writeSkill("a", "two");
    age();
    QCOMPARE(body(m_folder->store()), QString("two"));
}

QTEST_GUILESS_MAIN(TestSkillHistory)
#include "tst_skill_history.moc"
