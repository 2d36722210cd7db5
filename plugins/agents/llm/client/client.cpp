// SPDX-License-Identifier: Apache-2.0
#include "client/client.h"

#include "client/key_source.h"
#include "client/pause.h"
#include "client/reply_builder.h"
#include "secrets/secrets.h"
#include "secrets/this_machine.h"

#include <QDateTime>

#include <algorithm>

namespace kernelskill::llm {

namespace {

constexpr int mostNegotiations = 6; // a model refuses one parameter at a time
constexpr qint64 worthTelling_ms = 2000;
constexpr Timeouts forLists{10'000, 15'000, 30'000}; // somebody looks at a form meanwhile

} // namespace

// One exchange and what it came to: a reply, a refusal, or neither because the answer was cut off or never came.
struct Client::Turn
{
    HttpAnswer answer;
    std::optional<Reply> reply; // whole
    std::optional<Refusal> refusal;
    std::optional<Error> error; // of the transport
    QString broken;             // why what came is no answer
    bool mayCost = false;       // the provider took it up, as far as one can tell
    qsizetype characters = 0;   // that came of it
};

Allowance Call::left() const
{
    Allowance left = context.allowance;
    if (left.money_usd) left.money_usd = std::max(0.0, *left.money_usd - spent.money_usd);
    if (left.tokens) left.tokens = std::max(qint64(0), *left.tokens - spent.tokens);
    if (left.calls) left.calls = std::max(qint64(0), *left.calls - spent.calls);
    return left;
}

Client::Client(Settings settings, Transport &transport, Spending &spending, PriceTable prices, QString own)
    : m_settings(std::move(settings)), m_transport(transport), m_spending(spending), m_prices(std::move(prices)),
      m_ownPrices(std::move(own))
{
}

QString Client::where() const
{
    return m_settings.endpoint.base.host();
}

QJsonObject Client::facts(const QString &model) const
{
    QJsonObject facts{{"provider", m_settings.endpoint.provider},
                      {"model", model},
                      {"origin", secrets::originOf(m_settings.endpoint.base)}};
    if (const auto price = m_asked.constFind(model); price != m_asked.constEnd())
        facts.insert("price", price->toJson());
    return facts;
}

// A key is sought once, for the endpoint's origin only. On this machine none is needed.
QCoro::Task<Result<void>> Client::prepareKey()
{
    if (m_keyKnown) co_return Result<void>{};
    const KeySource source = keySourceOf(m_settings);
    const auto key = m_settings.isReplayed()
                         ? std::nullopt
                         : co_await secrets::find(source.origin, source.variables, source.variablesOrigin, &m_keyNote);
    if (key) m_settings.endpoint.key = key->value;
    if (!key && source.isNeeded) {
        const QString variable = source.variablesOrigin == source.origin
                                     ? QStringLiteral("set %1").arg(source.variables.first())
                                     : QStringLiteral("name its environment variable with llm.key_variable=NAME");
        co_return failure(QString::fromLatin1(providerUnavailable),
                          QStringLiteral("there is no key for %1: %2, or `kernelskill keys set %1`%3")
                              .arg(source.origin, variable,
                                   m_keyNote.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(m_keyNote)));
    }
    m_keyKnown = true;
    co_return Result<void>{};
}

// Set, in the table, nothing on this machine, or asked for. Without it no limit in money means anything.
QCoro::Task<Result<Price>> Client::priceOf(QString model, const Call &call)
{
    if (const auto known = m_asked.constFind(model); known != m_asked.constEnd()) co_return *known;
    std::optional<Price> price = m_settings.price;
    if (!price && m_settings.isReplayed()) price = Price{0, 0, 0, 0, {}, QStringLiteral("a cassette"), {}};
    if (!price) price = m_prices.find(m_settings.endpoint.provider, model, secrets::isThisMachine(m_settings.endpoint.base));
    if (!price && call.context.ask) {
        auto answer = co_await call.context.ask(
            {Question::Kind::Text,
             QStringLiteral("What does %1 at %2 cost?").arg(model, where()),
             QStringLiteral(
                 "US dollars for a million tokens: IN/OUT or IN/CACHED/OUT, for example 3/0.3/15; 0/0 where it is "
                 "free. It is kept in %1.")
                 .arg(m_ownPrices),
             {},
             {},
             {},
             {},
             call.context.round});
        if (!answer) co_return std::unexpected(answer.error());
        if (answer->given) {
            auto said = PriceTable::fromText(answer->text);
            if (!said)
                co_return std::unexpected(Error{QString::fromLatin1(providerUnavailable), said.error().message, {}});
            said->source = QStringLiteral("the person");
            // Where it cannot be kept it is asked for again another time.
            (void)PriceTable::remember(m_ownPrices, m_settings.endpoint.provider, model, *said);
            price = *said;
        }
    }
    if (!price) {
        co_return failure(
            QString::fromLatin1(providerUnavailable),
            QStringLiteral("the price of %1 at %2 is not known: --agent-option llm.price=IN/CACHED/OUT in US "
                           "dollars for a million tokens, or put it into %3")
                .arg(model, where(), m_ownPrices));
    }
    m_asked.insert(model, *price);
    co_return *price;
}

QCoro::Task<Result<Client::Turn>> Client::exchange(const Request &request, Call &call)
{
    const Provider &adapter = *provider(m_settings.endpoint.provider);
    const ModelTraits traits = m_traits.value(request.model);
    Turn turn;
    ReplyBuilder builder;
    std::unique_ptr<StreamReader> reader;
    qsizetype told = 0;
    const auto sink = [&](const QByteArray &contentType, const QByteArray &bytes) {
        if (!reader) reader = adapter.reader(contentType);
        for (const StreamEvent &event : reader->feed(bytes))
            builder.add(event);
        if (!call.context.tells || builder.characters() - told < 800) return;
        told = builder.characters();
        call.context.tells(QStringLiteral("%1 writes, about %2 tokens").arg(request.model).arg(told / 4));
    };
    if (call.context.tells) call.context.tells(QStringLiteral("asks %1").arg(request.model));
    const Timeouts timeouts{20'000, m_settings.silence_s * 1000, 1'200'000};
    HttpRequest asked = adapter.request(request, m_settings.endpoint, traits);
    asked.provider = adapter.id();
    auto answer = co_await m_transport.exchange(std::move(asked), sink, timeouts, call.context.stop);
    turn.characters = builder.characters();
    turn.mayCost = reader != nullptr;
    if (!answer) {
        turn.error = answer.error();
        // It was sent and perhaps worked on, however silently.
        turn.mayCost = turn.mayCost || turn.error->code == u"http.timeout" || turn.error->code == u"run.stopped";
        co_return turn;
    }
    turn.answer = *answer;
    turn.mayCost = turn.mayCost || answer->status / 100 == 2;
    if (answer->status / 100 != 2) {
        turn.refusal = adapter.refusal(answer->status, answer->body, traits);
        co_return turn;
    }
    if (reader) {
        for (const StreamEvent &event : reader->finish())
            builder.add(event);
    }
    if (const auto &error = builder.error()) {
        turn.refusal = refusalInStream(*error, adapter, traits);
    } else if (!reader) {
        turn.broken = QStringLiteral("the answer was empty");
    } else if (!reader->sawEnd()) {
        turn.broken = QStringLiteral("the answer was cut off after %1 characters").arg(builder.characters());
    } else {
        turn.reply = builder.take();
    }
    co_return turn;
}

// A whole reply costs what the provider says, or what the texts suggest; one that broke off is charged at its worst.
Result<void> Client::settle(const Turn &turn, const Request &request, qint64 reservation, const Price &price,
                            Call &call)
{
    RoleUsage usage;
    Spent actual;
    if (turn.mayCost) {
        Usage used;
        if (turn.reply) used = turn.reply->usage;
        if (!used.known || used.tokensIn == 0) used.tokensIn = estimatedTokens(request);
        if (!used.known || used.tokensOut == 0) // some servers say 0 whatever it was
            used.tokensOut = turn.reply ? std::max(qint64(1), qint64(turn.characters / 3)) : request.maxOutputTokens;
        // No figure of a server's, however absurd, spends more than was possible.
        used.tokensIn = std::min(used.tokensIn, qint64(m_settings.contextTokens) * 4);
        used.tokensOut = std::min(used.tokensOut, qint64(m_settings.contextTokens) * 4);
        usage.calls = 1;
        usage.tokensIn = used.tokensIn;
        usage.tokensOut = used.tokensOut;
        usage.tokensCached = used.tokensCached;
        usage.cost_usd = price.costOf(used);
        actual = {usage.cost_usd, used.tokensIn + used.tokensOut, 1};
    }
    usage.facts = facts(request.model);
    call.spent.money_usd += actual.money_usd;
    call.spent.tokens += actual.tokens;
    call.spent.calls += actual.calls;
    if (call.context.report) call.context.report(usage);
    return m_spending.settle(reservation, m_settings.isReplayed() ? Spent{} : actual);
}

Error Client::unavailable(const Turn &turn) const
{
    QString what;
    if (turn.refusal) {
        what = QStringLiteral("%1 answers %2: %3").arg(where()).arg(turn.answer.status).arg(turn.refusal->message);
        if (turn.answer.status / 100 == 2) what = QStringLiteral("%1 says: %2").arg(where(), turn.refusal->message);
    } else if (turn.error) {
        what = turn.error->message;
    } else {
        what = QStringLiteral("%1: %2").arg(where(), turn.broken);
    }
    while (what.endsWith(u'.'))
        what.chop(1);
    return {QString::fromLatin1(providerUnavailable), secrets::redacted(what), {}}; // some repeat the key
}

// Tells the person when it goes on. An error where that is later than they want to wait.
QCoro::Task<Result<void>> Client::waitBefore(int attempt, const Turn &turn, Call &call)
{
    const QDateTime now = QDateTime::currentDateTimeUtc();
    const double jitter =
        double((call.context.seed + quint64(attempt) * 0x9E3779B97F4A7C15ull) >> 40) / double(1 << 24);
    // A limit that does not say how long it lasts is a minute's more often than a second's.
    const bool isLimit = turn.answer.status == 429;
    const qint64 own_ms = backoff_ms(attempt - 1, jitter);
    const qint64 pause_ms = std::max(askedPause_ms(turn.answer, now).value_or(isLimit ? 8 * own_ms : own_ms), own_ms);
    const QDateTime until = now.addMSecs(pause_ms);
    const Error why = unavailable(turn);
    call.notes.append(
        QStringLiteral("%1; tried again after %2 s").arg(why.message).arg(double(pause_ms) / 1000, 0, 'f', 1));
    if (m_settings.isReplayed()) co_return Result<void>{};
    if (pause_ms > qint64(m_settings.longestWait_s) * 1000) {
        co_return failure(why.code,
                          QStringLiteral("%1; it takes calls again at %2: resume the session then")
                              .arg(why.message, until.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"))));
    }
    if (pause_ms >= worthTelling_ms && call.context.waits) call.context.waits({until.toMSecsSinceEpoch(), why.message});
    co_await pauseFor(pause_ms, call.context.stop);
    if (call.context.stop.stop_requested()) co_return failure(QStringLiteral("run.stopped"), QStringLiteral("stopped"));
    co_return Result<void>{};
}

// What makes trying again senseless. A parameter the model does not take is learnt, and sending it otherwise is not.
std::optional<Error> Client::finalError(const Turn &turn, const QString &model, Call &call)
{
    if (call.context.stop.stop_requested()) return Error{QStringLiteral("run.stopped"), QStringLiteral("stopped"), {}};
    if (turn.error) {
        if (turn.error->code == u"http.connection" || turn.error->code == u"http.timeout") return std::nullopt;
        return turn.error->code.startsWith(u"cassette.") ? *turn.error : unavailable(turn);
    }
    if (!turn.refusal) return std::nullopt;
    switch (turn.refusal->kind) {
    case Refusal::Kind::Temporary:
        return std::nullopt;
    case Refusal::Kind::Parameter:
        if (!turn.refusal->traits || ++call.negotiations > mostNegotiations) return unavailable(turn);
        m_traits.insert(model, *turn.refusal->traits);
        call.notes.append(
            QStringLiteral("%1 does not take it so (%2); asked again otherwise").arg(model, turn.refusal->message));
        return std::nullopt;
    case Refusal::Kind::Context:
        return Error{QStringLiteral("llm.context"), unavailable(turn).message, {}};
    case Refusal::Kind::Model: {
        Error error = unavailable(turn);
        error.message += QStringLiteral("; `kernelskill plugins choices llm model` lists what there is");
        return error;
    }
    case Refusal::Kind::Quota:
    case Refusal::Kind::Key:
    case Refusal::Kind::Request:
        return unavailable(turn);
    }
    return std::nullopt;
}

QCoro::Task<Result<Reply>> Client::ask(Request request, Call &call)
{
    if (auto key = co_await prepareKey(); !key) co_return std::unexpected(key.error());
    auto price = co_await priceOf(request.model, call);
    if (!price) co_return std::unexpected(price.error());
    for (int attempt = 0;;) {
        const Usage worst{estimatedTokens(request), 0, 0, request.maxOutputTokens, 0, false};
        Usage written = worst; // writing a prompt into a cache may cost more than reading it
        written.tokensCacheWrite = worst.tokensIn;
        const double worst_usd = std::max(price->costOf(worst), price->costOf(written));
        auto reservation = m_spending.reserve(call.context.session, {worst_usd, worst.tokensIn + worst.tokensOut, 1},
                                              call.left(), m_settings.isReplayed() ? DayLimits{} : m_settings.day);
        if (!reservation) co_return std::unexpected(reservation.error());
        auto turn = co_await exchange(request, call);
        if (!turn) co_return std::unexpected(turn.error());
        if (auto settled = settle(*turn, request, *reservation, *price, call); !settled)
            co_return std::unexpected(settled.error());
        if (turn->reply) co_return *turn->reply;
        if (auto error = finalError(*turn, request.model, call)) co_return std::unexpected(*error);
        if (turn->refusal && turn->refusal->kind == Refusal::Kind::Parameter) continue; // nothing to wait for
        if (++attempt > m_settings.retries) {
            Error error = unavailable(*turn);
            if (attempt > 1) error.message += QStringLiteral(" (tried %1 times)").arg(attempt);
            co_return std::unexpected(error);
        }
        if (auto waited = co_await waitBefore(attempt, *turn, call); !waited) co_return std::unexpected(waited.error());
    }
}

QCoro::Task<Result<QStringList>> Client::models()
{
    if (auto key = co_await prepareKey(); !key) co_return std::unexpected(key.error());
    const Provider &adapter = *provider(m_settings.endpoint.provider);
    auto answer = co_await m_transport.exchange(adapter.modelsRequest(m_settings.endpoint), {}, forLists, {});
    if (!answer) {
        Error error = answer.error();
        error.message = secrets::redacted(error.message);
        co_return std::unexpected(error);
    }
    if (answer->status / 100 != 2) {
        const Refusal refusal = adapter.refusal(answer->status, answer->body, {});
        co_return failure(
            QString::fromLatin1(providerUnavailable),
            secrets::redacted(
                QStringLiteral("%1 answers %2: %3").arg(where()).arg(answer->status).arg(refusal.message)));
    }
    auto names = adapter.models(answer->body);
    if (names) names->sort();
    co_return names;
}

} // namespace kernelskill::llm
