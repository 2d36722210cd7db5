// SPDX-License-Identifier: Apache-2.0
#include "providers/request_parts.h"

#include "providers/error_body.h"

#include <QJsonDocument>
#include <QSet>
#include <QRegularExpression>

#include <algorithm>

namespace kernelskill::llm {

QUrl joinedUrl(const Endpoint &endpoint, const QString &path, const QString &query)
{
    QUrl url = endpoint.base;
    QString whole = url.path(QUrl::FullyEncoded);
    while (whole.endsWith(QLatin1Char('/')))
        whole.chop(1);
    url.setPath(whole + QLatin1Char('/') + path, QUrl::TolerantMode);
    QStringList queries;
    for (const QString &part : {url.query(QUrl::FullyEncoded), query, endpoint.query})
        if (!part.isEmpty())
            queries.append(part);
    url.setQuery(queries.isEmpty() ? QString() : queries.join(QLatin1Char('&')));
    return url;
}

QPair<QByteArray, QByteArray> keyHeader(const Endpoint &endpoint, const QByteArray &usual)
{
    if (endpoint.key.isEmpty())
        return {};
    const QByteArray name = endpoint.keyHeader.isEmpty() ? usual : endpoint.keyHeader.toUtf8();
    const QByteArray key = endpoint.key.toUtf8();
    return {name, name.toLower() == "authorization" ? "Bearer " + key : key};
}

QByteArray compactJson(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

HttpRequest jsonRequest(const QUrl &url, const QPair<QByteArray, QByteArray> &secretHeader, const QJsonObject &body)
{
    return {"POST", url, {{"Content-Type", "application/json"}}, secretHeader, compactJson(body)};
}

HttpRequest getRequest(const QUrl &url, const QPair<QByteArray, QByteArray> &secretHeader)
{
    return {"GET", url, {{"Accept", "application/json"}}, secretHeader, {}};
}

bool sendsSchema(const Request &request, const ModelTraits &traits)
{
    return traits.schema && !request.schema.isEmpty();
}

QString systemText(const Request &request, const ModelTraits &traits)
{
    if (request.schema.isEmpty() || traits.schema)
        return request.system;
    const QString words = QStringLiteral("Reply with one JSON object and nothing else: no prose around it, no code fence. "
                                         "It must be valid by this JSON Schema:\n")
        + QString::fromUtf8(compactJson(request.schema));
    return request.system.isEmpty() ? words : request.system + QStringLiteral("\n\n") + words;
}

int outputTokens(const Request &request, const ModelTraits &traits)
{
    return traits.outputLimit > 0 ? qMin(request.maxOutputTokens, traits.outputLimit) : request.maxOutputTokens;
}

QString schemaName(const Request &request)
{
    QString name = request.schemaName.left(64);
    static const QRegularExpression others(QStringLiteral("[^A-Za-z0-9_-]"));
    name.replace(others, QStringLiteral("_"));
    return name.isEmpty() ? QStringLiteral("reply") : name;
}

namespace {

bool isStrictValue(const QJsonValue &value)
{
    if (value.isArray())
        return std::ranges::all_of(value.toArray(), [](const QJsonValue &item) { return isStrictValue(item); });
    return !value.isObject() || isStrict(value.toObject());
}

} // namespace

bool isStrict(const QJsonObject &schema)
{
    const QJsonValue type = schema[QStringLiteral("type")];
    const bool object = type == QLatin1String("object") || type.toArray().contains(QLatin1String("object"))
        || schema.contains(QStringLiteral("properties"));
    const QJsonObject properties = schema[QStringLiteral("properties")].toObject();
    if (object) {
        if (schema[QStringLiteral("additionalProperties")] != QJsonValue(false))
            return false;
        const QJsonArray required = schema[QStringLiteral("required")].toArray();
        for (auto it = properties.begin(); it != properties.end(); ++it)
            if (!required.contains(it.key()))
                return false;
    }
    for (const char *inner : {"items", "anyOf", "oneOf", "allOf", "prefixItems"})
        if (!isStrictValue(schema[QLatin1String(inner)]))
            return false;
    const QJsonObject definitions = schema[QStringLiteral("$defs")].toObject();
    const auto strict = [](const QJsonValue &value) { return isStrictValue(value); };
    return std::ranges::all_of(properties, strict) && std::ranges::all_of(definitions, strict);
}

namespace {

QJsonValue withoutKeywordsValue(const QJsonValue &value, const QStringList &keywords)
{
    if (value.isObject())
        return withoutKeywords(value.toObject(), keywords);
    if (!value.isArray())
        return value;
    QJsonArray items;
    const QJsonArray all = value.toArray();
    for (const QJsonValue &item : all)
        items.append(withoutKeywordsValue(item, keywords));
    return items;
}

} // namespace

QJsonObject withoutKeywords(const QJsonObject &schema, const QStringList &keywords)
{
    QJsonObject kept;
    QStringList told;
    for (auto it = schema.begin(); it != schema.end(); ++it) {
        const QString key = it.key();
        const QJsonValue value = it.value();
        if (keywords.contains(key)) {
            const QString shown = QString::fromUtf8(QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact));
            told.append(key + QLatin1Char(' ') + shown.sliced(1, shown.size() - 2));
        } else if (key == QLatin1String("properties") || key == QLatin1String("$defs")) {
            QJsonObject inner;
            const QJsonObject all = value.toObject();
            for (auto property = all.begin(); property != all.end(); ++property)
                inner.insert(property.key(), withoutKeywordsValue(property.value(), keywords));
            kept.insert(key, inner);
        } else if (key == QLatin1String("enum") || key == QLatin1String("const") || key == QLatin1String("default")) {
            kept.insert(key, value);
        } else {
            kept.insert(key, withoutKeywordsValue(value, keywords));
        }
    }
    if (told.isEmpty())
        return kept;
    const QString description = kept[QStringLiteral("description")].toString();
    const QString note = QLatin1Char('(') + told.join(QStringLiteral(", ")) + QLatin1Char(')');
    kept.insert(QStringLiteral("description"), description.isEmpty() ? note : description + QLatin1Char(' ') + note);
    return kept;
}

namespace {

QList<Message> withIds(QList<Message> messages)
{
    QStringList unanswered; // made-up ids of the calls that no result names
    for (qsizetype at = 0; at < messages.size(); ++at) {
        Message &message = messages[at];
        if (message.from == Message::From::Assistant)
            unanswered.clear();
        for (qsizetype call = 0; call < message.toolCalls.size(); ++call) {
            ToolCall &made = message.toolCalls[call];
            if (!made.id.isEmpty())
                continue;
            made.id = QStringLiteral("call_%1_%2").arg(at).arg(call);
            unanswered.append(made.id);
        }
        if (message.from == Message::From::Tool && message.toolCallId.isEmpty() && !unanswered.isEmpty())
            message.toolCallId = unanswered.takeFirst();
    }
    return messages;
}

QList<Message> inWords(QList<Message> messages)
{
    const QList<Message> before = messages;
    for (qsizetype at = 0; at < messages.size(); ++at) {
        Message &message = messages[at];
        if (message.from == Message::From::Tool) {
            const QString name = toolName(before, at);
            message.text = QStringLiteral("Result of %1:\n%2").arg(name.isEmpty() ? QStringLiteral("the tool") : name,
                                                                   message.text);
            message.from = Message::From::User;
            message.toolCallId.clear();
        }
        QStringList said;
        if (!message.text.isEmpty())
            said.append(message.text);
        for (const ToolCall &call : message.toolCalls)
            said.append(QStringLiteral("Call of %1: %2").arg(call.name, argumentsTextOf(call)));
        message.text = said.join(QStringLiteral("\n\n"));
        if (!message.toolCalls.isEmpty())
            message.verbatim = {};
        message.toolCalls.clear();
    }
    return messages;
}

} // namespace

QList<Message> conversation(const Request &request, const ModelTraits &traits)
{
    QList<Message> messages = withIds(request.messages);
    return traits.tools ? messages : inWords(std::move(messages));
}

QString toolName(const QList<Message> &messages, qsizetype position)
{
    const QString id = messages[position].toolCallId;
    for (qsizetype at = position - 1; at >= 0 && !id.isEmpty(); --at)
        for (const ToolCall &call : messages[at].toolCalls)
            if (call.id == id)
                return call.name;
    return {};
}

QJsonObject argumentsOf(const ToolCall &call)
{
    return call.arguments.isEmpty() ? QJsonDocument::fromJson(call.argumentsText.toUtf8()).object() : call.arguments;
}

QString argumentsTextOf(const ToolCall &call)
{
    if (QJsonDocument::fromJson(call.argumentsText.toUtf8()).isObject())
        return call.argumentsText;
    return QString::fromUtf8(compactJson(call.arguments));
}

QJsonArray markedVerbatim(const QString &provider, const QJsonArray &items)
{
    QJsonArray marked;
    for (const QJsonValue &item : items)
        marked.append(QJsonObject{{QStringLiteral("of"), provider}, {QStringLiteral("item"), item}});
    return marked;
}

QJsonArray verbatimOf(const QString &provider, const Message &message)
{
    QJsonArray items;
    for (const QJsonValue &marked : message.verbatim)
        if (marked[QStringLiteral("of")] == provider)
            items.append(marked[QStringLiteral("item")]);
    return items;
}

Result<QStringList> namesIn(const QByteArray &body, const QString &list, const QStringList &keys)
{
    const QJsonDocument document = QJsonDocument::fromJson(body);
    if (const auto error = errorIn(document.object()))
        return failure(QStringLiteral("llm.models"), error->message);
    const QJsonArray entries = document.isArray() ? document.array() : document.object()[list].toArray();
    if (entries.isEmpty() && !document.object()[list].isArray() && !document.isArray())
        return failure(QStringLiteral("llm.models"), QStringLiteral("The answer holds no list of models."),
                       QString::fromUtf8(body.left(2000)));
    QStringList names;
    for (const QJsonValue &entry : entries) {
        for (const QString &key : keys) {
            if (const QString name = entry[key].toString(); !name.isEmpty()) {
                names.append(name);
                break;
            }
        }
    }
    names.removeDuplicates();
    return names;
}

} // namespace kernelskill::llm
