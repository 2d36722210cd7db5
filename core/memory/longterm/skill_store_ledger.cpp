// SPDX-License-Identifier: Apache-2.0
// The ledger and its sums. Ranking reads sums, never the ledger, so its length does not matter:
//
// `sums` has one row a group (skill, architecture, bottleneck, structure, kind of time), `task_sums` one a group and
// task. Without a task: groups it has no rows in are read from `sums`, the others are added up again from `task_sums`,
// which is exact where a subtraction would leave rounding behind. Freezing copies both tables.
#include "memory/longterm/skill_store_impl.h"

#include <QJsonDocument>
#include <QTimeZone>

#include <limits>

namespace kernelskill {

namespace {

const QString entryColumns = QStringLiteral(
    "l.session, l.node, l.task, l.skill, l.revision, l.method, l.architecture, l.bottleneck, l.structure, "
    "l.verdict, l.log_speedup, l.low, l.high, l.observed, l.when_ms, l.kind, l.promised, "
    "coalesce(s.path, '') FROM ledger l LEFT JOIN sessions s ON s.id = l.session ");
const QString groupKeys = QStringLiteral("skill, architecture, bottleneck, structure, kind");

QString compact(const QJsonObject &object)
{
    return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

QJsonObject objectFrom(const QVariant &text)
{
    return QJsonDocument::fromJson(text.toString().toUtf8()).object();
}

QList<LedgerEntry> entriesFrom(QSqlQuery &rows)
{
    QList<LedgerEntry> result;
    while (rows.next()) {
        LedgerEntry entry;
        entry.session = rows.value(0).toString();
        entry.node = rows.value(1).toInt();
        entry.task = rows.value(2).toString();
        entry.skill = rows.value(3).toString();
        entry.revision = rows.value(4).toInt();
        entry.method = rows.value(5).toString();
        entry.architecture = rows.value(6).toString();
        entry.bottleneck = rows.value(7).toString();
        entry.structure = rows.value(8).toString();
        entry.verdict = rows.value(9).toString();
        entry.logSpeedup = rows.value(10).toDouble();
        entry.interval = {rows.value(11).toDouble(), rows.value(12).toDouble()};
        entry.observed = objectFrom(rows.value(13));
        entry.when = QDateTime::fromMSecsSinceEpoch(rows.value(14).toLongLong(), QTimeZone::UTC);
        entry.kind = rows.value(15).toString();
        entry.promised = objectFrom(rows.value(16));
        entry.sessionPath = rows.value(17).toString();
        result.append(entry);
    }
    return result;
}

// Sums of some groups that stand in for those of the table; without uses: the group is left out.
using Instead = QHash<QStringList, SkillTally>;

// Rows of groups in order of their keys become one row for all kinds of time.
QList<SkillStatistics> statisticsFrom(QSqlQuery &rows, const Instead &instead = {})
{
    QList<SkillStatistics> result;
    while (rows.next()) {
        const QString skill = rows.value(0).toString(), architecture = rows.value(1).toString();
        const QString bottleneck = rows.value(2).toString(), structure = rows.value(3).toString();
        const QString kind = rows.value(4).toString();
        SkillTally tally{rows.value(5).toInt(), rows.value(6).toInt(), rows.value(7).toInt(), rows.value(8).toDouble(),
                         rows.value(9).toDouble()};
        if (!instead.isEmpty()) {
            const auto other = instead.constFind({skill, architecture, bottleneck, structure, kind});
            if (other != instead.constEnd()) tally = *other;
            if (tally.uses == 0) continue;
        }
        const bool goesOn = !result.isEmpty() && result.last().skill == skill &&
                            result.last().architecture == architecture && result.last().bottleneck == bottleneck &&
                            result.last().structure == structure;
        if (!goesOn) result.append({skill, architecture, bottleneck, structure});
        SkillStatistics &row = result.last();
        row.uses += tally.uses;
        row.wins += tally.wins;
        row.losses += tally.losses;
        row.sumLogSpeedup += tally.sumLogSpeedup;
        row.sumSquaredLogSpeedup += tally.sumSquaredLogSpeedup;
        if (kind == QLatin1String("measured")) row.measured += tally;
        if (kind == QLatin1String("modelled")) row.modelled += tally;
    }
    return result;
}

// A win: verified and the whole interval above 1. A loss: it failed a check, or the whole interval below 1. The rest
// made no difference that could be told. The same rule stands in SQL in skill_store_schema.cpp and below.
SkillTally tallyOf(const LedgerEntry &entry)
{
    const bool verified = entry.verdict == QLatin1String("verified");
    const bool failed = !verified && entry.verdict != QLatin1String("unproven");
    const bool slower = entry.interval.high > 0 && entry.interval.high < 1;
    return {1, verified && entry.interval.low > 1 ? 1 : 0, failed || slower ? 1 : 0, entry.logSpeedup,
            entry.logSpeedup * entry.logSpeedup};
}

// Prepared once for a batch.
struct Recorder
{
    QSqlQuery ledger, sums, taskSums, skillSums, session;

    explicit Recorder(const QSqlDatabase &db) : ledger(db), sums(db), taskSums(db), skillSums(db), session(db) {}
    bool prepare();
    bool record(const LedgerEntry &entry);
    [[nodiscard]] Error error() const
    {
        for (const QSqlQuery *query : {&ledger, &sums, &taskSums, &skillSums, &session}) {
            if (query->lastError().isValid()) return sql::error(query->lastError());
        }
        return {};
    }
};

bool Recorder::prepare()
{
    const QString sum = QStringLiteral(
        "INSERT INTO %1(%2, uses, wins, losses, sum, sum_squared) VALUES(%3, ?,?,?,?,?) ON CONFLICT DO UPDATE SET "
        "uses = uses + excluded.uses, wins = wins + excluded.wins, losses = losses + excluded.losses, "
        "sum = sum + excluded.sum, sum_squared = sum_squared + excluded.sum_squared");
    return ledger.prepare(QStringLiteral(
               "INSERT INTO ledger(session, node, task, skill, revision, method, architecture, bottleneck, structure, "
               "verdict, log_speedup, low, high, observed, when_ms, kind, promised) "
               "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(session, node) DO NOTHING")) &&
           sums.prepare(sum.arg(QStringLiteral("sums"), groupKeys, QStringLiteral("?,?,?,?,?"))) &&
           taskSums.prepare(sum.arg(QStringLiteral("task_sums"), groupKeys + QStringLiteral(", task"),
                                    QStringLiteral("?,?,?,?,?,?"))) &&
           skillSums.prepare(
               sum.arg(QStringLiteral("skill_sums"), QStringLiteral("skill, kind"), QStringLiteral("?,?"))) &&
           session.prepare(QStringLiteral("INSERT INTO sessions(id, path) VALUES(?, ?) ON CONFLICT(id) DO UPDATE SET "
                                          "path = excluded.path WHERE path <> excluded.path"));
}

bool run(QSqlQuery &query, const QVariantList &values)
{
    for (int i = 0; i < values.size(); ++i) {
        const QVariant &value = values[i];
        const bool emptyText = value.typeId() == QMetaType::QString && value.toString().isNull();
        query.bindValue(i, emptyText ? QVariant(QStringLiteral("")) : value);
    }
    return query.exec();
}

bool Recorder::record(const LedgerEntry &entry)
{
    if (!entry.sessionPath.isEmpty() && !run(session, {entry.session, entry.sessionPath})) return false;
    const bool done = run(ledger, {entry.session, entry.node, entry.task, entry.skill, entry.revision, entry.method,
                                   entry.architecture, entry.bottleneck, entry.structure, entry.verdict,
                                   entry.logSpeedup, entry.interval.low, entry.interval.high, compact(entry.observed),
                                   entry.when.isValid() ? entry.when.toMSecsSinceEpoch() : now_ms(), entry.kind,
                                   compact(entry.promised)});
    if (!done) return false;
    if (ledger.numRowsAffected() == 0) return true; // recorded before
    const SkillTally tally = tallyOf(entry);
    const QVariantList keys{entry.skill, entry.architecture, entry.bottleneck, entry.structure, entry.kind};
    const QVariantList values{tally.uses, tally.wins, tally.losses, tally.sumLogSpeedup, tally.sumSquaredLogSpeedup};
    return run(sums, keys + values) && run(taskSums, keys + QVariantList{entry.task} + values) &&
           run(skillSums, QVariantList{entry.skill, entry.kind} + values);
}

} // namespace

Result<void> SkillStore::record(const LedgerEntry &entry)
{
    return record(QList<LedgerEntry>{entry});
}

Result<void> SkillStore::record(const QList<LedgerEntry> &entries)
{
    auto db = m_impl->writable();
    if (!db) return std::unexpected(db.error());
    auto transaction = m_impl->begin(*db);
    if (!transaction) return std::unexpected(transaction.error());
    {
        Recorder recorder(*db);
        bool good = recorder.prepare();
        for (qsizetype i = 0; good && i < entries.size(); ++i)
            good = recorder.record(entries[i]);
        if (!good) return m_impl->trouble(recorder.error());
    }
    return m_impl->commit(**transaction);
}

Result<QList<LedgerEntry>> SkillStore::ledger(const QString &skill) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto rows = sql::run(*db,
                         QStringLiteral("SELECT ") + entryColumns +
                             QStringLiteral("WHERE l.skill = ? ORDER BY l.when_ms, l.session, l.node"),
                         {skill});
    if (!rows) return m_impl->trouble(rows.error());
    return entriesFrom(*rows);
}

Result<QList<LedgerEntry>> SkillStore::ledgerOfSession(const QString &session, std::optional<int> node) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    QVariantList values{session};
    if (node) values.append(*node);
    auto rows = sql::run(*db,
                         QStringLiteral("SELECT ") + entryColumns + QStringLiteral("WHERE l.session = ? ") +
                             (node ? QStringLiteral("AND l.node = ? ") : QString()) + QStringLiteral("ORDER BY l.node"),
                         values);
    if (!rows) return m_impl->trouble(rows.error());
    return entriesFrom(*rows);
}

Result<qint64> SkillStore::frozenAt(bool renew) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    const QString lastRow = QStringLiteral("SELECT last_row FROM frozen");
    auto row = sql::value(*db, lastRow);
    if (!row) return m_impl->trouble(row.error());
    if (row->isValid() && !renew) return row->toLongLong();
    if (auto allowed = m_impl->writable(); !allowed) {
        // What cannot be written stands still by itself: everything in it is what was frozen.
        if (renew) return std::unexpected(allowed.error());
        auto all = sql::value(*db, QStringLiteral("SELECT coalesce(max(id), 0) FROM ledger"));
        if (!all) return m_impl->trouble(all.error());
        return all->toLongLong();
    }
    auto transaction = m_impl->begin(*db);
    if (!transaction) return std::unexpected(transaction.error());
    // Read again inside the write lock: another process may have frozen it meanwhile.
    row = sql::value(*db, lastRow);
    if (!row) return m_impl->trouble(row.error());
    if (row->isValid() && !renew) return row->toLongLong();
    auto frozen = sql::run(
        *db, QStringLiteral("INSERT OR REPLACE INTO frozen SELECT 1, coalesce(max(id), 0), ? FROM ledger"), {now_ms()});
    if (!frozen) return m_impl->trouble(frozen.error());
    for (const char *table : {"sums", "task_sums"}) {
        for (const char *statement : {"DELETE FROM frozen_%1", "INSERT INTO frozen_%1 SELECT * FROM %1"}) {
            auto done = sql::run(*db, QString::fromLatin1(statement).arg(QLatin1String(table)));
            if (!done) return m_impl->trouble(done.error());
        }
    }
    row = sql::value(*db, lastRow);
    if (!row) return m_impl->trouble(row.error());
    if (auto done = m_impl->commit(**transaction); !done) return std::unexpected(done.error());
    return row->toLongLong();
}

namespace {

enum class Sums { Live, Frozen, None };

Result<Sums> sumsFor(const QSqlDatabase &db, std::optional<qint64> upToRow)
{
    if (!upToRow) return Sums::Live;
    auto frozen = sql::value(db, QStringLiteral("SELECT last_row FROM frozen"));
    if (!frozen) return std::unexpected(frozen.error());
    if (frozen->isValid() && frozen->toLongLong() == *upToRow) return Sums::Frozen;
    auto last = sql::value(db, QStringLiteral("SELECT coalesce(max(id), 0) FROM ledger"));
    if (!last) return std::unexpected(last.error());
    return last->toLongLong() <= *upToRow ? Sums::Live : Sums::None;
}

// The groups that the task has rows in, added up without those. CROSS JOIN keeps SQLite to this order: groups of the
// task by index, then the group's rows by key.
Result<Instead> sumsWithout(const QSqlDatabase &db, const QString &prefix, const QString &task)
{
    Instead result;
    if (task.isEmpty()) return result;
    auto rows = sql::run(
        db,
        QStringLiteral("SELECT g.skill, g.architecture, g.bottleneck, g.structure, g.kind, "
                       "sum(iif(t.task = g.task, 0, t.uses)), sum(iif(t.task = g.task, 0, t.wins)), "
                       "sum(iif(t.task = g.task, 0, t.losses)), sum(iif(t.task = g.task, 0, t.sum)), "
                       "sum(iif(t.task = g.task, 0, t.sum_squared)) FROM %1task_sums g CROSS JOIN %1task_sums t "
                       "ON t.skill = g.skill AND t.architecture = g.architecture AND t.bottleneck = g.bottleneck "
                       "AND t.structure = g.structure AND t.kind = g.kind WHERE g.task = ? "
                       "GROUP BY g.skill, g.architecture, g.bottleneck, g.structure, g.kind")
            .arg(prefix),
        {task});
    if (!rows) return std::unexpected(rows.error());
    while (rows->next()) {
        result.insert({rows->value(0).toString(), rows->value(1).toString(), rows->value(2).toString(),
                       rows->value(3).toString(), rows->value(4).toString()},
                      {rows->value(5).toInt(), rows->value(6).toInt(), rows->value(7).toInt(),
                       rows->value(8).toDouble(), rows->value(9).toDouble()});
    }
    return result;
}

// Any other row than the frozen one: from the ledger itself, which takes as long as it is.
Result<QSqlQuery> readLedger(const QSqlDatabase &db, const QString &withoutTask, qint64 upToRow)
{
    return sql::run(db,
                    QStringLiteral("SELECT %1, count(*), sum(verdict = 'verified' AND low > 1), "
                                   "sum(verdict NOT IN ('verified', 'unproven') OR (high > 0 AND high < 1)), "
                                   "sum(log_speedup), sum(log_speedup * log_speedup) FROM ledger "
                                   "WHERE (? = '' OR task <> ?) AND id <= ? GROUP BY %1 ORDER BY %1")
                        .arg(groupKeys),
                    {withoutTask, withoutTask, upToRow});
}

} // namespace

Result<QList<SkillStatistics>> SkillStore::statistics(const QString &withoutTask, std::optional<qint64> upToRow) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto source = sumsFor(*db, upToRow);
    if (!source) return m_impl->trouble(source.error());
    if (*source == Sums::None) {
        auto rows = readLedger(*db, withoutTask, *upToRow);
        if (!rows) return m_impl->trouble(rows.error());
        return statisticsFrom(*rows);
    }
    const QString prefix = *source == Sums::Frozen ? QStringLiteral("frozen_") : QString();
    auto instead = sumsWithout(*db, prefix, withoutTask);
    if (!instead) return m_impl->trouble(instead.error());
    auto rows = sql::run(*db, QStringLiteral("SELECT %1, uses, wins, losses, sum, sum_squared FROM %2sums ORDER BY %1")
                                  .arg(groupKeys, prefix));
    if (!rows) return m_impl->trouble(rows.error());
    return statisticsFrom(*rows, *instead);
}

Result<QList<SkillStatistics>> SkillStore::statisticsBySkill() const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto rows = sql::run(*db, QStringLiteral("SELECT skill, '', '', '', kind, uses, wins, losses, sum, sum_squared "
                                             "FROM skill_sums ORDER BY skill, kind"));
    if (!rows) return m_impl->trouble(rows.error());
    return statisticsFrom(*rows);
}

// One look into the index for each skill, so that a ledger of a million rows is not walked.
Result<QHash<QString, QDateTime>> SkillStore::lastUses() const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto rows = sql::run(*db, QStringLiteral("SELECT skill, (SELECT max(when_ms) FROM ledger WHERE ledger.skill = "
                                             "used.skill) FROM (SELECT DISTINCT skill FROM skill_sums) AS used"));
    if (!rows) return m_impl->trouble(rows.error());
    QHash<QString, QDateTime> result;
    while (rows->next())
        result.insert(rows->value(0).toString(),
                      QDateTime::fromMSecsSinceEpoch(rows->value(1).toLongLong(), QTimeZone::UTC));
    return result;
}

} // namespace kernelskill
