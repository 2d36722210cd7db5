// SPDX-License-Identifier: Apache-2.0
#include "wire/cassette_file.h"

#include "base/json_reader.h"
#include "secrets/secrets.h"

#include <QCryptographicHash>
#include <QFile>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QUrlQuery>

#include <algorithm>
#include <array>

namespace kernelskill::llm {

namespace {

constexpr int version = 1;
const QString prefix = QStringLiteral("cassette");
const QString redactedText = QStringLiteral("[redacted]");

// Of a request: who or when, not what.
constexpr std::array ignoredRequestHeaders{
    "authorization", "proxy-authorization", "x-api-key",       "x-goog-api-key", "api-key",
    "cookie",        "user-agent",          "idempotency-key", "x-request-id",   "date",
    "connection",    "content-length",      "accept-encoding"};
// Of an answer: whose account it is.
constexpr std::array privateAnswerHeaders{"set-cookie", "openai-organization", "openai-project",
                                          "anthropic-organization-id"};

bool isIn(const auto &names, const QByteArray &name)
{
    return std::ranges::any_of(names, [&](const char *other) { return name == other; });
}

QString withoutSecrets(QUrl url)
{
    static const QRegularExpression secret(QStringLiteral("^(.*[-_])?(key|apikey|token|secret|sig|signature|code)$"),
                                           QRegularExpression::CaseInsensitiveOption);
    url.setUserInfo(QString());
    QUrlQuery query;
    for (const auto &[name, value] : QUrlQuery(url).queryItems(QUrl::FullyEncoded))
        query.addQueryItem(name, secret.match(name).hasMatch() ? redactedText : value);
    url.setQuery(query.isEmpty() ? QString() : query.query(QUrl::FullyEncoded));
    return secrets::redacted(QString::fromUtf8(url.toEncoded()));
}

QJsonValue fromBytes(const QByteArray &bytes)
{
    const QString text = QString::fromUtf8(bytes);
    if (text.toUtf8() == bytes) return text;
    return QJsonObject{{QStringLiteral("base64"), QString::fromLatin1(bytes.toBase64())}};
}

Result<QByteArray> toBytes(const JsonReader &reader)
{
    if (!reader.value().isObject()) {
        const auto text = reader.text();
        return text ? Result<QByteArray>(text->toUtf8()) : std::unexpected(text.error());
    }
    const auto encoded = reader.member("base64").and_then([](const JsonReader &member) { return member.text(); });
    if (!encoded) return std::unexpected(encoded.error());
    const auto decoded = QByteArray::fromBase64Encoding(encoded->toLatin1(), QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded) return reader.refuse(QStringLiteral("this is no base64"));
    return *decoded;
}

QByteArray canonicalBody(const QByteArray &body)
{
    const QJsonDocument document = QJsonDocument::fromJson(body);
    return document.isNull() ? body : document.toJson(QJsonDocument::Compact);
}

QJsonObject answerToJson(const HttpAnswer &answer, const QList<QByteArray> &chunks)
{
    QJsonArray headers, pieces;
    for (const auto &[name, value] : answer.headers)
        headers.append(QJsonArray{QString::fromLatin1(name), QString::fromLatin1(value)});
    for (const QByteArray &chunk : chunks)
        pieces.append(fromBytes(chunk));
    QJsonObject json{{QStringLiteral("status"), answer.status},
                     {QStringLiteral("headers"), headers},
                     {QStringLiteral("chunks"), pieces}};
    if (answer.cut) json.insert(QStringLiteral("cut"), true);
    return json;
}

QByteArray compact(const QJsonObject &json)
{
    return QJsonDocument(json).toJson(QJsonDocument::Compact);
}

} // namespace

QByteArray RecordedRequest::key() const
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const QByteArray &part : {provider.toUtf8(), method, url.toUtf8(), compact(headers), canonicalBody(body)}) {
        hash.addData(QByteArray::number(part.size()) + ':');
        hash.addData(part);
    }
    return hash.result().toHex();
}

QJsonObject RecordedRequest::toJson() const
{
    return {{QStringLiteral("provider"), provider},
            {QStringLiteral("method"), QString::fromLatin1(method)},
            {QStringLiteral("url"), url},
            {QStringLiteral("headers"), headers},
            {QStringLiteral("body"), fromBytes(body)}};
}

RecordedRequest redactedRequest(const HttpRequest &request)
{
    // Also a key that was found in no place of ours.
    const QByteArray secret = request.secretHeader.second.trimmed();
    for (const QByteArray &value : {secret, secret.mid(secret.lastIndexOf(' ') + 1)}) {
        if (!value.isEmpty()) secrets::alsoRedact(QString::fromUtf8(value));
    }
    RecordedRequest recorded{request.provider, request.method, withoutSecrets(request.url), {}, {}};
    for (const auto &[name, value] : request.headers) {
        const QByteArray lower = name.toLower();
        if (isIn(ignoredRequestHeaders, lower) || lower == request.secretHeader.first.toLower()) continue;
        recorded.headers.insert(QString::fromLatin1(lower), secrets::redacted(QString::fromLatin1(value)));
    }
    recorded.body = secrets::redacted(request.body);
    return recorded;
}

RecordedExchange redactedExchange(RecordedRequest request, int ordinal, Result<HttpAnswer> result,
                                  const QList<QByteArray> &chunks)
{
    RecordedExchange exchange{std::move(request), ordinal, std::move(result), {}, 0};
    if (!exchange.result) {
        Error &error = exchange.result.error();
        error.message = secrets::redacted(error.message);
        error.detail.clear();
        return exchange;
    }
    HttpAnswer &answer = *exchange.result;
    answer.headers.removeIf([](const auto &header) { return isIn(privateAnswerHeaders, header.first); });
    for (auto &header : answer.headers)
        header.second = secrets::redacted(header.second);
    for (const QByteArray &chunk : chunks)
        exchange.chunks.append(secrets::redacted(chunk));
    const QByteArray whole = secrets::redacted(chunks.join());
    if (exchange.chunks.join() != whole) exchange.chunks = {whole};
    answer.body.clear();
    return exchange;
}

QByteArray RecordedExchange::toLine() const
{
    // What was asked comes first, as one reads it; QJsonObject would sort.
    QByteArray line = "{\"request\":" + compact(request.toJson()) + ",\"ordinal\":" + QByteArray::number(ordinal);
    if (result)
        line += ",\"answer\":" + compact(answerToJson(*result, chunks));
    else
        line += ",\"error\":" + compact({{QStringLiteral("code"), result.error().code},
                                         {QStringLiteral("message"), result.error().message}});
    return line + "}\n";
}

QByteArray cassetteHead()
{
    return "{\"kernelskill_cassette\":" + QByteArray::number(version) + "}\n";
}

namespace {

// Reads values until one is not as it should be; that error stands.
class Fields
{
public:
    QString text(const Result<JsonReader> &field)
    {
        return value<QString>(field, [](const JsonReader &reader) { return reader.text(); });
    }
    int number(const Result<JsonReader> &field)
    {
        return int(value<qint64>(field, [](const JsonReader &reader) { return reader.integer(); }));
    }
    QByteArray bytes(const Result<JsonReader> &field)
    {
        return value<QByteArray>(field, [](const JsonReader &reader) { return toBytes(reader); });
    }
    QList<JsonReader> elements(const Result<JsonReader> &field)
    {
        return value<QList<JsonReader>>(field, [](const JsonReader &reader) { return reader.elements(); });
    }
    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }

private:
    template <class Value> Value value(const Result<JsonReader> &field, auto read)
    {
        const Result<Value> found = field.and_then(read);
        if (found) return *found;
        if (!m_error) m_error = found.error();
        return {};
    }
    std::optional<Error> m_error;
};

Result<RecordedRequest> readRequest(const JsonReader &reader)
{
    Fields fields;
    RecordedRequest request;
    request.provider = fields.text(reader.member("provider"));
    request.method = fields.text(reader.member("method")).toLatin1();
    request.url = fields.text(reader.member("url"));
    request.body = fields.bytes(reader.member("body"));
    if (fields.error()) return std::unexpected(*fields.error());
    const auto headers = reader.member("headers");
    if (!headers) return std::unexpected(headers.error());
    const auto names = headers->keys();
    if (!names) return std::unexpected(names.error());
    for (const QString &name : *names)
        request.headers.insert(name, fields.text(headers->member(name)));
    if (fields.error()) return std::unexpected(*fields.error());
    return request;
}

Result<void> readAnswer(const JsonReader &reader, RecordedExchange &exchange)
{
    Fields fields;
    HttpAnswer answer;
    answer.status = fields.number(reader.member("status"));
    answer.cut = reader.value().toObject().value(QStringLiteral("cut")).toBool();
    for (const JsonReader &header : fields.elements(reader.member("headers"))) {
        const QList<JsonReader> pair = fields.elements(header);
        if (pair.size() != 2 && !fields.error()) return header.refuse(QStringLiteral("expected [name, value]"));
        if (pair.size() == 2) answer.headers.append({fields.text(pair[0]).toLatin1(), fields.text(pair[1]).toLatin1()});
    }
    for (const JsonReader &chunk : fields.elements(reader.member("chunks")))
        exchange.chunks.append(fields.bytes(chunk));
    if (fields.error()) return std::unexpected(*fields.error());
    exchange.result = answer;
    return {};
}

Result<RecordedExchange> readExchange(const JsonReader &reader)
{
    RecordedExchange exchange;
    const auto request = reader.member("request").and_then(readRequest);
    if (!request) return std::unexpected(request.error());
    exchange.request = *request;
    Fields fields;
    exchange.ordinal = fields.number(reader.member("ordinal"));
    if (reader.has("error")) {
        const auto error = reader.member("error");
        const QString code = fields.text(error->member("code")), message = fields.text(error->member("message"));
        exchange.result = failure(code, message);
    }
    if (fields.error()) return std::unexpected(*fields.error());
    if (reader.has("error")) return exchange;
    const auto answer =
        reader.member("answer").and_then([&](const JsonReader &member) { return readAnswer(member, exchange); });
    if (!answer) return std::unexpected(answer.error());
    return exchange;
}

Result<void> checkHead(const QByteArray &line, const QString &place)
{
    const auto number = JsonReader::parse(line, place, prefix)
                            .and_then([](const JsonReader &head) { return head.member("kernelskill_cassette"); })
                            .and_then([](const JsonReader &member) { return member.integer(); });
    if (!number) return std::unexpected(number.error());
    if (*number != version)
        return failure(
            QStringLiteral("cassette.version"),
            QStringLiteral("%1: this cassette has version %2, this program plays version %3: record it again.")
                .arg(place)
                .arg(*number)
                .arg(version));
    return {};
}

} // namespace

Result<QList<RecordedExchange>> readCassette(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return failure(QStringLiteral("cassette.missing_file"),
                       QStringLiteral("%1: the cassette cannot be read (%2).").arg(path, file.errorString()));
    QList<RecordedExchange> exchanges;
    for (int line = 1; line == 1 || !file.atEnd(); ++line) {
        const QByteArray text = file.readLine();
        const QString place = QStringLiteral("%1:%2").arg(path).arg(line);
        if (line == 1) {
            if (const auto checked = checkHead(text, place); !checked) return std::unexpected(checked.error());
            continue;
        }
        if (text.trimmed().isEmpty()) continue;
        auto exchange = JsonReader::parse(text, place, prefix).and_then(readExchange);
        if (!exchange && !text.endsWith('\n')) break;
        if (!exchange) return std::unexpected(exchange.error());
        exchange->line = line;
        exchanges.append(*std::move(exchange));
    }
    return exchanges;
}

} // namespace kernelskill::llm
