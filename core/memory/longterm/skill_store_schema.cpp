// SPDX-License-Identifier: Apache-2.0
#include "memory/longterm/skill_store_schema.h"

#include "memory/longterm/skill_store_impl.h"

#include <algorithm>
#include <array>

namespace kernelskill {

namespace {

constexpr int applicationId = 0x4b53'4d45; // "KSME" in the file's header, so that `file` and we know it

const QString groupColumns = QStringLiteral(
    "skill TEXT NOT NULL, architecture TEXT NOT NULL, bottleneck TEXT NOT NULL, structure TEXT NOT NULL, "
    "kind TEXT NOT NULL");
const QString sumColumns = QStringLiteral("uses INTEGER NOT NULL, wins INTEGER NOT NULL, losses INTEGER NOT NULL, sum "
                                          "REAL NOT NULL, sum_squared REAL NOT NULL");

Result<void> execute(const QSqlDatabase &database, const QStringList &statements)
{
    for (const QString &statement : statements) {
        if (auto done = sql::run(database, statement); !done) return std::unexpected(done.error());
    }
    return {};
}

Result<void> makeFirst(const QSqlDatabase &database)
{
    return execute(
        database,
        {QStringLiteral("CREATE TABLE skills(name TEXT PRIMARY KEY, revision INTEGER NOT NULL, state TEXT NOT NULL, "
                        "state_reason TEXT NOT NULL, source TEXT NOT NULL, disk_digest TEXT NOT NULL)"),
         QStringLiteral(
             "CREATE TABLE revisions(skill TEXT NOT NULL REFERENCES skills(name), revision INTEGER NOT NULL, "
             "author TEXT NOT NULL, reason TEXT NOT NULL, text TEXT NOT NULL, when_ms INTEGER NOT NULL, "
             "PRIMARY KEY(skill, revision))"),
         QStringLiteral(
             "CREATE TABLE state_changes(id INTEGER PRIMARY KEY, skill TEXT NOT NULL REFERENCES skills(name), "
             "state TEXT NOT NULL, reason TEXT NOT NULL, author TEXT NOT NULL, when_ms INTEGER NOT NULL)"),
         QStringLiteral(
             "CREATE TABLE ledger(session TEXT NOT NULL, node INTEGER NOT NULL, task TEXT NOT NULL, "
             "skill TEXT NOT NULL, revision INTEGER NOT NULL, method TEXT NOT NULL, architecture TEXT NOT NULL, "
             "bottleneck TEXT NOT NULL, structure TEXT NOT NULL, verdict TEXT NOT NULL, log_speedup REAL NOT NULL, "
             "low REAL NOT NULL, high REAL NOT NULL, observed TEXT NOT NULL, when_ms INTEGER NOT NULL, "
             "PRIMARY KEY(session, node))"),
         QStringLiteral("CREATE INDEX ledger_by_skill ON ledger(skill, when_ms)")});
}

Result<void> addFreezing(const QSqlDatabase &database)
{
    return execute(database, {QStringLiteral(
                                 "CREATE TABLE frozen(id INTEGER PRIMARY KEY CHECK(id = 1), last_row INTEGER NOT NULL, "
                                 "when_ms INTEGER NOT NULL)")});
}

// Texts move into contents. Readings are made when the file is opened (reader 0 is none).
Result<void> moveRevisions(const QSqlDatabase &database)
{
    auto made = execute(
        database,
        {QStringLiteral("CREATE TABLE contents(digest TEXT PRIMARY KEY, bytes BLOB NOT NULL)"),
         QStringLiteral("ALTER TABLE revisions RENAME TO old_revisions"),
         QStringLiteral(
             "CREATE TABLE revisions(skill TEXT NOT NULL REFERENCES skills(name), revision INTEGER NOT NULL, "
             "author TEXT NOT NULL, reason TEXT NOT NULL, content TEXT NOT NULL REFERENCES contents(digest), "
             "when_ms INTEGER NOT NULL, reader INTEGER NOT NULL DEFAULT 0, reading BLOB, "
             "PRIMARY KEY(skill, revision))"),
         QStringLiteral("CREATE TABLE attachments(skill TEXT NOT NULL, revision INTEGER NOT NULL, path TEXT NOT NULL, "
                        "content TEXT NOT NULL REFERENCES contents(digest), executable INTEGER NOT NULL, "
                        "PRIMARY KEY(skill, revision, path)) WITHOUT ROWID")});
    if (!made) return made;
    auto rows = sql::run(database, QStringLiteral("SELECT rowid, text FROM old_revisions"));
    if (!rows) return std::unexpected(rows.error());
    while (rows->next()) {
        const QByteArray bytes = rows->value(1).toString().toUtf8();
        const QString digest = contentDigest(bytes);
        auto content = sql::run(database, QStringLiteral("INSERT OR IGNORE INTO contents(digest, bytes) VALUES(?, ?)"),
                                {digest, bytes});
        if (!content) return std::unexpected(content.error());
        auto moved = sql::run(database,
                              QStringLiteral("INSERT INTO revisions(skill, revision, author, reason, content, when_ms) "
                                             "SELECT skill, revision, author, reason, ?, when_ms FROM old_revisions "
                                             "WHERE rowid = ?"),
                              {digest, rows->value(0)});
        if (!moved) return std::unexpected(moved.error());
    }
    rows->finish();
    // Older programs did not keep attachments, so what is on disk is compared anew.
    return execute(database,
                   {QStringLiteral("DROP TABLE old_revisions"),
                    QStringLiteral("ALTER TABLE skills ADD COLUMN disk_stamp TEXT NOT NULL DEFAULT ''"),
                    QStringLiteral("ALTER TABLE skills ADD COLUMN search_row INTEGER NOT NULL DEFAULT 0"),
                    QStringLiteral("UPDATE skills SET disk_digest = ''"),
                    QStringLiteral("CREATE VIRTUAL TABLE skill_text USING fts5(name, title, description, body, "
                                   "tokenize = 'porter unicode61 remove_diacritics 2')")});
}

// Revisions and changes of state become one history: what was before each is told by those before it.
Result<void> moveHistory(const QSqlDatabase &database)
{
    auto made = execute(
        database, {QStringLiteral(
                       "CREATE TABLE changes(id INTEGER PRIMARY KEY, skill TEXT NOT NULL REFERENCES skills(name), "
                       "revision INTEGER NOT NULL, previous_revision INTEGER NOT NULL, state TEXT NOT NULL, "
                       "previous_state TEXT NOT NULL, state_reason TEXT NOT NULL, previous_state_reason TEXT NOT NULL, "
                       "reason TEXT NOT NULL, author TEXT NOT NULL, when_ms INTEGER NOT NULL, "
                       "undone INTEGER NOT NULL DEFAULT 0, undoes INTEGER)"),
                   QStringLiteral("CREATE INDEX changes_by_skill ON changes(skill, id)")});
    if (!made) return made;
    auto rows =
        sql::run(database, QStringLiteral(
                               "SELECT skill, revision, '' AS state, reason, author, when_ms, 0 AS kind FROM revisions "
                               "UNION ALL SELECT skill, 0, state, reason, author, when_ms, 1 FROM state_changes "
                               "ORDER BY skill, when_ms, kind, revision"));
    if (!rows) return std::unexpected(rows.error());
    QString skill, state, stateReason;
    int revision = 0;
    while (rows->next()) {
        const bool isText = rows->value(6).toInt() == 0;
        const QString reason = rows->value(3).toString(), author = rows->value(4).toString();
        if (rows->value(0).toString() != skill) {
            skill = rows->value(0).toString();
            revision = 0;
            // What was not shipped began as a draft, with the first revision's reason.
            const bool shipped = author == shippedAuthor;
            state = toString(shipped ? SkillState::Active : SkillState::Draft);
            stateReason = shipped ? QString() : reason;
        }
        const int before = revision;
        const QString stateBefore = state, reasonBefore = stateReason;
        if (isText) {
            revision = rows->value(1).toInt();
        } else {
            state = rows->value(2).toString();
            stateReason = reason;
        }
        auto added = sql::run(
            database,
            QStringLiteral("INSERT INTO changes(skill, revision, previous_revision, state, previous_state, "
                           "state_reason, previous_state_reason, reason, author, when_ms) "
                           "VALUES(?,?,?,?,?,?,?,?,?,?)"),
            {skill, revision, before, state, stateBefore, stateReason, reasonBefore, reason, author, rows->value(5)});
        if (!added) return std::unexpected(added.error());
    }
    rows->finish();
    return execute(database, {QStringLiteral("DROP TABLE state_changes")});
}

// Its rows keep their numbers: `frozen` names one. Kind and promise of old rows are not known.
Result<void> moveLedger(const QSqlDatabase &database)
{
    QStringList statements{
        QStringLiteral("DROP INDEX ledger_by_skill"),
        QStringLiteral("ALTER TABLE ledger RENAME TO old_ledger"),
        QStringLiteral(
            "CREATE TABLE ledger(id INTEGER PRIMARY KEY, session TEXT NOT NULL, node INTEGER NOT NULL, "
            "task TEXT NOT NULL, skill TEXT NOT NULL, revision INTEGER NOT NULL, method TEXT NOT NULL, "
            "architecture TEXT NOT NULL, bottleneck TEXT NOT NULL, structure TEXT NOT NULL, verdict TEXT NOT NULL, "
            "log_speedup REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL, observed TEXT NOT NULL, "
            "when_ms INTEGER NOT NULL, kind TEXT NOT NULL, promised TEXT NOT NULL, UNIQUE(session, node))"),
        QStringLiteral("INSERT INTO ledger SELECT rowid, session, node, task, skill, revision, method, architecture, "
                       "bottleneck, structure, verdict, log_speedup, low, high, observed, when_ms, '', '{}' "
                       "FROM old_ledger ORDER BY rowid"),
        QStringLiteral("DROP TABLE old_ledger"),
        QStringLiteral("CREATE INDEX ledger_by_skill ON ledger(skill, when_ms)"),
        QStringLiteral("CREATE TABLE sessions(id TEXT PRIMARY KEY, path TEXT NOT NULL) WITHOUT ROWID"),
    };
    for (const bool frozen : {false, true}) {
        const QString prefix = frozen ? QStringLiteral("frozen_") : QString();
        const QString rows = frozen ? QStringLiteral("WHERE id <= (SELECT last_row FROM frozen)") : QString();
        for (const bool byTask : {false, true}) {
            const QString name = prefix + (byTask ? QStringLiteral("task_sums") : QStringLiteral("sums"));
            const QString keys = QStringLiteral("skill, architecture, bottleneck, structure, kind") +
                                 (byTask ? QStringLiteral(", task") : QString());
            statements.append(QStringLiteral("CREATE TABLE %1(%2%3, %4, PRIMARY KEY(%5)) WITHOUT ROWID")
                                  .arg(name, groupColumns, byTask ? QStringLiteral(", task TEXT NOT NULL") : QString(),
                                       sumColumns, keys));
            statements.append(
                QStringLiteral("INSERT INTO %1(%2, uses, wins, losses, sum, sum_squared) SELECT %2, count(*), "
                               "sum(verdict = 'verified' AND low > 1), "
                               "sum(verdict NOT IN ('verified', 'unproven') OR (high > 0 AND high < 1)), "
                               "sum(log_speedup), sum(log_speedup * log_speedup) FROM ledger %3 GROUP BY %2")
                    .arg(name, keys, rows));
            if (byTask) statements.append(QStringLiteral("CREATE INDEX %1_by_task ON %1(task)").arg(name));
        }
    }
    return execute(database, statements);
}

Result<void> keepWholeSkills(const QSqlDatabase &database)
{
    for (const auto step : {moveRevisions, moveHistory, moveLedger}) {
        if (auto done = step(database); !done) return done;
    }
    return {};
}

// A list of skills asks for each one's record: from `sums` that took half of its time.
Result<void> addSkillSums(const QSqlDatabase &database)
{
    return execute(
        database,
        {QStringLiteral("CREATE TABLE skill_sums(skill TEXT NOT NULL, kind TEXT NOT NULL, %1, "
                        "PRIMARY KEY(skill, kind)) WITHOUT ROWID")
             .arg(sumColumns),
         QStringLiteral("INSERT INTO skill_sums SELECT skill, kind, sum(uses), sum(wins), sum(losses), sum(sum), "
                        "sum(sum_squared) FROM sums GROUP BY skill, kind")});
}

// steps[n] takes schema n to schema n + 1.
constexpr std::array steps{makeFirst, addFreezing, keepWholeSkills, addSkillSums};
static_assert(steps.size() == skillStoreSchemaVersion);

// A session file, or anybody else's database, must not get our tables.
Result<void> checkOwner(const QSqlDatabase &database)
{
    auto owner = sql::value(database, QStringLiteral("PRAGMA application_id"));
    if (!owner) return std::unexpected(owner.error());
    if (owner->toInt() == applicationId) return {};
    auto tables = sql::value(database, QStringLiteral("SELECT count(*) FROM sqlite_schema"));
    if (!tables) return std::unexpected(tables.error());
    if (owner->toInt() == 0 && tables->toInt() == 0) return {};
    return failure("memory.not_a_memory",
                   QStringLiteral("this is a database of something else, not a skill memory; choose another file with "
                                  "--memory"));
}

} // namespace

Result<void> migrateSkillStore(const QSqlDatabase &database)
{
    if (auto ours = checkOwner(database); !ours) return ours;
    auto stored = sql::value(database, QStringLiteral("PRAGMA user_version"));
    if (!stored) return std::unexpected(stored.error());
    const int found = stored->toInt();
    if (found > skillStoreSchemaVersion) {
        return failure(
            "memory.newer",
            QStringLiteral("a newer program wrote it (schema %1, this program knows %2); update the program, or "
                           "choose another file with --memory")
                .arg(found)
                .arg(skillStoreSchemaVersion));
    }
    for (int version = std::max(found, 0); version < skillStoreSchemaVersion; ++version) {
        // The version is read again inside the write lock: another process may have migrated meanwhile.
        sql::Transaction transaction(database);
        if (auto begun = transaction.begin(); !begun) return begun;
        auto current = sql::value(database, QStringLiteral("PRAGMA user_version"));
        if (!current) return std::unexpected(current.error());
        if (current->toInt() > version) continue;
        if (auto done = steps[size_t(version)](database); !done) return done;
        auto marked = execute(database, {QStringLiteral("PRAGMA application_id = %1").arg(applicationId),
                                         QStringLiteral("PRAGMA user_version = %1").arg(version + 1)});
        if (!marked) return marked;
        if (auto done = transaction.commit(); !done) return done;
    }
    return {};
}

} // namespace kernelskill
