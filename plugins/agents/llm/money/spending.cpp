// SPDX-License-Identifier: Apache-2.0
// The day's ledger. Money is kept in billionths of a dollar, so that sums are exact: a reservation is rounded up, a limit
// down. The file keeps SQLite's rollback journal: a killed program leaves either the whole reservation or none.
#include "money/spending.h"

#include "base/sql_connections.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTimeZone>
#include <QUuid>

#include <algorithm>
#include <array>
#include <cmath>

namespace kernelskill::llm {

namespace {

constexpr int applicationId = 0x4b535350; // "KSSP"
constexpr int schemaVersion = 1;
constexpr int daysKept = 100; // single rows; older days keep their sums
constexpr double nanosPerDollar = 1e9;
constexpr double mostMoney_usd = 1e6, mostCount = 1e12; // of one call: anything above is a mistake

struct Amount
{
    qint64 nanos = 0, tokens = 0, calls = 0;
};

Amount amountOf(const Spent &spent)
{
    // What floating point adds at the end of an exact amount must not round it up.
    return {qint64(std::ceil(spent.money_usd * nanosPerDollar - 1e-3)), spent.tokens, spent.calls};
}

bool isSound(const Spent &spent)
{
    return std::isfinite(spent.money_usd) && spent.money_usd >= 0 && spent.money_usd <= mostMoney_usd && spent.tokens >= 0 &&
           double(spent.tokens) <= mostCount && spent.calls >= 0 && double(spent.calls) <= mostCount;
}

// Cents, and four digits where that would hide the amount.
QString dollars(qint64 nanos)
{
    const double value = double(std::max<qint64>(nanos, 0)) / nanosPerDollar;
    const bool cents = value == 0 || value >= 0.1;
    return QStringLiteral("$%1").arg(value, 0, 'f', cents ? 2 : value >= 0.001 ? 4 : 6);
}

QString counted(qint64 count, const char *one, const char *many)
{
    return QStringLiteral("%1 %2").arg(std::max<qint64>(count, 0)).arg(QString::fromLatin1(count == 1 ? one : many));
}

// One of money, tokens, calls.
struct Kind
{
    const char *code;
    const char *limit;    // "money limit"
    const char *option;   // --budget's word
    const char *example;
    const char *setting;  // of the day's limit
    QString (*words)(qint64);
};

const Kind kinds[] = {
    {budgetMoney, "money limit", "money", "USD", "day_money_usd", dollars},
    {budgetTokens, "token limit", "tokens", "N", "day_tokens", [](qint64 n) { return counted(n, "token", "tokens"); }},
    {budgetCalls, "limit of calls", "calls", "N", "day_calls", [](qint64 n) { return counted(n, "call", "calls"); }},
};

std::unexpected<Error> sessionIsSpent(const Kind &kind, qint64 left, qint64 worst)
{
    return failure(QString::fromLatin1(kind.code),
                   QStringLiteral("this session's %1 leaves %2, and the next call might take up to %3; go on with a larger one: "
                                  "--budget %4=%5")
                       .arg(QString::fromLatin1(kind.limit), kind.words(left), kind.words(worst),
                            QString::fromLatin1(kind.option), QString::fromLatin1(kind.example)));
}

std::unexpected<Error> dayIsSpent(const Kind &kind, qint64 limit, qint64 left, qint64 worst)
{
    return failure(QString::fromLatin1(kind.code),
                   QStringLiteral("today's %1 of %2 leaves %3, and the next call might take up to %4; raise or clear the setting "
                                  "%5, or go on tomorrow (days are in UTC)")
                       .arg(QString::fromLatin1(kind.limit), kind.words(limit), kind.words(left), kind.words(worst),
                            QString::fromLatin1(kind.setting)));
}

using Limits = std::array<std::optional<qint64>, 3>; // in the order of `kinds`

Limits limitsOf(std::optional<double> money_usd, std::optional<qint64> tokens, std::optional<qint64> calls)
{
    Limits limits{std::nullopt, tokens, calls};
    if (money_usd) limits[0] = qint64(std::floor(std::clamp(*money_usd, -1e9, 1e9) * nanosPerDollar + 1e-3));
    return limits;
}

std::array<qint64, 3> valuesOf(const Amount &amount)
{
    return {amount.nanos, amount.tokens, amount.calls};
}

Error explain(const Error &error, const QString &path, const char *code)
{
    switch (sql::primaryCode(error)) {
    case sql::Damaged:
    case sql::NotADatabase:
        return {QString::fromLatin1(code),
                QStringLiteral("%1: this is no ledger of spending, or a damaged one (%2); it is left as it is: move it away, and "
                               "what was spent today counts anew")
                    .arg(path, error.message),
                error.code};
    case sql::Busy:
        return {QString::fromLatin1(code),
                QStringLiteral("%1: another program has held the ledger of spending for more than 10 s; try again").arg(path),
                error.code};
    case sql::Full:
        return {QString::fromLatin1(code),
                QStringLiteral("%1: the disk is full, so the call cannot be reserved; make room and try again").arg(path),
                error.code};
    default:
        return {QString::fromLatin1(code),
                QStringLiteral("%1: the ledger of spending cannot be used (%2); make the file and its folder writable, or move "
                               "it away")
                    .arg(path, error.message),
                error.code};
    }
}

// A session file, a memory or anybody else's database must not get our tables.
Result<void> prepare(const QSqlDatabase &database)
{
    sql::Transaction transaction(database);
    if (auto begun = transaction.begin(); !begun) return begun;
    auto owner = sql::value(database, QStringLiteral("PRAGMA application_id"));
    if (!owner) return std::unexpected(owner.error());
    auto version = sql::value(database, QStringLiteral("PRAGMA user_version"));
    if (!version) return std::unexpected(version.error());
    if (owner->toInt() == applicationId) {
        if (version->toInt() > schemaVersion)
            return failure("spending.open", QStringLiteral("a newer program wrote it; update this one"));
        if (version->toInt() == schemaVersion) return {};
    }
    auto tables = sql::value(database, QStringLiteral("SELECT count(*) FROM sqlite_schema"));
    if (!tables) return std::unexpected(tables.error());
    if (tables->toInt() != 0)
        return failure("spending.open", QStringLiteral("this is a database of something else, not the ledger of spending; move it away"));
    for (const QString &statement :
         {QStringLiteral("CREATE TABLE reservations(id INTEGER PRIMARY KEY AUTOINCREMENT, day TEXT NOT NULL, "
                         "when_ms INTEGER NOT NULL, session TEXT NOT NULL, owner TEXT NOT NULL, open INTEGER NOT NULL, "
                         "nanos INTEGER NOT NULL, tokens INTEGER NOT NULL, calls INTEGER NOT NULL)"),
          QStringLiteral("CREATE INDEX reservations_by_day ON reservations(day)"),
          QStringLiteral("CREATE TABLE days(day TEXT PRIMARY KEY, nanos INTEGER NOT NULL, tokens INTEGER NOT NULL, "
                         "calls INTEGER NOT NULL) WITHOUT ROWID"),
          QStringLiteral("PRAGMA application_id = %1").arg(applicationId),
          QStringLiteral("PRAGMA user_version = %1").arg(schemaVersion)}) {
        if (auto done = sql::run(database, statement); !done) return std::unexpected(done.error());
    }
    return transaction.commit();
}

class SqliteSpending final : public Spending
{
public:
    SqliteSpending(const QString &path, std::function<qint64()> clock)
        : m_path(path), m_owner(QUuid::createUuid().toString(QUuid::Id128)), m_clock(std::move(clock)),
          m_connections(path, QStringLiteral("QSQLITE_BUSY_TIMEOUT=10000"), {QStringLiteral("PRAGMA synchronous=FULL")})
    {
    }

    Result<void> open()
    {
        auto database = m_connections.here();
        auto prepared = database ? prepare(*database) : Result<void>(std::unexpected(database.error()));
        if (prepared) prepared = summarize(*database);
        if (prepared) return {};
        const Error &error = prepared.error();
        if (error.code == u"spending.open") return failure(error.code, m_path + QStringLiteral(": ") + error.message);
        return std::unexpected(explain(error, m_path, "spending.open"));
    }

    Result<qint64> reserve(const QString &session, const Spent &worst, const Allowance &session_left,
                           const DayLimits &limits) override
    {
        if (!isSound(worst)) return failure("spending.value", QStringLiteral("this call's worst case is no amount that can be reserved"));
        auto reserved = reserveIn(session, amountOf(worst), limitsOf(session_left.money_usd, session_left.tokens, session_left.calls),
                                  limitsOf(limits.money_usd, limits.tokens, limits.calls));
        if (!reserved) return trouble(reserved.error());
        return reserved;
    }

    Result<void> settle(qint64 reservation, const Spent &actual) override
    {
        if (!isSound(actual)) return failure("spending.value", QStringLiteral("what this call cost is no amount; its reservation stands"));
        const Amount amount = amountOf(actual);
        auto database = m_connections.here();
        if (!database) return trouble(database.error());
        auto changed = sql::run(*database, QStringLiteral("UPDATE reservations SET open = 0, nanos = ?, tokens = ?, calls = ? "
                                                          "WHERE id = ? AND open = 1"),
                                {amount.nanos, amount.tokens, amount.calls, reservation});
        if (!changed) return trouble(changed.error());
        if (changed->numRowsAffected() == 1) return {};
        return failure("spending.settled", QStringLiteral("%1: reservation %2 is settled already, or was never made").arg(m_path).arg(reservation));
    }

    Result<Spent> today() override
    {
        auto database = m_connections.here();
        if (!database) return trouble(database.error());
        auto sum = sumOf(*database, QStringLiteral("day = ?"), {day()});
        if (!sum) return trouble(sum.error());
        return Spent{double(sum->nanos) / nanosPerDollar, sum->tokens, sum->calls};
    }

private:
    // The day is taken inside the write lock: who waited over midnight reserves in the new day.
    Result<qint64> reserveIn(const QString &session, const Amount &worst, const Limits &sessionLeft, const Limits &dayLimits)
    {
        auto database = m_connections.here();
        if (!database) return std::unexpected(database.error());
        sql::Transaction transaction(*database);
        if (auto begun = transaction.begin(); !begun) return std::unexpected(begun.error());
        const qint64 now_ms = m_clock();
        const QString today = dayOf(now_ms);
        auto pending = sumOf(*database, QStringLiteral("day >= ? AND open = 1 AND owner = ? AND session = ?"),
                             {dayOf(now_ms - 2 * 86'400'000), m_owner, session});
        if (!pending) return std::unexpected(pending.error());
        auto spent = sumOf(*database, QStringLiteral("day = ?"), {today});
        if (!spent) return std::unexpected(spent.error());
        const auto asked = valuesOf(worst), open = valuesOf(*pending), gone = valuesOf(*spent);
        for (size_t i = 0; i < asked.size(); ++i) {
            if (sessionLeft[i] && asked[i] > *sessionLeft[i] - open[i])
                return sessionIsSpent(kinds[i], *sessionLeft[i] - open[i], asked[i]);
        }
        for (size_t i = 0; i < asked.size(); ++i) {
            if (dayLimits[i] && asked[i] > *dayLimits[i] - gone[i])
                return dayIsSpent(kinds[i], *dayLimits[i], *dayLimits[i] - gone[i], asked[i]);
        }
        auto added = sql::run(*database, QStringLiteral("INSERT INTO reservations(day, when_ms, session, owner, open, nanos, tokens, "
                                                        "calls) VALUES(?,?,?,?,1,?,?,?)"),
                              {today, now_ms, session, m_owner, worst.nanos, worst.tokens, worst.calls});
        if (!added) return std::unexpected(added.error());
        const qint64 id = added->lastInsertId().toLongLong();
        added->finish();
        if (auto done = transaction.commit(); !done) return std::unexpected(done.error());
        return id;
    }

    static Result<Amount> sumOf(const QSqlDatabase &database, const QString &where, const QVariantList &values)
    {
        auto row = sql::run(database, QStringLiteral("SELECT coalesce(sum(nanos), 0), coalesce(sum(tokens), 0), "
                                                     "coalesce(sum(calls), 0) FROM reservations WHERE ") + where,
                            values);
        if (!row) return std::unexpected(row.error());
        if (!row->next()) return std::unexpected(sql::error(row->lastError()));
        return Amount{row->value(0).toLongLong(), row->value(1).toLongLong(), row->value(2).toLongLong()};
    }

    Result<void> summarize(const QSqlDatabase &database)
    {
        const QString first = dayOf(m_clock() - qint64(daysKept) * 86'400'000);
        auto old = sql::value(database, QStringLiteral("SELECT count(*) FROM reservations WHERE day < ?"), {first});
        if (!old) return std::unexpected(old.error());
        if (old->toLongLong() == 0) return {};
        sql::Transaction transaction(database);
        if (auto begun = transaction.begin(); !begun) return begun;
        auto summed = sql::run(database, QStringLiteral("INSERT INTO days SELECT day, sum(nanos), sum(tokens), sum(calls) FROM "
                                                        "reservations WHERE day < ? GROUP BY day ON CONFLICT(day) DO UPDATE SET "
                                                        "nanos = nanos + excluded.nanos, tokens = tokens + excluded.tokens, "
                                                        "calls = calls + excluded.calls"),
                               {first});
        if (!summed) return std::unexpected(summed.error());
        auto removed = sql::run(database, QStringLiteral("DELETE FROM reservations WHERE day < ?"), {first});
        if (!removed) return std::unexpected(removed.error());
        return transaction.commit();
    }

    static QString dayOf(qint64 ms)
    {
        return QDateTime::fromMSecsSinceEpoch(ms, QTimeZone::UTC).date().toString(Qt::ISODate);
    }
    QString day() const { return dayOf(m_clock()); }

    std::unexpected<Error> trouble(const Error &error) const
    {
        return std::unexpected(error.code.startsWith(u"sql.") ? explain(error, m_path, "spending.file") : error);
    }

    QString m_path, m_owner;
    std::function<qint64()> m_clock;
    SqlConnections m_connections;
};

} // namespace

Spending::~Spending() = default;

Result<std::unique_ptr<Spending>> Spending::open(const QString &path, std::function<qint64()> clock)
{
    if (QFileInfo(path).isDir())
        return failure("spending.open", QStringLiteral("%1: this is a folder, where the ledger of spending should be a file; move it away").arg(path));
    if (!QDir().mkpath(QFileInfo(path).absolutePath()))
        return failure("spending.open", QStringLiteral("%1: its folder cannot be made; make the one above it writable").arg(path));
    if (!clock) clock = [] { return QDateTime::currentMSecsSinceEpoch(); };
    auto spending = std::make_unique<SqliteSpending>(path, std::move(clock));
    if (auto opened = spending->open(); !opened) return std::unexpected(opened.error());
    return std::unique_ptr<Spending>(std::move(spending));
}

} // namespace kernelskill::llm
