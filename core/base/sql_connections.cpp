// SPDX-License-Identifier: Apache-2.0
#include "base/sql_connections.h"

#include <QHash>
#include <QMutex>
#include <QThread>
#include <QUuid>

namespace kernelskill {

struct SqlConnections::Shared
{
    QString path, options, prefix;
    QStringList pragmas;
    QMutex mutex;
    QHash<Qt::HANDLE, QString> names; // thread → connection name
};

SqlConnections::SqlConnections(QString path, QString options, QStringList pragmas)
    : m_shared(std::make_unique<Shared>())
{
    m_shared->path = std::move(path);
    m_shared->options = std::move(options);
    m_shared->pragmas = std::move(pragmas);
    m_shared->prefix = QUuid::createUuid().toString(QUuid::WithoutBraces);
}

SqlConnections::~SqlConnections()
{
    for (const QString &name : std::as_const(m_shared->names))
        QSqlDatabase::removeDatabase(name);
}

Result<QSqlDatabase> SqlConnections::here() const
{
    const Qt::HANDLE thread = QThread::currentThreadId();
    const QMutexLocker lock(&m_shared->mutex);
    if (const QString name = m_shared->names.value(thread); !name.isEmpty()) return QSqlDatabase::database(name, false);
    const QString name = QStringLiteral("%1-%2").arg(m_shared->prefix).arg(quintptr(thread), 0, 16);
    std::optional<Error> trouble;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
        database.setDatabaseName(m_shared->path);
        database.setConnectOptions(m_shared->options);
        if (!database.open()) trouble = sql::error(database.lastError());
        for (const QString &pragma : std::as_const(m_shared->pragmas)) {
            if (trouble) break;
            QSqlQuery query(database);
            if (!query.exec(pragma)) trouble = sql::error(query.lastError());
        }
    }
    if (trouble) {
        QSqlDatabase::removeDatabase(name);
        return std::unexpected(*trouble);
    }
    m_shared->names.insert(thread, name);
    return QSqlDatabase::database(name, false);
}

namespace sql {

int nativeCode(const QSqlError &error)
{
    return error.nativeErrorCode().toInt();
}

int primaryCode(const Error &error)
{
    constexpr QLatin1StringView prefix("sql.");
    return error.code.startsWith(prefix) ? error.code.mid(prefix.size()).toInt() & 0xff : 0;
}

Error error(const QSqlError &error)
{
    return {QStringLiteral("sql.%1").arg(nativeCode(error)),
            error.databaseText().isEmpty() ? error.text() : error.databaseText(),
            {}};
}

Result<QSqlQuery> run(const QSqlDatabase &database, const QString &statement, const QVariantList &values)
{
    QSqlQuery query(database);
    query.setForwardOnly(true);
    if (!query.prepare(statement)) return std::unexpected(error(query.lastError()));
    for (const QVariant &bound : values) {
        // A null QString is an empty text to us, not SQL's NULL.
        const bool emptyText = bound.typeId() == QMetaType::QString && bound.toString().isNull();
        query.addBindValue(emptyText ? QVariant(QStringLiteral("")) : bound);
    }
    if (!query.exec()) return std::unexpected(error(query.lastError()));
    return query;
}

Result<QVariant> value(const QSqlDatabase &database, const QString &statement, const QVariantList &values)
{
    auto query = run(database, statement, values);
    if (!query) return std::unexpected(query.error());
    return query->next() ? query->value(0) : QVariant();
}

Result<void> runAll(const QSqlDatabase &database, const QStringList &statements)
{
    Transaction transaction(database);
    if (auto begun = transaction.begin(); !begun) return begun;
    for (const QString &statement : statements) {
        if (auto done = run(database, statement); !done) return std::unexpected(done.error());
    }
    return transaction.commit();
}

Transaction::~Transaction()
{
    if (m_open) (void)run(m_database, QStringLiteral("ROLLBACK"));
}

Result<void> Transaction::begin()
{
    auto begun = run(m_database, QStringLiteral("BEGIN IMMEDIATE"));
    if (!begun) return std::unexpected(begun.error());
    m_open = true;
    return {};
}

Result<void> Transaction::commit()
{
    auto done = run(m_database, QStringLiteral("COMMIT"));
    if (!done) return std::unexpected(done.error());
    m_open = false;
    return {};
}

} // namespace sql

} // namespace kernelskill
