// SPDX-License-Identifier: Apache-2.0
// What a call may cost and what was spent: prices as data, a reservation before each call, hard limits.
#pragma once

#include "agent/roles.h"
#include "base/result.h"
#include "neutral/message.h"

#include <QDate>
#include <QHash>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace kernelskill::llm {

// US dollars for a million tokens.
struct Price
{
    double in = 0, cached = 0, cacheWrite = 0, out = 0; // cached: read from the cache
    QString date;   // of the table's entry, ISO
    QString source; // "provider's price page", "the person", "runs on this machine"
    // Where a call whose prompt is longer costs more, all of it.
    struct Long
    {
        qint64 above = 0; // tokens of the prompt
        double in = 0, cached = 0, cacheWrite = 0, out = 0;
    };
    std::optional<Long> longPrompt{};
    [[nodiscard]] double costOf(const Usage &usage) const;
    [[nodiscard]] QJsonObject toJson() const;
};

// prices.json: {"date", "note", "models": [{"provider", "match": "claude-sonnet-4*", "in", "cached", "cache_write", "out",
// "source", "date", "long": {"above": 200000, "in", "cached", "cache_write", "out"}}]}. A person's own prices.json in the configuration folder goes before the bundled one. A provider
// "openai" holds for "openai-chat" and "openai-responses". Missing "cached" costs as "in", missing "cache_write" 1.25 of it.
class PriceTable
{
public:
    // Errors: "prices.syntax" with file and JSON pointer. `own` may be empty or a file that is not there yet.
    [[nodiscard]] static Result<PriceTable> read(const QString &bundled, const QString &own);
    // Longest match wins; an address on this machine costs nothing. Empty: unknown, so ask.
    [[nodiscard]] std::optional<Price> find(const QString &provider, const QString &model, bool onThisMachine) const;
    // "3/0.3/15" or "3/15": in, cached, out. Errors: "prices.syntax".
    [[nodiscard]] static Result<Price> fromText(const QString &text);
    // Remembered in the person's own prices.json, so that it is asked for once. Errors: "prices.syntax", "prices.write".
    [[nodiscard]] static Result<void> remember(const QString &own, const QString &provider, const QString &model, const Price &price);

private:
    struct Entry
    {
        QString provider, match;
        bool own = false;
        Price price;
    };
    QList<Entry> m_entries;
};

struct DayLimits
{
    std::optional<double> money_usd; // in UTC days, over all sessions of this user
    std::optional<qint64> tokens, calls;
};

struct Spent
{
    double money_usd = 0;
    qint64 tokens = 0, calls = 0;
};

// The day's ledger: one SQLite file in the data folder, shared by all programs of the user. Before each call its worst
// case is reserved in one transaction, so that two programs together cannot pass a limit; what is never settled, because
// the program died, stays charged in full.
class Spending
{
public:
    // Errors: "spending.open". `clock`, milliseconds since the epoch, is the system's where none is given. Usable from any
    // thread.
    [[nodiscard]] static Result<std::unique_ptr<Spending>> open(const QString &path, std::function<qint64()> clock = {});
    virtual ~Spending();
    // Errors: budgetMoney, budgetTokens, budgetCalls (agent/roles.h) with what is left and what the call might cost, and
    // which limit it is: the session's or the day's; "spending.file" when the ledger cannot be used: no call then. What this
    // object reserved for the session and did not settle yet counts against `session_left` too.
    [[nodiscard]] virtual Result<qint64> reserve(const QString &session, const Spent &worst, const Allowance &session_left,
                                                 const DayLimits &limits) = 0;
    // In the day of its reservation. A second time is an error, "spending.settled", and changes nothing.
    [[nodiscard]] virtual Result<void> settle(qint64 reservation, const Spent &actual) = 0;
    [[nodiscard]] virtual Result<Spent> today() = 0; // what is reserved and not settled included
};

// Tokens of a text by a rule of thumb that errs upwards (no tokenizer is shipped): UTF-8 bytes over 3.
[[nodiscard]] qint64 estimatedTokens(const QString &text);
[[nodiscard]] qint64 estimatedTokens(const Request &request);

} // namespace kernelskill::llm
