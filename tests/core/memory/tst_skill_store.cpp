// SPDX-License-Identifier: Apache-2.0
// memory.db: skills, states, revisions, ledger.
#include "memory/longterm/skill_reader.h"
#include "memory/longterm/skill_store.h"

#include <QDir>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace kernelskill;

class TestSkillStore : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void takesInAFolder();
    void aChangeOnDiskIsARevision();
    void aPersonsRevisionStays();
    void statesAndReasons();
    void anUnknownSkillIsADraft();
    void theLedgerIsKeyed();
    void statisticsCount();
    void inMemory();
    void aNewerFileIsLeftAlone();

private:
    void writeSkill(const QString &name, const QString &body);
    SkillStore store();
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSkillStore::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestSkillStore::writeSkill(const QString &name, const QString &body)
{
    const QDir folder(m_folder->filePath("skills/" + name));
    QVERIFY(folder.mkpath("."));
    QFile file(folder.filePath("SKILL.md"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QStringLiteral("---\nname: %1\ndescription: What %1 does\nmetadata:\n  languages: cuda\n---\n%2\n")
                   .arg(name, body)
                   .toUtf8());
}

SkillStore TestSkillStore::store()
{
    auto opened = SkillStore::open(m_folder->filePath("memory.db"), m_folder->filePath("skills"));
    if (!opened) qFatal("%s", qPrintable(opened.error().message));
    return std::move(*opened);
}

void TestSkillStore::takesInAFolder()
{
    writeSkill("b-skill", "B");
    writeSkill("a-skill", "A");
    const SkillStore memory = store();
    const auto skills = memory.skills();
    QVERIFY(skills);
    QCOMPARE(skills->size(), 2);
    QCOMPARE(skills->at(0).name, QString("a-skill"));
    QCOMPARE(skills->at(0).body, QString("A"));
    QCOMPARE(skills->at(0).revision, 1);
    QVERIFY(skills->at(0).state == SkillState::Active);
    QVERIFY(!memory.skill("none")->has_value());
}

void TestSkillStore::aChangeOnDiskIsARevision()
{
    writeSkill("a-skill", "one");
    {
        (void)store();
    }
    {
        (void)store();
    } // unchanged: no revision
    writeSkill("a-skill", "two");
    const SkillStore memory = store();
    QCOMPARE((*memory.skill("a-skill"))->body, QString("two"));
    const auto history = memory.history("a-skill");
    QCOMPARE(history->size(), 2);
    QCOMPARE(history->at(1).author, QString("kernelskill"));
    QCOMPARE(history->at(1).reason, QString("changed on disk"));
}

void TestSkillStore::aPersonsRevisionStays()
{
    writeSkill("a-skill", "one");
    {
        SkillStore memory = store();
        const auto edited =
            memory.edit("a-skill", "---\nname: a-skill\ndescription: Mine\n---\nmine", "clearer", "Ada");
        QVERIFY(edited);
        QCOMPARE(edited->revision, 2);
        QCOMPARE(memory.edit("a-skill", "nonsense", "", "").error().code, QString("skill.syntax"));
        QCOMPARE(memory.edit("a-skill", "---\nname: b\ndescription: x\n---\n", "", "").error().code,
                 QString("skill.syntax"));
    }
    writeSkill("a-skill", "two");
    const SkillStore memory = store();
    QCOMPARE((*memory.skill("a-skill"))->body, QString("mine"));
    QCOMPARE(memory.history("a-skill")->last().author, QString("Ada"));
    QCOMPARE(memory.history("a-skill")->last().reason, QString("clearer"));
}

void TestSkillStore::statesAndReasons()
{
    writeSkill("a-skill", "one");
    SkillStore memory = store();
    QVERIFY(memory.setState("a-skill", SkillState::Rejected, "harmful on sm_90", "Ada"));
    QVERIFY((*memory.skill("a-skill"))->state == SkillState::Rejected);
    QCOMPARE((*memory.skill("a-skill"))->stateReason, QString("harmful on sm_90"));
    QVERIFY(memory.setState("a-skill", SkillState::Active, {}, {}));
    QCOMPARE(memory.setState("none", SkillState::Pinned, {}, {}).error().code, QString("memory.no_skill"));
}

void TestSkillStore::anUnknownSkillIsADraft()
{
    SkillStore memory = store();
    const auto draft =
        memory.edit("new-skill", "---\nname: new-skill\ndescription: New\n---\nbody", "won twice", "planner");
    QVERIFY2(draft, qPrintable(draft ? QString() : draft.error().message));
    QVERIFY(draft->state == SkillState::Draft);
    QCOMPARE(draft->revision, 1);
}

namespace {

LedgerEntry entry(const QString &session, int node, const QString &task, const QString &verdict, double gain,
                  Interval interval)
{
    LedgerEntry result;
    result.session = session;
    result.node = node;
    result.task = task;
    result.skill = "a-skill";
    result.architecture = "sm_90";
    result.bottleneck = "compute";
    result.structure = "S1";
    result.verdict = verdict;
    result.logSpeedup = gain;
    result.interval = interval;
    result.observed = {{"changes", 1}};
    return result;
}

} // namespace

void TestSkillStore::theLedgerIsKeyed()
{
    SkillStore memory = store();
    QVERIFY(memory.record(entry("s1", 3, "t", "verified", 0.5, {1.5, 1.8})));
    QVERIFY(memory.record(entry("s1", 3, "t", "wrong", 0, {})));
    const auto rows = memory.ledger("a-skill");
    QCOMPARE(rows->size(), 1);
    QCOMPARE(rows->at(0).verdict, QString("verified"));
    QCOMPARE(rows->at(0).interval.high, 1.8);
    QCOMPARE(rows->at(0).observed, QJsonObject({{"changes", 1}}));
    QVERIFY(rows->at(0).when.isValid());
}

void TestSkillStore::statisticsCount()
{
    SkillStore memory = store();
    QVERIFY(memory.record(entry("s1", 1, "t1", "verified", 0.5, {1.5, 1.8})));    // win
    QVERIFY(memory.record(entry("s1", 2, "t1", "verified", 0.01, {0.99, 1.03}))); // neither
    QVERIFY(memory.record(entry("s2", 1, "t2", "verified", -0.2, {0.8, 0.84})));  // loss
    QVERIFY(memory.record(entry("s2", 2, "t2", "wrong", 0, {})));                 // loss
    const auto all = memory.statistics();
    QCOMPARE(all->size(), 1);
    QCOMPARE(all->at(0).uses, 4);
    QCOMPARE(all->at(0).wins, 1);
    QCOMPARE(all->at(0).losses, 2);
    QVERIFY(std::abs(all->at(0).sumLogSpeedup - 0.31) < 1e-12);
    const auto others = memory.statistics("t1");
    QCOMPARE(others->at(0).uses, 2);
    QCOMPARE(others->at(0).wins, 0);
}

void TestSkillStore::inMemory()
{
    writeSkill("a-skill", "one");
    auto memory = SkillStore::open(":memory:", m_folder->filePath("skills"));
    QVERIFY2(memory, qPrintable(memory ? QString() : memory.error().message));
    QCOMPARE(memory->skills()->size(), 1);
    QVERIFY(!QFile::exists(":memory:"));
}

void TestSkillStore::aNewerFileIsLeftAlone()
{
    {
        (void)store();
    }
    {
        QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "newer");
        database.setDatabaseName(m_folder->filePath("memory.db"));
        QVERIFY(database.open());
        QVERIFY(QSqlQuery(database).exec("PRAGMA user_version = 99"));
    }
    QSqlDatabase::removeDatabase("newer");
    const auto memory = SkillStore::open(m_folder->filePath("memory.db"), {});
    QVERIFY(!memory);
    QCOMPARE(memory.error().code, QString("memory.newer"));
}

QTEST_GUILESS_MAIN(TestSkillStore)
#include "tst_skill_store.moc"
