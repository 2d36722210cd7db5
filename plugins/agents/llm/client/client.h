// SPDX-License-Identifier: Apache-2.0
// One turn with a model: reserve the worst case, send, read the stream, retry what is worth it, learn what the model
// takes, settle what it cost. Everything a provider can do wrong ends here in a Reply or a sentence.
#pragma once

#include "client/settings.h"
#include "wire/transport.h"

#include <QHash>

namespace kernelskill::llm {

// One role's call, as far as it has come: all its turns are within one allowance.
struct Call
{
    RoleContext context;
    Spent spent;
    QStringList notes;    // what happened on the way: retries, what the model was found not to take
    int negotiations = 0; // refused parameters so far

    // What is left of the session's limits.
    [[nodiscard]] Allowance left() const;
};

class Client
{
public:
    // All outlive it. `own`: the person's prices.json, for prices that were asked for.
    Client(Settings settings, Transport &transport, Spending &spending, PriceTable prices, QString own);

    // Errors:
    //   budget.*               a limit would be passed; nothing was sent
    //   provider.unavailable   a wrong key, no such model, a spent quota, a service that is down or asks for more
    //   patience
    //                          than is set: the run can be resumed once that is mended
    //   llm.context            the prompt is too long for the model
    //   run.stopped            the person
    // Cost and calls are reported to call.context.report as they arise, also of turns that failed.
    QCoro::Task<Result<Reply>> ask(Request request, Call &call);
    QCoro::Task<Result<QStringList>> models();

    [[nodiscard]] const Settings &settings() const { return m_settings; }
    // {"provider", "model", "origin", "price"}
    [[nodiscard]] QJsonObject facts(const QString &model) const;

private:
    struct Turn; // one exchange and what it came to
    QCoro::Task<Result<void>> prepareKey();
    QCoro::Task<Result<Price>> priceOf(QString model, const Call &call);
    QCoro::Task<Result<Turn>> exchange(const Request &request, Call &call);
    [[nodiscard]] Result<void> settle(const Turn &turn, const Request &request, qint64 reservation, const Price &price,
                                      Call &call);
    QCoro::Task<Result<void>> waitBefore(int attempt, const Turn &turn, Call &call);
    [[nodiscard]] std::optional<Error> finalError(const Turn &turn, const QString &model, Call &call);
    [[nodiscard]] Error unavailable(const Turn &turn) const;
    [[nodiscard]] QString where() const; // "api.example.org"

    Settings m_settings;
    Transport &m_transport;
    Spending &m_spending;
    PriceTable m_prices;
    QString m_ownPrices;
    bool m_keyKnown = false;
    QString m_keyNote;                    // why there is none
    QHash<QString, Price> m_asked;        // by model
    QHash<QString, ModelTraits> m_traits; // by model
};

} // namespace kernelskill::llm
