// SPDX-License-Identifier: Apache-2.0
// Opening memory.db and reading skills from it.
#include "memory/longterm/skill_store_impl.h"

#include "memory/longterm/skill_reader.h"
#include "memory/longterm/skill_store_schema.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTimeZone>
#include <QUuid>

#include <unistd.h>

namespace kernelskill {

namespace {

Error explain(const Error &error, const QString &path)
{
    switch (sql::primaryCode(error)) {
    case sql::Damaged:
    case sql::NotADatabase:
        return {
            QStringLiteral("memory.damaged"),
            QStringLiteral("%1: this is no skill memory, or a damaged one (%2); it is left as it is: move it away to "
                           "start with an empty one, or choose another file with --memory")
                .arg(path, error.message),
            error.code};
    case sql::Busy:
        return {QStringLiteral("memory.busy"),
                QStringLiteral("%1: another program has been writing to the skill memory for more than 10 s; try again")
                    .arg(path),
                error.code};
    case sql::Full:
        return {QStringLiteral("memory.full"),
                QStringLiteral("%1: the disk is full, so nothing was changed; make room and try again").arg(path),
                error.code};
    default:
        return {
            QStringLiteral("memory.database"),
            QStringLiteral("%1: the skill memory cannot be used (%2); choose another file with --memory, or move it "
                           "away to start with an empty one")
                .arg(path, error.message),
            error.code};
    }
}

const QString selectStored =
    QStringLiteral("SELECT s.name, s.source, s.state_reason, r.author, s.disk_digest, s.revision, s.state, r.reader, "
                   "r.reading, c.bytes FROM skills s JOIN revisions r ON r.skill = s.name AND r.revision = s.revision "
                   "JOIN contents c ON c.digest = r.content ");

StoredSkill storedFromRow(const QSqlQuery &row)
{
    StoredSkill result;
    result.name = row.value(0).toString();
    result.source = row.value(1).toString();
    result.stateReason = row.value(2).toString();
    result.author = row.value(3).toString();
    result.diskDigest = row.value(4).toString();
    result.revision = row.value(5).toInt();
    result.state = skillStateFromString(row.value(6).toString());
    result.readerVersion = row.value(7).toInt();
    result.reading = row.value(8).toByteArray();
    result.text = row.value(9).toByteArray();
    return result;
}

Result<Skill> parse(const StoredSkill &row, bool withText = true)
{
    std::optional<Skill> skill;
    if (row.readerVersion == skillReaderVersion) {
        QString text = decodeSkillText(row.text);
        const QString kept = withText ? text : QString();
        skill = unpackReading(row.reading, std::move(text));
        if (skill) skill->text = kept;
    }
    if (!skill) {
        auto parsed =
            parseSkillText(decodeSkillText(row.text),
                           row.source.isEmpty() ? row.name + QStringLiteral("/SKILL.md") : row.source, row.name);
        if (!parsed) return parsed;
        skill = std::move(*parsed);
        if (!withText) skill->text.clear();
    }
    skill->name = row.name;
    skill->source = row.source;
    skill->revision = row.revision;
    skill->state = row.state;
    skill->stateReason = row.stateReason;
    return std::move(*skill);
}

// What a database on a medium that cannot be written looks like to a program: a copy in the temporary folder, which may
// be migrated and take in the skills that ship. The log beside it holds commits that are not in the file yet.
Result<QString> copyOf(const QString &path, const QTemporaryDir &folder)
{
    const QString target = folder.filePath(QStringLiteral("memory.db"));
    const QString log = path + QStringLiteral("-wal");
    for (const auto &[from, to] : {std::pair{path, target}, std::pair{log, target + QStringLiteral("-wal")}}) {
        if (!QFile::exists(from)) continue; // no file yet: an empty memory
        QFile file(from);
        if (!file.copy(to)) {
            return failure(
                "memory.database",
                QStringLiteral("%1: cannot be read or copied to %2 (%3)").arg(from, folder.path(), file.errorString()));
        }
        QFile::setPermissions(to, QFile::ReadOwner | QFile::WriteOwner);
    }
    return target;
}

bool canWrite(const QString &path)
{
    const QByteArray file = QFile::encodeName(path);
    const QByteArray folder = QFile::encodeName(QFileInfo(path).absolutePath());
    const bool fileAllows = !QFileInfo::exists(path) || ::access(file.constData(), W_OK) == 0;
    return fileAllows && ::access(folder.constData(), W_OK) == 0;
}

} // namespace

qint64 now_ms()
{
    return QDateTime::currentMSecsSinceEpoch();
}

QString contentDigest(const QByteArray &bytes)
{
    return QString::fromLatin1(QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex());
}

Result<QSqlDatabase> SkillStore::Impl::database() const
{
    auto here = connections.here();
    if (!here) return trouble(here.error());
    return here;
}

Result<QSqlDatabase> SkillStore::Impl::writable() const
{
    if (readOnly) {
        return failure(
            "memory.read_only",
            QStringLiteral("%1: the skill memory cannot be written, so nothing was changed; make the file and "
                           "its folder writable, or choose another file with --memory")
                .arg(path));
    }
    return database();
}

std::unexpected<Error> SkillStore::Impl::trouble(const Error &error) const
{
    return std::unexpected(error.code.startsWith(QStringLiteral("sql.")) ? explain(error, path) : error);
}

Result<std::unique_ptr<sql::Transaction>> SkillStore::Impl::begin(const QSqlDatabase &db) const
{
    auto transaction = std::make_unique<sql::Transaction>(db);
    if (auto begun = transaction->begin(); !begun) return trouble(begun.error());
    return transaction;
}

Result<void> SkillStore::Impl::commit(sql::Transaction &transaction) const
{
    if (auto done = transaction.commit(); !done) return trouble(done.error());
    return {};
}

SkillStore::SkillStore(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
SkillStore::SkillStore(SkillStore &&) noexcept = default;
SkillStore &SkillStore::operator=(SkillStore &&) noexcept = default;
SkillStore::~SkillStore() = default;

Result<SkillStore> SkillStore::open(const QString &path, const QString &skillsFolder, Access access)
{
    // A memory that lives in no file still needs one database for all threads: SQLite's shared cache gives it.
    const bool inMemory = path == QLatin1String(":memory:");
    QString name = path;
    std::unique_ptr<QTemporaryDir> copy;
    if (inMemory) {
        name =
            QStringLiteral("file:skills-%1?mode=memory&cache=shared").arg(QUuid::createUuid().toString(QUuid::Id128));
    } else if (QFileInfo(path).isDir()) {
        return failure("memory.database", QStringLiteral("%1: this is a folder; --memory takes a file").arg(path));
    } else if (access == Access::ReadWrite && !QDir().mkpath(QFileInfo(path).absolutePath())) {
        return failure("memory.database", QStringLiteral("%1: its folder cannot be made").arg(path));
    } else if (access == Access::ReadOnly || !canWrite(path)) {
        copy = std::make_unique<QTemporaryDir>();
        if (!copy->isValid()) return failure("memory.database", path + QStringLiteral(": ") + copy->errorString());
        auto copied = copyOf(path, *copy);
        if (!copied) return std::unexpected(copied.error());
        name = *copied;
    }
    auto impl = std::make_unique<Impl>(
        path, name,
        QStringLiteral("QSQLITE_BUSY_TIMEOUT=10000") + (inMemory ? QStringLiteral(";QSQLITE_OPEN_URI") : QString()),
        QStringList{
            QStringLiteral("PRAGMA journal_mode=WAL"), QStringLiteral("PRAGMA synchronous=NORMAL"),
            QStringLiteral("PRAGMA foreign_keys=ON"), QStringLiteral("PRAGMA temp_store=MEMORY"),
            // A million ledger rows fill some 400 MB: the pages that batches write to and lists read stay in reach.
            QStringLiteral("PRAGMA cache_size=-65536"), QStringLiteral("PRAGMA mmap_size=268435456")});
    impl->readOnly = copy != nullptr;
    impl->copy = std::move(copy);
    auto database = impl->database();
    if (!database) return std::unexpected(database.error());
    if (auto migrated = migrateSkillStore(*database); !migrated) {
        if (!migrated.error().code.startsWith(u"memory.")) return impl->trouble(migrated.error());
        Error error = migrated.error();
        error.message = path + QStringLiteral(": ") + error.message;
        return std::unexpected(error);
    }
    if (auto taken = impl->takeIn(skillsFolder); !taken) return std::unexpected(taken.error());
    if (auto fresh = impl->refreshReadings(*database); !fresh) return std::unexpected(fresh.error());
    return SkillStore(std::move(impl));
}

bool SkillStore::isReadOnly() const
{
    return m_impl->readOnly;
}

Result<std::optional<StoredSkill>> SkillStore::Impl::stored(const QSqlDatabase &db, const QString &name) const
{
    auto row = sql::run(db, selectStored + QStringLiteral("WHERE s.name = ?"), {name});
    if (!row) return trouble(row.error());
    if (!row->next()) return std::optional<StoredSkill>();
    return std::optional(storedFromRow(*row));
}

Result<StoredSkill> SkillStore::Impl::known(const QSqlDatabase &db, const QString &name) const
{
    auto row = stored(db, name);
    if (!row) return std::unexpected(row.error());
    if (!*row) {
        return failure("memory.no_skill",
                       QStringLiteral("there is no skill '%1'; `kernelskill skills list` names them").arg(name));
    }
    return std::move(**row);
}

Result<std::optional<Skill>> SkillStore::Impl::served(const QSqlDatabase &db, const StoredSkill &row,
                                                      bool withText) const
{
    if (auto skill = parse(row, withText)) return std::optional(std::move(*skill));
    auto rows = sql::run(db,
                         QStringLiteral("SELECT r.revision, r.reader, r.reading, c.bytes FROM revisions r "
                                        "JOIN contents c ON c.digest = r.content WHERE r.skill = ? AND r.revision <> ? "
                                        "ORDER BY r.revision DESC"),
                         {row.name, row.revision});
    if (!rows) return trouble(rows.error());
    while (rows->next()) {
        StoredSkill older = row;
        older.revision = rows->value(0).toInt();
        older.readerVersion = rows->value(1).toInt();
        older.reading = rows->value(2).toByteArray();
        older.text = rows->value(3).toByteArray();
        if (auto skill = parse(older, withText)) return std::optional(std::move(*skill));
    }
    return std::optional<Skill>();
}

Result<QList<Skill>> SkillStore::skills() const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto rows = sql::run(*db, selectStored + QStringLiteral("ORDER BY s.name"));
    if (!rows) return m_impl->trouble(rows.error());
    QList<Skill> result;
    while (rows->next()) {
        auto skill = m_impl->served(*db, storedFromRow(*rows), false);
        if (!skill) return std::unexpected(skill.error());
        if (*skill) result.append(std::move(**skill));
    }
    return result;
}

Result<std::optional<Skill>> SkillStore::skill(const QString &name) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto row = m_impl->stored(*db, name);
    if (!row) return std::unexpected(row.error());
    if (!*row) return std::optional<Skill>();
    return m_impl->served(*db, **row);
}

Result<QList<SkillProblem>> SkillStore::problems() const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    QList<SkillProblem> result = m_impl->diskProblems;
    for (SkillProblem &problem : result) {
        auto row = m_impl->stored(*db, problem.skill);
        if (!row) return std::unexpected(row.error());
        if (*row) problem.servedRevision = (*row)->revision;
    }
    // Opening made readings of all that can be read.
    auto rows =
        sql::run(*db, selectStored + QStringLiteral("WHERE r.reader <> ? ORDER BY s.name"), {skillReaderVersion});
    if (!rows) return m_impl->trouble(rows.error());
    while (rows->next()) {
        const StoredSkill row = storedFromRow(*rows);
        if (parse(row)) continue;
        auto skill = m_impl->served(*db, row);
        if (!skill) return std::unexpected(skill.error());
        const QString place = QStringLiteral("%1@%2").arg(row.name).arg(row.revision);
        for (const SkillDiagnostic &diagnostic :
             examineSkillText(decodeSkillText(row.text), place, row.name).diagnostics) {
            if (diagnostic.severity == SkillDiagnostic::Severity::Error)
                result.append({row.name, row.revision, *skill ? (*skill)->revision : 0, diagnostic});
        }
    }
    return result;
}

Result<QList<SkillRevision>> SkillStore::history(const QString &name) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto rows = sql::run(*db,
                         QStringLiteral("SELECT r.revision, r.author, r.reason, c.bytes, r.when_ms, r.reader FROM "
                                        "revisions r JOIN contents c ON c.digest = r.content WHERE r.skill = ? "
                                        "ORDER BY r.revision"),
                         {name});
    if (!rows) return m_impl->trouble(rows.error());
    QList<SkillRevision> result;
    while (rows->next()) {
        SkillRevision revision{rows->value(0).toInt(),
                               rows->value(1).toString(),
                               rows->value(2).toString(),
                               decodeSkillText(rows->value(3).toByteArray()),
                               QDateTime::fromMSecsSinceEpoch(rows->value(4).toLongLong(), QTimeZone::UTC),
                               {}};
        if (rows->value(5).toInt() != skillReaderVersion) {
            const QString place = QStringLiteral("%1@%2").arg(name).arg(revision.revision);
            if (auto parsed = parseSkillText(revision.text, place, name); !parsed)
                revision.error = parsed.error().message;
        }
        result.append(revision);
    }
    return result;
}

Result<Skill> SkillStore::revision(const QString &name, int revision) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto row = m_impl->known(*db, name);
    if (!row) return std::unexpected(row.error());
    auto text = m_impl->text(*db, name, revision);
    if (!text) return std::unexpected(text.error());
    row->revision = revision;
    row->readerVersion = 0;
    row->text = *text;
    return parse(*row);
}

Result<QByteArray> SkillStore::Impl::text(const QSqlDatabase &db, const QString &name, int revision) const
{
    auto row = sql::run(db,
                        QStringLiteral("SELECT c.bytes FROM revisions r JOIN contents c ON c.digest = r.content "
                                       "WHERE r.skill = ? AND r.revision = ?"),
                        {name, revision});
    if (!row) return trouble(row.error());
    if (row->next()) return row->value(0).toByteArray();
    auto last = sql::value(db, QStringLiteral("SELECT max(revision) FROM revisions WHERE skill = ?"), {name});
    if (!last) return trouble(last.error());
    return failure(
        "memory.no_revision",
        QStringLiteral("skill '%1' has no revision %2; there are 1 to %3").arg(name).arg(revision).arg(last->toInt()));
}

Result<QByteArray> SkillStore::textOf(const QString &name, int revision) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    if (auto row = m_impl->known(*db, name); !row) return std::unexpected(row.error());
    return m_impl->text(*db, name, revision);
}

Result<QList<StoredFile>> SkillStore::Impl::files(const QSqlDatabase &db, const QString &name, int revision) const
{
    auto rows = sql::run(db,
                         QStringLiteral("SELECT path, content, executable FROM attachments WHERE skill = ? AND "
                                        "revision = ? ORDER BY path"),
                         {name, revision});
    if (!rows) return trouble(rows.error());
    QList<StoredFile> result;
    while (rows->next())
        result.append({rows->value(0).toString(), rows->value(1).toString(), rows->value(2).toBool()});
    return result;
}

Result<QList<SkillAttachment>> SkillStore::attachments(const QString &name, int revision) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    if (auto row = m_impl->known(*db, name); !row) return std::unexpected(row.error());
    auto rows = sql::run(*db,
                         QStringLiteral("SELECT a.path, c.bytes, a.executable FROM attachments a JOIN contents c ON "
                                        "c.digest = a.content WHERE a.skill = ? AND a.revision = ? ORDER BY a.path"),
                         {name, revision});
    if (!rows) return m_impl->trouble(rows.error());
    QList<SkillAttachment> result;
    while (rows->next())
        result.append({rows->value(0).toString(), rows->value(1).toByteArray(), rows->value(2).toBool()});
    return result;
}

Result<SkillRevisionDiff> SkillStore::diff(const QString &name, int from, int to) const
{
    SkillRevisionDiff result{from, to, {}, {}, {}, {}};
    QStringList texts;
    QList<QHash<QString, QString>> files; // path → digest and mode
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    for (const int revision : {from, to}) {
        auto text = textOf(name, revision);
        if (!text) return std::unexpected(text.error());
        texts.append(decodeSkillText(*text));
        auto stored = m_impl->files(*db, name, revision);
        if (!stored) return std::unexpected(stored.error());
        QHash<QString, QString> byPath;
        for (const StoredFile &file : *stored)
            byPath.insert(file.path, file.digest + (file.executable ? QStringLiteral("+x") : QString()));
        files.append(byPath);
    }
    result.text = diffLines(texts[0], texts[1]);
    for (auto file = files[0].cbegin(); file != files[0].cend(); ++file) {
        if (!files[1].contains(file.key()))
            result.removed.append(file.key());
        else if (files[1].value(file.key()) != file.value())
            result.changed.append(file.key());
    }
    for (auto file = files[1].cbegin(); file != files[1].cend(); ++file) {
        if (!files[0].contains(file.key())) result.added.append(file.key());
    }
    for (QStringList *list : {&result.added, &result.removed, &result.changed})
        list->sort();
    return result;
}

Result<QList<SkillStateChange>> SkillStore::stateHistory(const QString &name) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    auto rows = sql::run(*db,
                         QStringLiteral("SELECT state, state_reason, author, when_ms FROM changes WHERE skill = ? AND "
                                        "(previous_revision = 0 OR state <> previous_state OR "
                                        "state_reason <> previous_state_reason) ORDER BY id"),
                         {name});
    if (!rows) return m_impl->trouble(rows.error());
    QList<SkillStateChange> result;
    while (rows->next()) {
        result.append({skillStateFromString(rows->value(0).toString()), rows->value(1).toString(),
                       rows->value(2).toString(),
                       QDateTime::fromMSecsSinceEpoch(rows->value(3).toLongLong(), QTimeZone::UTC)});
    }
    return result;
}

Result<SkillState> SkillStore::stateBeforeRejection(const QString &name) const
{
    auto history = stateHistory(name);
    if (!history) return std::unexpected(history.error());
    if (history->isEmpty()) {
        return failure("memory.no_skill",
                       QStringLiteral("there is no skill '%1'; `kernelskill skills list` names them").arg(name));
    }
    SkillState before = SkillState::Active;
    for (const SkillStateChange &change : *history) {
        if (change.state != SkillState::Rejected) before = change.state;
    }
    return before;
}

} // namespace kernelskill
