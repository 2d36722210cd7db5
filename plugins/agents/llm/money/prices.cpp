// SPDX-License-Identifier: Apache-2.0
// Prices: a table that ships, a person's own that goes before it, and what a call costs by them.
#include "money/spending.h"

#include "base/json_reader.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLockFile>
#include <QRegularExpression>
#include <QSaveFile>
#include <QTimeZone>

#include <algorithm>
#include <cmath>

namespace kernelskill::llm {

namespace {

constexpr double cacheWriteFactor = 1.25; // where nobody says what writing to the cache costs
constexpr double highestPrice = 1e6;

bool isPrice(double value)
{
    return std::isfinite(value) && value >= 0 && value <= highestPrice;
}

Result<double> priceAt(const JsonReader &entry, const char *key)
{
    auto member = entry.member(key);
    if (!member) return std::unexpected(member.error());
    auto value = member->number();
    if (!value) return value;
    if (!isPrice(*value)) return member->refuse(QStringLiteral("a price is US dollars for a million tokens, 0 or more"));
    return value;
}

Result<QString> textAt(const JsonReader &entry, const char *key)
{
    auto member = entry.member(key);
    if (!member) return std::unexpected(member.error());
    auto text = member->text();
    if (text && text->isEmpty()) return member->refuse(QStringLiteral("this must not be empty"));
    return text;
}

struct Four
{
    double in = 0, cached = 0, cacheWrite = 0, out = 0;
};

Result<Four> readFour(const JsonReader &entry)
{
    auto in = priceAt(entry, "in");
    if (!in) return std::unexpected(in.error());
    auto out = priceAt(entry, "out");
    if (!out) return std::unexpected(out.error());
    Four four{*in, *in, *in * cacheWriteFactor, *out};
    for (const auto &[key, target] : {std::pair{"cached", &four.cached}, std::pair{"cache_write", &four.cacheWrite}}) {
        if (!entry.has(key)) continue;
        auto value = priceAt(entry, key);
        if (!value) return std::unexpected(value.error());
        *target = *value;
    }
    return four;
}

Result<Price::Long> readLong(const JsonReader &entry)
{
    auto member = entry.member("above");
    if (!member) return std::unexpected(member.error());
    auto above = member->integer();
    if (!above) return std::unexpected(above.error());
    if (*above < 1) return member->refuse(QStringLiteral("this is a number of tokens, 1 or more"));
    auto four = readFour(entry);
    if (!four) return std::unexpected(four.error());
    return Price::Long{*above, four->in, four->cached, four->cacheWrite, four->out};
}

Result<Price> readPrice(const JsonReader &entry, const QString &tableDate)
{
    auto four = readFour(entry);
    if (!four) return std::unexpected(four.error());
    Price price{four->in, four->cached, four->cacheWrite, four->out, {}, {}, {}};
    if (entry.has("long")) {
        auto member = entry.member("long");
        auto longPrompt = member ? readLong(*member) : Result<Price::Long>(std::unexpected(member.error()));
        if (!longPrompt) return std::unexpected(longPrompt.error());
        price.longPrompt = *longPrompt;
    }
    price.date = tableDate;
    for (const auto &[key, target] : {std::pair{"date", &price.date}, std::pair{"source", &price.source}}) {
        if (!entry.has(key)) continue;
        auto text = textAt(entry, key);
        if (!text) return std::unexpected(text.error());
        *target = *text;
    }
    return price;
}

bool providerFits(const QString &entry, const QString &provider)
{
    return entry == u"*" || entry == provider || provider.startsWith(entry + u'-');
}

bool modelFits(const QString &pattern, const QString &model)
{
    QStringList parts = pattern.split(u'*');
    for (QString &part : parts) part = QRegularExpression::escape(part);
    const QRegularExpression whole(QRegularExpression::anchoredPattern(parts.join(QStringLiteral(".*"))),
                                   QRegularExpression::CaseInsensitiveOption |
                                       QRegularExpression::DotMatchesEverythingOption);
    return whole.match(model).hasMatch();
}

// How much of a model's name a pattern spells out; the whole name goes before any pattern.
qsizetype lengthOf(const QString &pattern)
{
    const qsizetype stars = pattern.count(u'*');
    return 2 * (pattern.size() - stars) + (stars == 0 ? 1 : 0);
}

std::unexpected<Error> writeTrouble(const QString &path, const QString &why)
{
    return failure("prices.write",
                   QStringLiteral("%1: the price cannot be remembered (%2); make the file and its folder writable").arg(path, why));
}

QString todayUtc()
{
    return QDateTime::currentDateTimeUtc().date().toString(Qt::ISODate);
}

} // namespace

double Price::costOf(const Usage &usage) const
{
    const qint64 read = std::max<qint64>(usage.tokensCached, 0), written = std::max<qint64>(usage.tokensCacheWrite, 0);
    const qint64 fresh = std::max<qint64>(usage.tokensIn - read - written, 0);
    const auto cost_usd = [&](const auto &price) {
        return (double(fresh) * price.in + double(read) * price.cached + double(written) * price.cacheWrite +
                double(std::max<qint64>(usage.tokensOut, 0)) * price.out) /
               1e6;
    };
    const bool isLong = longPrompt && std::max(usage.tokensIn, read + written) > longPrompt->above;
    return isLong ? cost_usd(*longPrompt) : cost_usd(*this);
}

QJsonObject Price::toJson() const
{
    QJsonObject object{{"in", in}, {"cached", cached}, {"cache_write", cacheWrite}, {"out", out}};
    if (!date.isEmpty()) object.insert("date", date);
    if (!source.isEmpty()) object.insert("source", source);
    if (longPrompt) {
        object.insert("long", QJsonObject{{"above", longPrompt->above},
                                          {"in", longPrompt->in},
                                          {"cached", longPrompt->cached},
                                          {"cache_write", longPrompt->cacheWrite},
                                          {"out", longPrompt->out}});
    }
    return object;
}

Result<PriceTable> PriceTable::read(const QString &bundled, const QString &own)
{
    PriceTable table;
    const auto readFile = [&table](const QString &path, bool isOwn) -> Result<void> {
        auto reader = JsonReader::open(path, QStringLiteral("prices"));
        if (!reader) return std::unexpected(reader.error());
        QString date;
        if (reader->has("date")) {
            auto text = textAt(*reader, "date");
            if (!text) return std::unexpected(text.error());
            date = *text;
        }
        auto models = reader->member("models");
        if (!models) return std::unexpected(models.error());
        auto entries = models->elements();
        if (!entries) return std::unexpected(entries.error());
        for (const JsonReader &entry : *entries) {
            auto provider = textAt(entry, "provider");
            if (!provider) return std::unexpected(provider.error());
            auto match = textAt(entry, "match");
            if (!match) return std::unexpected(match.error());
            auto price = readPrice(entry, date);
            if (!price) return std::unexpected(price.error());
            table.m_entries.append({*provider, *match, isOwn, *price});
        }
        return {};
    };
    for (const auto &[path, isOwn] : {std::pair{bundled, false}, std::pair{own, true}}) {
        if (isOwn && (path.isEmpty() || !QFileInfo::exists(path))) continue;
        if (auto done = readFile(path, isOwn); !done)
            return failure("prices.syntax", done.error().message, done.error().detail);
    }
    return table;
}

std::optional<Price> PriceTable::find(const QString &provider, const QString &model, bool onThisMachine) const
{
    if (onThisMachine) return Price{0, 0, 0, 0, {}, QStringLiteral("runs on this machine"), {}};
    const Entry *best = nullptr;
    for (const Entry &entry : m_entries) {
        if (!providerFits(entry.provider, provider) || !modelFits(entry.match, model)) continue;
        const auto rank = [](const Entry &one) { return std::pair(one.own, lengthOf(one.match)); };
        if (!best || rank(entry) > rank(*best)) best = &entry;
    }
    return best ? std::optional(best->price) : std::nullopt;
}

Result<Price> PriceTable::fromText(const QString &text)
{
    const QStringList parts = text.split(u'/');
    QList<double> values;
    for (const QString &part : parts) {
        bool isNumber = false;
        const QString digits = part.trimmed();
        values.append((digits.startsWith(u'$') ? digits.mid(1) : digits).toDouble(&isNumber));
        if (!isNumber || !isPrice(values.last())) values.append(std::nan(""));
    }
    const bool sound = (parts.size() == 2 || parts.size() == 3) && values.size() == parts.size();
    if (!sound) {
        return failure("prices.syntax",
                       QStringLiteral("“%1” is no price; give US dollars for a million tokens as IN/OUT or IN/CACHED/OUT, "
                                      "such as 3/15 or 3/0.3/15")
                           .arg(text));
    }
    Price price;
    price.in = values.first();
    price.cached = values.size() == 3 ? values.at(1) : price.in;
    price.cacheWrite = price.in * cacheWriteFactor;
    price.out = values.last();
    price.date = todayUtc();
    price.source = QStringLiteral("the person");
    return price;
}

Result<void> PriceTable::remember(const QString &own, const QString &provider, const QString &model, const Price &price)
{
    if (!QDir().mkpath(QFileInfo(own).absolutePath())) return writeTrouble(own, QStringLiteral("its folder cannot be made"));
    QLockFile lock(own + QStringLiteral(".lock")); // two programs that remember at once keep both
    if (!lock.tryLock(5000)) return writeTrouble(own, QStringLiteral("another program holds it, or its folder is read-only"));
    QJsonObject top{{"date", todayUtc()}, {"note", "Prices you gave: US dollars for a million tokens. They go before the bundled ones."}};
    if (QFileInfo::exists(own)) {
        // Read in full first: a damaged file stays as it is.
        if (auto sound = read(own, {}); !sound) return std::unexpected(sound.error());
        auto reader = JsonReader::open(own, QStringLiteral("prices"));
        if (!reader) return failure("prices.syntax", reader.error().message);
        top = reader->value().toObject();
    }
    QJsonObject entry = price.toJson();
    entry.insert("provider", provider);
    entry.insert("match", model);
    QJsonArray models;
    for (const QJsonValue &one : top.value(u"models").toArray())
        if (one[u"provider"] != provider || one[u"match"] != model) models.append(one);
    models.append(entry);
    top.insert("models", models);
    QSaveFile file(own);
    const QByteArray text = QJsonDocument(top).toJson(QJsonDocument::Indented);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit())
        return writeTrouble(own, file.errorString());
    return {};
}

qint64 estimatedTokens(const QString &text)
{
    return (text.toUtf8().size() + 2) / 3;
}

qint64 estimatedTokens(const Request &request)
{
    constexpr qint64 around = 16; // role, separators, names of fields
    const auto ofJson = [](const auto &json) {
        return json.isEmpty() ? 0 : estimatedTokens(QString::fromUtf8(QJsonDocument(json).toJson(QJsonDocument::Compact)));
    };
    qint64 tokens = around + estimatedTokens(request.system) + ofJson(request.schema) + estimatedTokens(request.schemaName);
    for (const Message &message : request.messages) {
        tokens += around + estimatedTokens(message.text) + estimatedTokens(message.toolCallId) + ofJson(message.verbatim);
        for (const ToolCall &call : message.toolCalls) {
            const qint64 arguments = std::max(ofJson(call.arguments), estimatedTokens(call.argumentsText));
            tokens += around + estimatedTokens(call.id) + estimatedTokens(call.name) + arguments;
        }
    }
    for (const Tool &tool : request.tools)
        tokens += around + estimatedTokens(tool.name) + estimatedTokens(tool.description) + ofJson(tool.parameters);
    return tokens;
}

} // namespace kernelskill::llm
