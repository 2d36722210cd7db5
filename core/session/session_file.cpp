// SPDX-License-Identifier: Apache-2.0
#include "session/session_file.h"

#include "base/sql_connections.h"
#include "session/writer_lock.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QJsonDocument>
#include <QUuid>

#include <algorithm>

namespace kernelskill {

namespace {

constexpr int applicationId = 0x4b53'5345; // "KSSE"

QStringList schema()
{
    return {
        QStringLiteral("CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL)"),
        QStringLiteral(
            "CREATE TABLE events(sequence INTEGER PRIMARY KEY, kind TEXT NOT NULL, time_ms INTEGER NOT NULL, "
            "data TEXT NOT NULL)"),
        // Content is qCompress'ed: a big-endian length, then zlib.
        QStringLiteral("CREATE TABLE blobs(digest TEXT PRIMARY KEY, content BLOB NOT NULL)"),
        QStringLiteral("PRAGMA application_id = %1").arg(applicationId),
        QStringLiteral("PRAGMA user_version = %1").arg(sessionSchemaVersion),
    };
}

// A journal that holds pages: its writer was killed in the middle of a commit, or is at work now.
bool hasLiveJournal(const QString &path)
{
    return QFileInfo(path + QStringLiteral("-journal")).size() > 0;
}

bool canWriteTo(const QString &path)
{
    const QFileInfo file(path);
    return file.isWritable() && QFileInfo(file.absolutePath()).isWritable();
}

std::unexpected<Error> unfinished(const QString &path)
{
    return failure(
        "session.damaged",
        QStringLiteral("%1: its writer was interrupted in the middle of a commit, and that must be undone before "
                       "it can be read, but the place is read-only. Copy %2 and %2-journal together to a folder you "
                       "can write to and open it there; all but the interrupted step is in it")
            .arg(path, QFileInfo(path).fileName()));
}

} // namespace

struct SessionFile::Impl
{
    Impl(const QString &filePath, bool readOnlyFile)
        : path(filePath), readOnly(readOnlyFile),
          connections(filePath,
                      QStringLiteral("QSQLITE_BUSY_TIMEOUT=10000") +
                          (readOnlyFile ? QStringLiteral(";QSQLITE_OPEN_READONLY") : QString()),
                      readOnlyFile ? QStringList{}
                                   : QStringList{QStringLiteral("PRAGMA journal_mode=TRUNCATE"),
                                                 QStringLiteral("PRAGMA synchronous=FULL")})
    {
    }
    [[nodiscard]] Error explain(const Error &error) const;
    [[nodiscard]] Result<void> check();
    [[nodiscard]] Result<void> lock();
    [[nodiscard]] Result<qint64> write(const QSqlDatabase &db, QList<Event> &events);

    QString path, id;
    bool readOnly;
    // Declared first, destroyed last: see WriterLock.
    std::unique_ptr<WriterLock> writerLock;
    SqlConnections connections;
    QHash<QString, QByteArray> pending; // blobs of the next append
};

Error SessionFile::Impl::explain(const Error &error) const
{
    const int primary = sql::primaryCode(error);
    if (primary == sql::NotADatabase) {
        return {QStringLiteral("session.not_a_session"), path + QStringLiteral(": not a session file"), error.message};
    }
    if (primary == sql::Damaged) {
        return {QStringLiteral("session.damaged"),
                QStringLiteral("%1: the file is damaged (%2)").arg(path, error.message),
                {}};
    }
    const QString kept = QStringLiteral("what was written before is kept");
    const QString goOn = QStringLiteral("then go on with “kernelskill session resume %1”").arg(path);
    if (primary == sql::Full)
        return {QStringLiteral("environment.disk_full"),
                QStringLiteral("%1: the disk is full; %2: make room, %3").arg(path, kept, goOn), {}};
    if (primary == sql::InputOutput)
        return {QStringLiteral("environment.disk"),
                QStringLiteral("%1: the file cannot be read or written (%2); %3: see to the disk, %4").arg(path, error.message, kept, goOn),
                {}};
    if (primary == sql::ReadOnlyFile)
        return {QStringLiteral("session.read_only"),
                QStringLiteral("%1: the file, or the folder it is in, can no longer be written; %2").arg(path, kept), {}};
    if (primary == sql::Busy)
        return {QStringLiteral("session.locked"),
                QStringLiteral("%1: another program has been using the file for more than 10 s; try again").arg(path), {}};
    return {QStringLiteral("session.io"), QStringLiteral("%1: %2").arg(path, error.message), {}};
}

Result<void> SessionFile::Impl::lock()
{
    if (readOnly) return failure("session.read_only", QStringLiteral("%1: opened read-only").arg(path));
    if (writerLock) return {};
    auto taken = WriterLock::take(path);
    if (!taken) return std::unexpected(taken.error());
    writerLock = std::move(*taken);
    return {};
}

Result<void> SessionFile::Impl::check()
{
    auto db = connections.here();
    if (!db) return std::unexpected(explain(db.error()));
    auto application = sql::value(*db, QStringLiteral("PRAGMA application_id"));
    if (!application) return std::unexpected(explain(application.error()));
    auto version = sql::value(*db, QStringLiteral("PRAGMA user_version"));
    if (!version) return std::unexpected(explain(version.error()));
    if (application->toInt() != applicationId) {
        return failure("session.not_a_session", path + QStringLiteral(": a database, but not a session file"));
    }
    if (version->toInt() > sessionSchemaVersion) {
        auto writer = sql::value(*db, QStringLiteral("SELECT value FROM meta WHERE key = 'program_version'"));
        return failure(
            "session.newer",
            QStringLiteral("%1: written by KernelSkill Workbench %2 (schema %3); this is %4 (schema %5): update it")
                .arg(path, writer ? writer->toString() : QStringLiteral("?"))
                .arg(version->toInt())
                .arg(QStringLiteral(KERNELSKILL_VERSION))
                .arg(sessionSchemaVersion));
    }
    auto stored = sql::value(*db, QStringLiteral("SELECT value FROM meta WHERE key = 'id'"));
    if (!stored) return std::unexpected(explain(stored.error()));
    id = stored->toString();
    return {};
}

SessionFile::SessionFile(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
SessionFile::SessionFile(SessionFile &&) noexcept = default;
SessionFile &SessionFile::operator=(SessionFile &&) noexcept = default;
SessionFile::~SessionFile() = default;

Result<SessionFile> SessionFile::create(const QString &path)
{
    const QFileInfo facts(path);
    if (!QDir().mkpath(facts.absolutePath())) {
        return failure("session.io", QStringLiteral("%1: its folder cannot be made").arg(path));
    }
    // NewOnly is atomic: of two programs that create one session, one is refused.
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::NewOnly)) {
        if (facts.exists()) return failure("session.exists", QStringLiteral("%1: exists already").arg(path));
        return failure("session.io", QStringLiteral("%1: %2").arg(path, file.errorString()));
    }
    file.close();
    auto impl = std::make_unique<Impl>(path, false);
    if (auto locked = impl->lock(); !locked) return std::unexpected(locked.error());
    auto db = impl->connections.here();
    if (!db) return std::unexpected(impl->explain(db.error()));
    impl->id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    QStringList statements = schema();
    statements.append(QStringLiteral("INSERT INTO meta VALUES('id', '%1'), ('program_version', '%2')")
                          .arg(impl->id, QStringLiteral(KERNELSKILL_VERSION)));
    if (auto made = sql::runAll(*db, statements); !made) return std::unexpected(impl->explain(made.error()));
    return SessionFile(std::move(impl));
}

Result<SessionFile> SessionFile::open(const QString &path, bool readOnly)
{
    const QFileInfo facts(path);
    if (facts.isDir()) return failure("session.not_a_session", QStringLiteral("%1: a folder, not a session file").arg(path));
    if (!facts.isFile()) return failure("session.missing", QStringLiteral("%1: there is no such file").arg(path));
    if (!facts.isReadable()) return failure("session.io", QStringLiteral("%1: may not be read").arg(path));
    if (facts.size() == 0) return failure("session.not_a_session", path + QStringLiteral(": an empty file, nothing was ever stored in it"));
    const bool writable = canWriteTo(path);
    if (hasLiveJournal(path) && !writable) return unfinished(path);
    if (hasLiveJournal(path) && readOnly) {
        // Reading only, SQLite may not roll an interrupted commit back: a connection that may, does it first.
        Impl recovery(path, false);
        if (auto checked = recovery.check(); !checked) return std::unexpected(checked.error());
    }
    auto impl = std::make_unique<Impl>(path, readOnly || !writable);
    if (auto checked = impl->check(); !checked) return std::unexpected(checked.error());
    return SessionFile(std::move(impl));
}

QString SessionFile::path() const
{
    return m_impl->path;
}

QString SessionFile::id() const
{
    return m_impl->id;
}

bool SessionFile::isReadOnly() const
{
    return m_impl->readOnly;
}

Result<qint64> SessionFile::Impl::write(const QSqlDatabase &db, QList<Event> &events)
{
    sql::Transaction transaction(db);
    if (auto begun = transaction.begin(); !begun) return std::unexpected(begun.error());
    auto last = sql::value(db, QStringLiteral("SELECT coalesce(max(sequence), 0) FROM events"));
    if (!last) return std::unexpected(last.error());
    qint64 sequence = last->toLongLong();
    for (auto blob = pending.cbegin(); blob != pending.cend(); ++blob) {
        auto stored =
            sql::run(db, QStringLiteral("INSERT INTO blobs(digest, content) VALUES(?, ?) ON CONFLICT DO NOTHING"),
                     {blob.key(), qCompress(blob.value())});
        if (!stored) return std::unexpected(stored.error());
    }
    const qint64 time_ms = QDateTime::currentMSecsSinceEpoch();
    for (Event &event : events) {
        event.sequence = ++sequence;
        event.time_ms = time_ms;
        const QByteArray data = QJsonDocument(event.data).toJson(QJsonDocument::Compact);
        auto stored =
            sql::run(db, QStringLiteral("INSERT INTO events(sequence, kind, time_ms, data) VALUES(?, ?, ?, ?)"),
                     {event.sequence, event.kind, event.time_ms, QString::fromUtf8(data)});
        if (!stored) return std::unexpected(stored.error());
    }
    if (auto done = transaction.commit(); !done) return std::unexpected(done.error());
    return sequence;
}

Result<QList<Event>> SessionFile::append(QList<Event> events)
{
    if (auto locked = m_impl->lock(); !locked) return std::unexpected(locked.error());
    if (events.isEmpty() && m_impl->pending.isEmpty()) return events;
    auto db = m_impl->connections.here();
    if (!db) return std::unexpected(m_impl->explain(db.error()));
    if (auto written = m_impl->write(*db, events); !written) return std::unexpected(m_impl->explain(written.error()));
    m_impl->pending.clear();
    return events;
}

Result<QList<Event>> SessionFile::events(qint64 afterSequence) const
{
    ReadableEvents readable = readableEvents(afterSequence);
    if (readable.damage) return std::unexpected(*readable.damage);
    return std::move(readable.events);
}

SessionFile::ReadableEvents SessionFile::readableEvents(qint64 afterSequence) const
{
    auto db = m_impl->connections.here();
    if (!db) return {{}, m_impl->explain(db.error())};
    auto rows = sql::run(
        *db, QStringLiteral("SELECT sequence, kind, time_ms, data FROM events WHERE sequence > ? ORDER BY sequence"),
        {afterSequence});
    if (!rows) return {{}, m_impl->explain(rows.error())};
    ReadableEvents result;
    while (rows->next()) {
        QJsonParseError trouble;
        const QByteArray data = rows->value(3).toString().toUtf8();
        const QJsonDocument document = QJsonDocument::fromJson(data, &trouble);
        if (trouble.error != QJsonParseError::NoError || !document.isObject()) {
            result.damage = Error{QStringLiteral("session.damaged"),
                                  QStringLiteral("%1: event %2 cannot be read; the %3 before it can")
                                      .arg(m_impl->path, rows->value(0).toString())
                                      .arg(result.events.size()),
                                  {}};
            return result;
        }
        result.events.append(
            {rows->value(0).toLongLong(), rows->value(1).toString(), rows->value(2).toLongLong(), document.object()});
    }
    if (rows->lastError().isValid()) {
        result.damage = m_impl->explain(sql::error(rows->lastError()));
        result.damage->message += QStringLiteral("; the first %1 events can be read").arg(result.events.size());
    }
    return result;
}

Result<QString> SessionFile::putBlob(const QByteArray &content)
{
    if (m_impl->readOnly) return failure("session.read_only", QStringLiteral("%1: opened read-only").arg(m_impl->path));
    const QString digest = QString::fromLatin1(QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex());
    m_impl->pending.insert(digest, content);
    return digest;
}

Result<QByteArray> SessionFile::blob(const QString &digest) const
{
    if (const auto waiting = m_impl->pending.constFind(digest); waiting != m_impl->pending.constEnd()) return *waiting;
    auto db = m_impl->connections.here();
    if (!db) return std::unexpected(m_impl->explain(db.error()));
    auto row = sql::run(*db, QStringLiteral("SELECT content FROM blobs WHERE digest = ?"), {digest});
    if (!row) return std::unexpected(m_impl->explain(row.error()));
    if (!row->next()) {
        if (row->lastError().isValid()) return std::unexpected(m_impl->explain(sql::error(row->lastError())));
        return failure("session.damaged", QStringLiteral("%1: content %2 is missing").arg(m_impl->path, digest));
    }
    const QByteArray content = qUncompress(row->value(0).toByteArray());
    if (QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex() != digest.toLatin1()) {
        return failure("session.damaged",
                       QStringLiteral("%1: content %2 is not what was stored").arg(m_impl->path, digest));
    }
    return content;
}

} // namespace kernelskill
