// SPDX-License-Identifier: Apache-2.0
#include "memory/longterm/skill_store_schema.h"

#include "base/sql_connections.h"

namespace kernelskill {

namespace {

constexpr int applicationId = 0x4b53'4d45; // "KSME" in the file's header, so that `file` and we know it

// steps()[n] takes schema n to schema n + 1.
QList<QStringList> steps()
{
    const QStringList first{
        QStringLiteral("CREATE TABLE skills(name TEXT PRIMARY KEY, revision INTEGER NOT NULL, state TEXT NOT NULL, "
                       "state_reason TEXT NOT NULL, source TEXT NOT NULL, disk_digest TEXT NOT NULL)"),
        QStringLiteral("CREATE TABLE revisions(skill TEXT NOT NULL REFERENCES skills(name), revision INTEGER NOT NULL, "
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
        QStringLiteral("CREATE INDEX ledger_by_skill ON ledger(skill, when_ms)"),
    };
    const QStringList freezing{
        QStringLiteral("CREATE TABLE frozen(id INTEGER PRIMARY KEY CHECK(id = 1), last_row INTEGER NOT NULL, "
                       "when_ms INTEGER NOT NULL)"),
    };
    return {first, freezing};
}

} // namespace

Result<void> migrateSkillStore(const QSqlDatabase &database)
{
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
    const QList<QStringList> all = steps();
    for (int version = found; version < skillStoreSchemaVersion; ++version) {
        // The version is read again inside the write lock: another process may have migrated meanwhile.
        sql::Transaction transaction(database);
        if (auto begun = transaction.begin(); !begun) return begun;
        auto current = sql::value(database, QStringLiteral("PRAGMA user_version"));
        if (!current) return std::unexpected(current.error());
        if (current->toInt() > version) continue;
        QStringList statements = all[version];
        statements.append(QStringLiteral("PRAGMA application_id = %1").arg(applicationId));
        statements.append(QStringLiteral("PRAGMA user_version = %1").arg(version + 1));
        for (const QString &statement : std::as_const(statements)) {
            if (auto done = sql::run(database, statement); !done) return std::unexpected(done.error());
        }
        if (auto done = transaction.commit(); !done) return done;
    }
    return {};
}

} // namespace kernelskill
