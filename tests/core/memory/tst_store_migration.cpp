// SPDX-License-Identifier: Apache-2.0
// Files of older programs, made by the SQL those programs used, and files this program must not touch.
#include "memory_folder.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QTest>

#include <cmath>

using namespace kernelskill;
using namespace kernelskill::test;

namespace {

// Schema 1 as it was written to disk.
const QStringList schemaOne{
    "CREATE TABLE skills(name TEXT PRIMARY KEY, revision INTEGER NOT NULL, state TEXT NOT NULL, "
    "state_reason TEXT NOT NULL, source TEXT NOT NULL, disk_digest TEXT NOT NULL)",
    "CREATE TABLE revisions(skill TEXT NOT NULL REFERENCES skills(name), revision INTEGER NOT NULL, "
    "author TEXT NOT NULL, reason TEXT NOT NULL, text TEXT NOT NULL, when_ms INTEGER NOT NULL, "
    "PRIMARY KEY(skill, revision))",
    "CREATE TABLE state_changes(id INTEGER PRIMARY KEY, skill TEXT NOT NULL REFERENCES skills(name), "
    "state TEXT NOT NULL, reason TEXT NOT NULL, author TEXT NOT NULL, when_ms INTEGER NOT NULL)",
    "CREATE TABLE ledger(session TEXT NOT NULL, node INTEGER NOT NULL, task TEXT NOT NULL, "
    "skill TEXT NOT NULL, revision INTEGER NOT NULL, method TEXT NOT NULL, architecture TEXT NOT NULL, "
    "bottleneck TEXT NOT NULL, structure TEXT NOT NULL, verdict TEXT NOT NULL, log_speedup REAL NOT NULL, "
    "low REAL NOT NULL, high REAL NOT NULL, observed TEXT NOT NULL, when_ms INTEGER NOT NULL, "
    "PRIMARY KEY(session, node))",
    "CREATE INDEX ledger_by_skill ON ledger(skill, when_ms)",
    "PRAGMA application_id = 1263750469",
    "PRAGMA user_version = 1",
};
// What schema 2 added.
const QStringList schemaTwo{
    "CREATE TABLE frozen(id INTEGER PRIMARY KEY CHECK(id = 1), last_row INTEGER NOT NULL, when_ms INTEGER NOT NULL)",
    "PRAGMA user_version = 2",
};
// As schemas 1 and 2 wrote a skill: lists as YAML lists.
const QStringList contents{
    "INSERT INTO skills VALUES('tiling', 2, 'pinned', 'good here', '/old/skills/tiling/SKILL.md', 'abc')",
    "INSERT INTO revisions VALUES('tiling', 1, 'kernelskill', 'shipped', '---\nname: tiling\ndescription: \"Old\"\n"
    "license: Apache-2.0\nmetadata:\n  title: \"Tiling\"\n  method: M8\n  languages:\n    - \"cuda\"\n  gate:\n"
    "    - \"reuse_possible\"\n---\n\nfirst\n', 1000)",
    "INSERT INTO revisions VALUES('tiling', 2, 'Ada', 'clearer', '---\nname: tiling\ndescription: New\nmetadata:\n"
    "  languages: cuda\n---\nsecond Größe\n', 2000)",
    "INSERT INTO state_changes VALUES(1, 'tiling', 'rejected', 'harmful', 'Ada', 1500)",
    "INSERT INTO state_changes VALUES(2, 'tiling', 'pinned', 'good here', 'Ben', 3000)",
    "INSERT INTO skills VALUES('idea', 1, 'draft', 'won twice', '', '')",
    "INSERT INTO revisions VALUES('idea', 1, 'run x', 'won twice', '---\nname: idea\ndescription: d\nmetadata:\n"
    "  languages: cuda\n---\nidea\n', 4000)",
    "INSERT INTO ledger VALUES('s1', 1, 't1', 'tiling', 1, 'M8', 'sm_90', 'compute', 'S1', 'verified', 0.5, 1.5, 1.8, "
    "'{\"changes\":1}', 5000)",
    "INSERT INTO ledger VALUES('s1', 2, 't1', 'tiling', 1, 'M8', 'sm_90', 'compute', 'S1', 'wrong', 0, 0, 0, '{}', "
    "5001)",
    "INSERT INTO ledger VALUES('s2', 1, 't2', 'tiling', 2, 'M8', 'sm_90', 'compute', 'S1', 'verified', -0.25, 0.7, "
    "0.8, "
    "'{}', 5002)",
};

} // namespace

class TestStoreMigration : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<MemoryFolder>(); }
    void olderFiles_data();
    void olderFiles();
    void aFileOfSchemaThree();
    void theFrozenRowStays();
    void shippedSkillsBecomeWhole();
    void aNewerFileIsLeftAlone();
    void somebodyElsesDatabase();
    void damagedFiles_data();
    void damagedFiles();
    void readOnly();
    void aReadOnlyOldFile();
    void aStoredRevisionThatBroke();
    void aReaderThatChanged();

private:
    void run(const QStringList &statements, const QString &file = {});
    QByteArray bytes(const QString &path) const
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    std::unique_ptr<MemoryFolder> m_folder;
};

void TestStoreMigration::run(const QStringList &statements, const QString &file)
{
    {
        QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "raw");
        database.setDatabaseName(file.isEmpty() ? m_folder->memory() : file);
        QVERIFY(database.open());
        for (const QString &statement : statements) {
            QSqlQuery query(database);
            QVERIFY2(query.exec(statement), qPrintable(statement + query.lastError().text()));
        }
    }
    QSqlDatabase::removeDatabase("raw");
}

void TestStoreMigration::olderFiles_data()
{
    QTest::addColumn<QStringList>("statements");
    QTest::newRow("1") << schemaOne + contents;
    QTest::newRow("2") << schemaOne + schemaTwo + contents;
}

void TestStoreMigration::olderFiles()
{
    QFETCH(QStringList, statements);
    run(statements);
    SkillStore store = m_folder->store();
    const auto skills = *store.skills();
    QCOMPARE(skills.size(), 2);
    const Skill &tiling = skills[1];
    QCOMPARE(tiling.name, QString("tiling"));
    QCOMPARE(tiling.revision, 2);
    QCOMPARE(tiling.body, QString::fromUtf8("second Größe"));
    QVERIFY(tiling.state == SkillState::Pinned);
    QCOMPARE(tiling.stateReason, QString("good here"));
    QCOMPARE(tiling.source, QString("/old/skills/tiling/SKILL.md"));
    QVERIFY(skills[0].state == SkillState::Draft);
    const auto first = *store.revision("tiling", 1);
    QCOMPARE(first.requires_, QStringList{"reuse_possible"});
    QCOMPARE(first.body, QString("first"));
    const auto history = *store.history("tiling");
    QCOMPARE(history.size(), 2);
    QCOMPARE(history[1].author, QString("Ada"));
    QCOMPARE(history[1].when.toMSecsSinceEpoch(), 2000);
    QCOMPARE(store.search("second")->first().name, QString("tiling"));
    QVERIFY(store.problems()->isEmpty());

    const auto ledger = *store.ledger("tiling");
    QCOMPARE(ledger.size(), 3);
    QCOMPARE(ledger[0].observed, QJsonObject({{"changes", 1}}));
    QCOMPARE(ledger[0].kind, QString());
    const auto statistics = *store.statistics();
    QCOMPARE(statistics.size(), 1);
    QCOMPARE(statistics[0].uses, 3);
    QCOMPARE(statistics[0].wins, 1);
    QCOMPARE(statistics[0].losses, 2);
    QVERIFY(std::abs(statistics[0].sumLogSpeedup - 0.25) < 1e-12);
    QCOMPARE(statistics[0].measured.uses + statistics[0].modelled.uses, 0);
    QCOMPARE(store.statistics("t1")->first().uses, 1);

    // Its history can be gone back.
    const auto states = *store.stateHistory("tiling");
    QCOMPARE(states.size(), 3);
    QCOMPARE(states[1].reason, QString("harmful"));
    QVERIFY(*store.canUndo("tiling") && !*store.canUndo("idea") && !*store.canUndo("nobody"));
    QCOMPARE(*store.undo("tiling"), QString("tiling: it is rejected again"));
    QCOMPARE(*store.undo("tiling"), QString("tiling: revision 3 is revision 1 again"));
    QCOMPARE(*store.undo("tiling"), QString("tiling: it is active again"));
    QVERIFY(!*store.canUndo("tiling")); // what undo did is no change to take back
    QVERIFY(!store.undo("tiling"));
    QVERIFY(!store.undo("idea"));
    QVERIFY(store.record(store.ledger("tiling")->first())); // known: nothing is added
    QCOMPARE(store.ledger("tiling")->size(), 3);
}

// Schema 4 added nothing but a table of sums.
void TestStoreMigration::aFileOfSchemaThree()
{
    run(schemaOne + contents);
    {
        (void)m_folder->store();
    }
    run({"DROP TABLE skill_sums", "PRAGMA user_version = 3"});
    SkillStore store = m_folder->store();
    QCOMPARE(store.statisticsBySkill()->size(), 1);
    QCOMPARE(store.statisticsBySkill()->first().uses, 3);
    QCOMPARE(store.statisticsBySkill()->first().wins, 1);
    LedgerEntry entry = store.ledger("tiling")->first();
    entry.node = 77;
    entry.kind = "measured";
    QVERIFY(store.record(entry));
    QCOMPARE(store.statisticsBySkill()->first().uses, 4);
    QCOMPARE(store.statisticsBySkill()->first().measured.wins, 1);
}

void TestStoreMigration::theFrozenRowStays()
{
    run(schemaOne + schemaTwo + contents + QStringList{"INSERT INTO frozen VALUES(1, 2, 6000)"});
    const SkillStore store = m_folder->store();
    QCOMPARE(*store.frozenAt(), 2);
    QCOMPARE(store.statistics({}, 2)->first().uses, 2);
    QVERIFY(store.statistics("t1", 2)->isEmpty());
    QCOMPARE(store.statistics()->first().uses, 3);
}

// Older programs kept a text of their own making and no attachments.
void TestStoreMigration::shippedSkillsBecomeWhole()
{
    const QString source = m_folder->path("skills/tiling/SKILL.md");
    run(schemaOne +
        QStringList{"INSERT INTO skills VALUES('tiling', 1, 'pinned', 'mine', '" + source + "', 'abc')", contents[1]});
    const QByteArray text =
        "---\nname: tiling\ndescription: Old\nlicense: Apache-2.0\nmetadata:\n  title: Tiling\n  method: "
        "M8\n  languages: cuda\n  gate: reuse_possible\n---\nfirst\n";
    m_folder->write("skills/tiling/SKILL.md", text);
    m_folder->write("skills/tiling/references/x", "y");
    const SkillStore store = m_folder->store();
    const auto skill = **store.skill("tiling");
    QVERIFY(skill.state == SkillState::Pinned);
    QCOMPARE(*store.textOf("tiling", skill.revision), text);
    QCOMPARE(store.attachments("tiling", skill.revision)->size(), 1);
    QCOMPARE(store.revision("tiling", 1)->body, QString("first"));
}

void TestStoreMigration::aNewerFileIsLeftAlone()
{
    {
        (void)m_folder->store();
    }
    run({"PRAGMA user_version = 99", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = DELETE"});
    const QByteArray before = bytes(m_folder->memory());
    const auto store = SkillStore::open(m_folder->memory(), {});
    QVERIFY(!store);
    QCOMPARE(store.error().code, QString("memory.newer"));
    QCOMPARE(store.error().message,
             m_folder->memory() + ": a newer program wrote it (schema 99, this program knows 4); update the program, "
                                  "or choose another file with --memory");
    QCOMPARE(bytes(m_folder->memory()).mid(100), before.mid(100));
}

void TestStoreMigration::somebodyElsesDatabase()
{
    const QString path = m_folder->path("other.db");
    run({"CREATE TABLE skills(x)", "PRAGMA user_version = 1"}, path);
    const auto store = SkillStore::open(path, {});
    QVERIFY(!store);
    QCOMPARE(store.error().code, QString("memory.not_a_memory"));
    QVERIFY(store.error().message.startsWith(path));
    QCOMPARE(SkillStore::open(m_folder->path("."), {}).error().code, QString("memory.database"));
}

void TestStoreMigration::damagedFiles_data()
{
    QTest::addColumn<bool>("isText");
    QTest::newRow("no database") << true;
    QTest::newRow("overwritten") << false;
}

void TestStoreMigration::damagedFiles()
{
    QFETCH(bool, isText);
    if (isText) {
        m_folder->write("memory.db", QByteArray("This is a letter, not a database. ").repeated(100));
    } else {
        run(schemaOne + contents);
        QByteArray content = bytes(m_folder->memory());
        content.replace(100, content.size() - 100, QByteArray(content.size() - 100, '\x5a'));
        m_folder->write("memory.db", content);
    }
    const QByteArray before = bytes(m_folder->memory());
    const auto store = SkillStore::open(m_folder->memory(), {});
    QVERIFY(!store);
    QVERIFY2(store.error().code == "memory.damaged", qPrintable(store.error().code + store.error().message));
    QVERIFY(store.error().message.startsWith(m_folder->memory()));
    QCOMPARE(bytes(m_folder->memory()).mid(100), before.mid(100)); // nothing in it was touched
}

void TestStoreMigration::readOnly()
{
    m_folder->writeSkill("a", "one");
    {
        SkillStore store = m_folder->store();
        QVERIFY(store.edit("a", MemoryFolder::text("a", "two"), "why", "Ada"));
    }
    const QByteArray before = bytes(m_folder->memory());
    m_folder->writeSkill("b", "new on disk");
    auto store = SkillStore::open(m_folder->memory(), m_folder->skills(), SkillStore::Access::ReadOnly);
    QVERIFY2(store, qPrintable(store ? QString() : store.error().message));
    QVERIFY(store->isReadOnly());
    QCOMPARE((*store->skill("a"))->body, QString("two"));
    QVERIFY(store->skill("b")->has_value()); // what ships is there all the same
    LedgerEntry entry;
    entry.session = "s";
    for (const QString &code :
         {store->edit("a", MemoryFolder::text("a", "x"), {}, {}).error().code,
          store->setState("a", SkillState::Pinned, {}, {}).error().code, store->restore("a", 1, {}, {}).error().code,
          store->undo("a").error().code, store->record(entry).error().code,
          store->importSkills(m_folder->skills(), {}).error().code, store->frozenAt(true).error().code})
        QCOMPARE(code, QString("memory.read_only"));
    QCOMPARE(*store->frozenAt(), 0);
    QVERIFY(store->exportSkills(m_folder->path("out")));
    QCOMPARE(bytes(m_folder->memory()), before);
    QCOMPARE(store->setState("a", SkillState::Pinned, {}, {}).error().message,
             m_folder->memory() +
                 ": the skill memory cannot be written, so nothing was changed; make the file and its folder "
                 "writable, or choose another file with --memory");
}

void TestStoreMigration::aReadOnlyOldFile()
{
    {
        const auto none = SkillStore::open(m_folder->memory(), {}, SkillStore::Access::ReadOnly); // none yet
        QVERIFY(none && none->isReadOnly() && none->skills()->isEmpty());
        QVERIFY(!QFile::exists(m_folder->memory()));
    }
    run(schemaOne + contents);
    const QByteArray before = bytes(m_folder->memory());
    const auto store = SkillStore::open(m_folder->memory(), {}, SkillStore::Access::ReadOnly);
    QVERIFY2(store, qPrintable(store ? QString() : store.error().message));
    QCOMPARE(store->skills()->size(), 2);
    QCOMPARE(bytes(m_folder->memory()), before);
}

void TestStoreMigration::aStoredRevisionThatBroke()
{
    m_folder->writeSkill("a", "one");
    m_folder->writeSkill("b", "fine");
    {
        SkillStore store = m_folder->store();
        QVERIFY(store.edit("a", MemoryFolder::text("a", "two"), "why", "Ada"));
    }
    run({"INSERT INTO contents VALUES('x', CAST('---' || char(10) || 'name: [' || char(10) || '---' AS BLOB))",
         "UPDATE revisions SET content = 'x', reader = 0, reading = NULL WHERE skill = 'a' AND revision = 2",
         "UPDATE revisions SET content = 'x', reader = 0 WHERE skill = 'b'"});
    const SkillStore store = m_folder->store();
    const auto skills = *store.skills();
    QCOMPARE(skills.size(), 1); // b has no revision that can be read
    QCOMPARE(skills[0].body, QString("one"));
    QCOMPARE(skills[0].revision, 1);
    const auto problems = *store.problems();
    QCOMPARE(problems.size(), 2);
    QCOMPARE(problems[0].skill, QString("a"));
    QCOMPARE(problems[0].revision, 2);
    QCOMPARE(problems[0].servedRevision, 1);
    QVERIFY2(problems[0].diagnostic.text().startsWith("a@2:"), qPrintable(problems[0].diagnostic.text()));
    QCOMPARE(problems[1].servedRevision, 0);
    QVERIFY(!store.history("a")->last().error.isEmpty());
    QVERIFY(!store.skill("b")->has_value());
}

void TestStoreMigration::aReaderThatChanged()
{
    m_folder->writeSkill("a", "one");
    {
        (void)m_folder->store();
    }
    run({"UPDATE revisions SET reading = CAST('nonsense' AS BLOB)"});
    QCOMPARE((*m_folder->store().skill("a"))->body, QString("one"));
    run({"UPDATE revisions SET reader = 0"});
    QCOMPARE((*m_folder->store().skill("a"))->body, QString("one"));
}

QTEST_GUILESS_MAIN(TestStoreMigration)
#include "tst_store_migration.moc"
