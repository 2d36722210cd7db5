// SPDX-License-Identifier: Apache-2.0
#include "memory/longterm/skill_store.h"

#include "base/sql_connections.h"
#include "memory/longterm/skill_reader.h"
#include "memory/longterm/skill_store_schema.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QLoggingCategory>
#include <QTimeZone>
#include <QUuid>

#include <limits>

namespace kernelskill {

namespace {

Q_LOGGING_CATEGORY(logMemory, "kernelskill.memory")

// Who wrote a revision that came with the program or from an imported folder.
const QString shippedAuthor = QStringLiteral("kernelskill");

QByteArray digestOf(const QString &text)
{
    return QCryptographicHash::hash(text.toUtf8(), QCryptographicHash::Sha256).toHex();
}

qint64 now_ms()
{
    return QDateTime::currentMSecsSinceEpoch();
}

Error explain(const Error &error, const QString &path)
{
    return {QStringLiteral("memory.database"),
            QStringLiteral("%1: the skill memory cannot be used (%2); move the file away to start with an empty one")
                .arg(path, error.message),
            error.code};
}

Result<Skill> skillFromRow(const QSqlQuery &row)
{
    // Columns: text, source, revision, state, state_reason
    auto skill = parseSkillText(row.value(0).toString(), row.value(1).toString());
    if (!skill) return skill;
    skill->revision = row.value(2).toInt();
    skill->state = skillStateFromString(row.value(3).toString());
    skill->stateReason = row.value(4).toString();
    return skill;
}

const QString selectSkill = QStringLiteral("SELECT r.text, s.source, r.revision, s.state, s.state_reason FROM skills s "
                                           "JOIN revisions r ON r.skill = s.name AND r.revision = s.revision ");

} // namespace

struct SkillStore::Impl
{
    Impl(const QString &path, const QString &options, QStringList pragmas)
        : path(path), connections(path, options, std::move(pragmas))
    {
    }
    [[nodiscard]] Result<QSqlDatabase> database() const
    {
        auto here = connections.here();
        if (!here) return std::unexpected(explain(here.error(), path));
        return here;
    }
    [[nodiscard]] std::unexpected<Error> trouble(const Error &error) const
    {
        return std::unexpected(explain(error, path));
    }
    [[nodiscard]] Result<void> takeIn(const QString &skillsFolder);
    [[nodiscard]] Result<void> takeInOne(const QSqlDatabase &db, const Skill &skill);
    [[nodiscard]] Result<int> addRevision(const QSqlDatabase &db, const QString &name, const QString &text,
                                          const QString &reason, const QString &author);

    QString path;
    SqlConnections connections;
};

SkillStore::SkillStore(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
SkillStore::SkillStore(SkillStore &&) noexcept = default;
SkillStore &SkillStore::operator=(SkillStore &&) noexcept = default;
SkillStore::~SkillStore() = default;

Result<SkillStore> SkillStore::open(const QString &path, const QString &skillsFolder)
{
    // A memory that lives in no file still needs one database for all threads: SQLite's shared cache gives it.
    const bool inMemory = path == QLatin1String(":memory:");
    const QString name =
        inMemory
            ? QStringLiteral("file:skills-%1?mode=memory&cache=shared").arg(QUuid::createUuid().toString(QUuid::Id128))
            : path;
    if (!inMemory && !QDir().mkpath(QFileInfo(path).absolutePath())) {
        return failure("memory.database", QStringLiteral("%1: its folder cannot be made").arg(path));
    }
    auto impl = std::make_unique<Impl>(
        name,
        QStringLiteral("QSQLITE_BUSY_TIMEOUT=10000") + (inMemory ? QStringLiteral(";QSQLITE_OPEN_URI") : QString()),
        QStringList{QStringLiteral("PRAGMA journal_mode=WAL"), QStringLiteral("PRAGMA synchronous=NORMAL"),
                    QStringLiteral("PRAGMA foreign_keys=ON")});
    auto database = impl->database();
    if (!database) return std::unexpected(database.error());
    if (auto migrated = migrateSkillStore(*database); !migrated) {
        if (migrated.error().code.startsWith(u"memory.")) {
            Error error = migrated.error();
            error.message = path + QStringLiteral(": ") + error.message;
            return std::unexpected(error);
        }
        return impl->trouble(migrated.error());
    }
    if (auto taken = impl->takeIn(skillsFolder); !taken) return std::unexpected(taken.error());
    return SkillStore(std::move(impl));
}

Result<int> SkillStore::Impl::addRevision(const QSqlDatabase &db, const QString &name, const QString &text,
                                          const QString &reason, const QString &author)
{
    auto latest =
        sql::value(db, QStringLiteral("SELECT coalesce(max(revision), 0) FROM revisions WHERE skill = ?"), {name});
    if (!latest) return trouble(latest.error());
    const int revision = latest->toInt() + 1;
    auto added = sql::run(db,
                          QStringLiteral("INSERT INTO revisions(skill, revision, author, reason, text, when_ms) "
                                         "VALUES(?, ?, ?, ?, ?, ?)"),
                          {name, revision, author, reason, text, now_ms()});
    if (!added) return trouble(added.error());
    auto pointed = sql::run(db, QStringLiteral("UPDATE skills SET revision = ? WHERE name = ?"), {revision, name});
    if (!pointed) return trouble(pointed.error());
    return revision;
}

Result<void> SkillStore::Impl::takeInOne(const QSqlDatabase &db, const Skill &skill)
{
    const QString text = writeSkillText(skill);
    const QString digest = QString::fromLatin1(digestOf(text));
    auto row = sql::run(db,
                        QStringLiteral("SELECT s.disk_digest, r.author FROM skills s JOIN revisions r "
                                       "ON r.skill = s.name AND r.revision = s.revision WHERE s.name = ?"),
                        {skill.name});
    if (!row) return trouble(row.error());
    const bool known = row->next();
    if (known && row->value(0).toString() == digest) return {};
    const bool persons = known && row->value(1).toString() != shippedAuthor;
    row->finish();
    auto stored =
        known ? sql::run(db, QStringLiteral("UPDATE skills SET disk_digest = ?, source = ? WHERE name = ?"),
                         {digest, skill.source, skill.name})
              : sql::run(db,
                         QStringLiteral("INSERT INTO skills(name, revision, state, state_reason, source, disk_digest) "
                                        "VALUES(?, 0, 'active', '', ?, ?)"),
                         {skill.name, skill.source, digest});
    if (!stored) return trouble(stored.error());
    if (persons) {
        qCInfo(logMemory).noquote() << skill.source << "changed on disk; the revision a person made stays in use";
        return {};
    }
    auto revision = addRevision(db, skill.name, text,
                                known ? QStringLiteral("changed on disk") : QStringLiteral("shipped"), shippedAuthor);
    if (!revision) return std::unexpected(revision.error());
    return {};
}

Result<void> SkillStore::Impl::takeIn(const QString &skillsFolder)
{
    if (skillsFolder.isEmpty()) return {};
    auto db = database();
    if (!db) return std::unexpected(db.error());
    sql::Transaction transaction(*db);
    if (auto begun = transaction.begin(); !begun) return trouble(begun.error());
    const QDir folder(skillsFolder);
    for (const QString &name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
        if (!QFileInfo::exists(folder.filePath(name + QStringLiteral("/SKILL.md")))) continue;
        auto skill = readSkill(folder.filePath(name));
        if (!skill) {
            // One broken skill must not take the others away.
            qCWarning(logMemory).noquote() << skill.error().message;
            continue;
        }
        if (auto taken = takeInOne(*db, *skill); !taken) return taken;
    }
    if (auto done = transaction.commit(); !done) return trouble(done.error());
    return {};
}

Result<QList<Skill>> SkillStore::skills() const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto rows = sql::run(*db, selectSkill + QStringLiteral("ORDER BY s.name"));
    if (!rows) return m_impl->trouble(rows.error());
    QList<Skill> result;
    while (rows->next()) {
        auto skill = skillFromRow(*rows);
        if (!skill) return std::unexpected(skill.error());
        result.append(*skill);
    }
    return result;
}

Result<std::optional<Skill>> SkillStore::skill(const QString &name) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto row = sql::run(*db, selectSkill + QStringLiteral("WHERE s.name = ?"), {name});
    if (!row) return m_impl->trouble(row.error());
    if (!row->next()) return std::optional<Skill>();
    auto skill = skillFromRow(*row);
    if (!skill) return std::unexpected(skill.error());
    return std::optional<Skill>(*skill);
}

Result<QList<SkillRevision>> SkillStore::history(const QString &name) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto rows = sql::run(*db,
                         QStringLiteral("SELECT revision, author, reason, text, when_ms FROM revisions WHERE skill = ? "
                                        "ORDER BY revision"),
                         {name});
    if (!rows) return m_impl->trouble(rows.error());
    QList<SkillRevision> result;
    while (rows->next()) {
        result.append({rows->value(0).toInt(), rows->value(1).toString(), rows->value(2).toString(),
                       rows->value(3).toString(),
                       QDateTime::fromMSecsSinceEpoch(rows->value(4).toLongLong(), QTimeZone::UTC)});
    }
    return result;
}

Result<void> SkillStore::setState(const QString &name, SkillState state, const QString &reason, const QString &author)
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    sql::Transaction transaction(*db);
    if (auto begun = transaction.begin(); !begun) return m_impl->trouble(begun.error());
    auto changed = sql::run(*db, QStringLiteral("UPDATE skills SET state = ?, state_reason = ? WHERE name = ?"),
                            {toString(state), reason, name});
    if (!changed) return m_impl->trouble(changed.error());
    if (changed->numRowsAffected() != 1) {
        return failure("memory.no_skill",
                       QStringLiteral("there is no skill '%1'; `kernelskill skills list` names them").arg(name));
    }
    auto noted = sql::run(
        *db, QStringLiteral("INSERT INTO state_changes(skill, state, reason, author, when_ms) VALUES(?, ?, ?, ?, ?)"),
        {name, toString(state), reason, author, now_ms()});
    if (!noted) return m_impl->trouble(noted.error());
    if (auto done = transaction.commit(); !done) return m_impl->trouble(done.error());
    return {};
}

Result<Skill> SkillStore::edit(const QString &name, const QString &text, const QString &reason, const QString &author)
{
    auto parsed = parseSkillText(text, name + QStringLiteral("/SKILL.md"));
    if (!parsed) return parsed;
    if (parsed->name != name) {
        return failure("skill.syntax",
                       QStringLiteral("the text names the skill '%1', not '%2'").arg(parsed->name, name));
    }
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    sql::Transaction transaction(*db);
    if (auto begun = transaction.begin(); !begun) return m_impl->trouble(begun.error());
    // A name nobody knew yet becomes a draft: it is not offered before a person accepts it.
    auto made = sql::run(*db,
                         QStringLiteral("INSERT INTO skills(name, revision, state, state_reason, source, disk_digest) "
                                        "VALUES(?, 0, 'draft', ?, '', '') ON CONFLICT(name) DO NOTHING"),
                         {name, reason});
    if (!made) return m_impl->trouble(made.error());
    auto revision = m_impl->addRevision(*db, name, text, reason, author.isEmpty() ? QStringLiteral("person") : author);
    if (!revision) return std::unexpected(revision.error());
    if (auto done = transaction.commit(); !done) return m_impl->trouble(done.error());
    auto stored = skill(name);
    if (!stored) return std::unexpected(stored.error());
    return **stored;
}

Result<void> SkillStore::record(const LedgerEntry &entry)
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto added = sql::run(
        *db,
        QStringLiteral(
            "INSERT INTO ledger(session, node, task, skill, revision, method, architecture, bottleneck, structure, "
            "verdict, log_speedup, low, high, observed, when_ms) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) "
            "ON CONFLICT(session, node) DO NOTHING"),
        {entry.session, entry.node, entry.task, entry.skill, entry.revision, entry.method, entry.architecture,
         entry.bottleneck, entry.structure, entry.verdict, entry.logSpeedup, entry.interval.low, entry.interval.high,
         QString::fromUtf8(QJsonDocument(entry.observed).toJson(QJsonDocument::Compact)),
         entry.when.isValid() ? entry.when.toMSecsSinceEpoch() : now_ms()});
    if (!added) return m_impl->trouble(added.error());
    return {};
}

Result<QList<LedgerEntry>> SkillStore::ledger(const QString &skill) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto rows = sql::run(
        *db,
        QStringLiteral("SELECT session, node, task, skill, revision, method, architecture, bottleneck, structure, "
                       "verdict, log_speedup, low, high, observed, when_ms FROM ledger WHERE skill = ? "
                       "ORDER BY when_ms, session, node"),
        {skill});
    if (!rows) return m_impl->trouble(rows.error());
    QList<LedgerEntry> result;
    while (rows->next()) {
        LedgerEntry entry;
        entry.session = rows->value(0).toString();
        entry.node = rows->value(1).toInt();
        entry.task = rows->value(2).toString();
        entry.skill = rows->value(3).toString();
        entry.revision = rows->value(4).toInt();
        entry.method = rows->value(5).toString();
        entry.architecture = rows->value(6).toString();
        entry.bottleneck = rows->value(7).toString();
        entry.structure = rows->value(8).toString();
        entry.verdict = rows->value(9).toString();
        entry.logSpeedup = rows->value(10).toDouble();
        entry.interval = {rows->value(11).toDouble(), rows->value(12).toDouble()};
        entry.observed = QJsonDocument::fromJson(rows->value(13).toString().toUtf8()).object();
        entry.when = QDateTime::fromMSecsSinceEpoch(rows->value(14).toLongLong(), QTimeZone::UTC);
        result.append(entry);
    }
    return result;
}

Result<qint64> SkillStore::frozenAt(bool renew) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    const QString insert = QStringLiteral("INSERT OR %1 INTO frozen SELECT 1, coalesce(max(rowid), 0), ? FROM ledger")
                               .arg(renew ? QStringLiteral("REPLACE") : QStringLiteral("IGNORE"));
    if (auto done = sql::run(*db, insert, {QDateTime::currentMSecsSinceEpoch()}); !done)
        return m_impl->trouble(done.error());
    auto row = sql::value(*db, QStringLiteral("SELECT last_row FROM frozen"));
    if (!row) return m_impl->trouble(row.error());
    return row->toLongLong();
}

Result<QList<SkillStatistics>> SkillStore::statistics(const QString &withoutTask, std::optional<qint64> upToRow) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    // A win: verified and the whole interval above 1. A loss: it failed a check, or the whole interval below 1. The
    // rest made no difference that could be told.
    auto rows = sql::run(
        *db,
        QStringLiteral(
            "SELECT skill, architecture, bottleneck, structure, count(*), "
            "sum(verdict = 'verified' AND low > 1), "
            "sum(verdict NOT IN ('verified', 'unproven') OR (high > 0 AND high < 1)), "
            "sum(log_speedup), sum(log_speedup * log_speedup) FROM ledger WHERE (? = '' OR task <> ?) AND rowid <= ? "
            "GROUP BY skill, architecture, bottleneck, structure ORDER BY skill, architecture, bottleneck, structure"),
        {withoutTask, withoutTask, upToRow.value_or(std::numeric_limits<qint64>::max())});
    if (!rows) return m_impl->trouble(rows.error());
    QList<SkillStatistics> result;
    while (rows->next()) {
        result.append({rows->value(0).toString(), rows->value(1).toString(), rows->value(2).toString(),
                       rows->value(3).toString(), rows->value(4).toInt(), rows->value(5).toInt(),
                       rows->value(6).toInt(), rows->value(7).toDouble(), rows->value(8).toDouble()});
    }
    return result;
}

} // namespace kernelskill
