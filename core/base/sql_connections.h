// SPDX-License-Identifier: Apache-2.0
// One SQLite file through Qt Sql. A Qt connection belongs to the thread that made it, so each thread gets its own.
#pragma once

#include "base/result.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QString>
#include <QStringList>
#include <QVariantList>

#include <memory>

namespace kernelskill {

class SqlConnections
{
public:
    // `options` as QSqlDatabase::setConnectOptions takes them; `pragmas` run on each new connection.
    SqlConnections(QString path, QString options, QStringList pragmas);
    ~SqlConnections(); // closes all of them; no query may live any longer

    // The calling thread's connection, opened when there is none yet.
    [[nodiscard]] Result<QSqlDatabase> here() const;

private:
    struct Shared;
    std::unique_ptr<Shared> m_shared;
};

namespace sql {

// SQLite's primary result codes; an extended code holds one in its low byte.
enum PrimaryCode { Busy = 5, ReadOnlyFile = 8, InputOutput = 10, Damaged = 11, Full = 13, NotADatabase = 26 };
// Of an error that came from here, "sql.N"; 0 for any other.
[[nodiscard]] int primaryCode(const Error &error);


// SQLite's own (extended) result code, 0 when there is none.
[[nodiscard]] int nativeCode(const QSqlError &error);
// An Error with code "sql.<native code>".
[[nodiscard]] Error error(const QSqlError &error);
// Prepares, binds in order, executes.
[[nodiscard]] Result<QSqlQuery> run(const QSqlDatabase &database, const QString &statement,
                                    const QVariantList &values = {});
// First column of the first row; an invalid value when there is no row.
[[nodiscard]] Result<QVariant> value(const QSqlDatabase &database, const QString &statement,
                                     const QVariantList &values = {});
// Statements one after the other, in one transaction that takes the write lock at once.
[[nodiscard]] Result<void> runAll(const QSqlDatabase &database, const QStringList &statements);

// Rolls back unless committed.
class Transaction
{
public:
    explicit Transaction(QSqlDatabase database) : m_database(std::move(database)) {}
    ~Transaction();
    Transaction(const Transaction &) = delete;
    Transaction &operator=(const Transaction &) = delete;
    [[nodiscard]] Result<void> begin(); // BEGIN IMMEDIATE
    [[nodiscard]] Result<void> commit();

private:
    QSqlDatabase m_database;
    bool m_open = false;
};

} // namespace sql

} // namespace kernelskill
