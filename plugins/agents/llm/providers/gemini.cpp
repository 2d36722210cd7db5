// SPDX-License-Identifier: Apache-2.0
// Google's Gemini: generateContent.
#include "providers/adapters.h"
#include "providers/error_body.h"
#include "providers/event_reader.h"
#include "providers/request_parts.h"

#include <QRegularExpression>

#include <algorithm>

namespace kernelskill::llm {

namespace {

const QString ownId = QStringLiteral("gemini");
const QString partsField = QStringLiteral("parts");
const QString textField = QStringLiteral("text");
const QString signature = QStringLiteral("thoughtSignature");
const QString functionCall = QStringLiteral("functionCall");

class GeminiReader : public EventReader
{
public:
    using EventReader::EventReader;

protected:
    void take(const QByteArray &, const QJsonObject &chunk) override;
    void takeWhole(const QJsonObject &answer) override { take({}, answer); }
    void close() override;

private:
    void takePart(const QJsonObject &part);
    void keepPart(const QJsonObject &part);
    void takeFinish(const QString &reason, const QString &message);
    void takeUsage(const QJsonObject &given);

    QJsonArray m_parts; // as they are sent back
    QString m_reason;
    Stop m_stop = Stop::End;
    bool m_signed = false;
    int m_calls = 0;
};

void GeminiReader::take(const QByteArray &, const QJsonObject &chunk)
{
    model(chunk[QStringLiteral("modelVersion")].toString());
    const QJsonArray candidates = chunk[QStringLiteral("candidates")].toArray();
    for (const QJsonValue &candidate : candidates) {
        if (candidate[QStringLiteral("index")].toInt() != 0)
            continue;
        const QJsonArray parts = candidate[QStringLiteral("content")][partsField].toArray();
        for (const QJsonValue &part : parts)
            takePart(part.toObject());
        takeFinish(candidate[QStringLiteral("finishReason")].toString(),
                   candidate[QStringLiteral("finishMessage")].toString());
    }
    takeUsage(chunk[QStringLiteral("usageMetadata")].toObject());
    // The prompt was refused: there is no candidate then.
    const QString blocked = chunk[QStringLiteral("promptFeedback")][QStringLiteral("blockReason")].toString();
    if (!blocked.isEmpty() && candidates.isEmpty()) {
        m_reason = blocked;
        m_stop = Stop::Filter;
        ended();
    }
}

void GeminiReader::takePart(const QJsonObject &part)
{
    keepPart(part);
    if (part.contains(functionCall)) {
        const QJsonObject call = part[functionCall].toObject();
        wholeToolCall(QString::number(m_calls++), call[QStringLiteral("id")].toString(),
                      call[QStringLiteral("name")].toString(), call[QStringLiteral("args")].toObject());
        return;
    }
    const QString said = part[textField].toString();
    if (part[QStringLiteral("thought")].toBool())
        reasoning(said);
    else
        text(said);
}

// Pieces of plain text run together; a part with a signature stays by itself, as it came. Thoughts without one are not
// wanted back.
void GeminiReader::keepPart(const QJsonObject &part)
{
    const bool isSigned = part.contains(signature);
    m_signed = m_signed || isSigned;
    if (part[QStringLiteral("thought")].toBool() && !isSigned)
        return;
    const auto plain = [](const QJsonObject &object) { return object.size() == 1 && object.contains(textField); };
    if (plain(part) && !m_parts.isEmpty() && plain(m_parts.last().toObject())) {
        const QString before = m_parts.last()[textField].toString();
        m_parts.replace(m_parts.size() - 1, QJsonObject{{textField, QString(before + part[textField].toString())}});
        return;
    }
    m_parts.append(part);
}

void GeminiReader::takeFinish(const QString &reason, const QString &message)
{
    static const QStringList filters = {QStringLiteral("SAFETY"),     QStringLiteral("RECITATION"),
                                        QStringLiteral("BLOCKLIST"),  QStringLiteral("PROHIBITED_CONTENT"),
                                        QStringLiteral("SPII"),       QStringLiteral("IMAGE_SAFETY"),
                                        QStringLiteral("MODEL_ARMOR")};
    if (reason.isEmpty() || reason == QLatin1String("FINISH_REASON_UNSPECIFIED"))
        return;
    m_reason = reason;
    if (reason == QLatin1String("STOP"))
        m_stop = m_calls > 0 ? Stop::ToolCalls : Stop::End;
    else if (reason == QLatin1String("MAX_TOKENS"))
        m_stop = Stop::Length;
    else if (filters.contains(reason))
        m_stop = Stop::Filter;
    else // MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, OTHER and what else there will be: no answer to work with
        return fail(reason, message.isEmpty() ? QStringLiteral("The model stopped: %1.").arg(reason) : message);
    ended();
}

// Thoughts are not in candidatesTokenCount; what tools put into the prompt is not in promptTokenCount.
void GeminiReader::takeUsage(const QJsonObject &given)
{
    if (given.isEmpty())
        return;
    Usage usage;
    usage.tokensReasoning = count(given[QStringLiteral("thoughtsTokenCount")]);
    usage.tokensIn = count(given[QStringLiteral("promptTokenCount")]) + count(given[QStringLiteral("toolUsePromptTokenCount")]);
    usage.tokensOut = count(given[QStringLiteral("candidatesTokenCount")]) + usage.tokensReasoning;
    usage.tokensCached = count(given[QStringLiteral("cachedContentTokenCount")]);
    usage.known = true;
    EventReader::usage(usage);
}

void GeminiReader::close()
{
    if (!sawEnd())
        return;
    if (m_signed)
        verbatim(markedVerbatim(ownId, m_parts));
    stop(m_stop, m_reason);
}

class Gemini : public Provider
{
public:
    [[nodiscard]] QString id() const override { return ownId; }
    [[nodiscard]] HttpRequest request(const Request &request, const Endpoint &endpoint,
                                      const ModelTraits &traits) const override;
    [[nodiscard]] std::unique_ptr<StreamReader> reader(const QByteArray &contentType) const override
    {
        return std::make_unique<GeminiReader>(EventReader::Framing::Events, contentType);
    }
    [[nodiscard]] Refusal refusal(int status, const QByteArray &body, const ModelTraits &traits) const override;
    [[nodiscard]] HttpRequest modelsRequest(const Endpoint &endpoint) const override;
    [[nodiscard]] Result<QStringList> models(const QByteArray &body) const override;
    [[nodiscard]] QUrl defaultBase() const override
    {
        return QUrl(QStringLiteral("https://generativelanguage.googleapis.com"));
    }
    [[nodiscard]] QStringList keyVariables() const override
    {
        return {QStringLiteral("GEMINI_API_KEY"), QStringLiteral("GOOGLE_API_KEY")};
    }
    [[nodiscard]] QStringList baseVariables() const override { return {QStringLiteral("GOOGLE_GEMINI_BASE_URL")}; }
};

// The API's version belongs to the path unless the base already has one.
QString pathUnder(const Endpoint &endpoint, const QString &path)
{
    static const QRegularExpression version(QStringLiteral("/v\\d+(alpha|beta)?\\d*/?$"));
    return endpoint.base.path().contains(version) ? path : QStringLiteral("v1beta/") + path;
}

// Whether the kept parts still say what the message says; else they are dropped whole.
bool matches(const QJsonArray &parts, const Message &message)
{
    QString said;
    QStringList keptCalls, calls;
    for (const QJsonValue &part : parts) {
        if (part.toObject().contains(functionCall))
            keptCalls.append(part[functionCall][QStringLiteral("name")].toString());
        else if (!part[QStringLiteral("thought")].toBool())
            said += part[textField].toString();
    }
    for (const ToolCall &call : message.toolCalls)
        calls.append(call.name);
    return keptCalls == calls && said.trimmed() == message.text.trimmed();
}

bool isMadeUp(const QString &callId)
{
    return callId.startsWith(QLatin1String("call_"));
}

QJsonArray modelParts(const Message &message)
{
    if (const QJsonArray kept = verbatimOf(ownId, message); !kept.isEmpty() && matches(kept, message))
        return kept;
    QJsonArray parts;
    if (!message.text.isEmpty())
        parts.append(QJsonObject{{textField, message.text}});
    for (const ToolCall &call : message.toolCalls) {
        QJsonObject object{{QStringLiteral("name"), call.name}, {QStringLiteral("args"), argumentsOf(call)}};
        if (!isMadeUp(call.id))
            object.insert(QStringLiteral("id"), call.id);
        parts.append(QJsonObject{{functionCall, object}});
    }
    return parts;
}

QJsonArray partsOf(const QList<Message> &messages, qsizetype at)
{
    const Message &message = messages[at];
    if (message.from == Message::From::Assistant)
        return modelParts(message);
    if (message.from == Message::From::User)
        return {QJsonObject{{textField, message.text}}};
    QJsonObject response{{QStringLiteral("name"), toolName(messages, at)},
                         {QStringLiteral("response"), QJsonObject{{QStringLiteral("output"), message.text}}}};
    if (!isMadeUp(message.toolCallId))
        response.insert(QStringLiteral("id"), message.toolCallId);
    return {QJsonObject{{QStringLiteral("functionResponse"), response}}};
}

QJsonArray contentsOf(const Request &request, const ModelTraits &traits)
{
    QJsonArray contents;
    const QList<Message> messages = conversation(request, traits);
    const QString role = QStringLiteral("role");
    for (qsizetype at = 0; at < messages.size(); ++at) {
        const bool ofModel = messages[at].from == Message::From::Assistant;
        const QString who = ofModel ? QStringLiteral("model") : QStringLiteral("user");
        QJsonArray parts = partsOf(messages, at);
        if (parts.isEmpty())
            continue;
        if (!contents.isEmpty() && contents.last()[role] == who) {
            QJsonArray before = contents.last()[partsField].toArray();
            for (const QJsonValue &part : std::as_const(parts))
                before.append(part);
            contents.removeLast();
            parts = before;
        }
        contents.append(QJsonObject{{role, who}, {partsField, parts}});
    }
    return contents;
}

// What responseJsonSchema has no word for is told in the description.
QJsonObject accepted(const QJsonObject &schema)
{
    return withoutKeywords(schema, {QStringLiteral("minLength"), QStringLiteral("maxLength"), QStringLiteral("pattern"),
                                    QStringLiteral("uniqueItems"), QStringLiteral("multipleOf")});
}

QJsonObject thinkingConfig(const Request &request, const ModelTraits &traits)
{
    QJsonObject config{{QStringLiteral("includeThoughts"), true}};
    if (traits.reasoningLevels) {
        config.insert(QStringLiteral("thinkingLevel"), request.reasoning);
        return config;
    }
    const int wanted = request.reasoning == QLatin1String("high") ? 16384
        : request.reasoning == QLatin1String("medium")            ? 8192
                                                                  : 1024;
    config.insert(QStringLiteral("thinkingBudget"), qMin(wanted, outputTokens(request, traits) / 2));
    return config;
}

QJsonObject generationConfig(const Request &request, const ModelTraits &traits)
{
    QJsonObject config{{QStringLiteral("maxOutputTokens"), outputTokens(request, traits)}};
    if (traits.temperature && request.temperature)
        config.insert(QStringLiteral("temperature"), *request.temperature);
    if (traits.reasoning && !request.reasoning.isEmpty())
        config.insert(QStringLiteral("thinkingConfig"), thinkingConfig(request, traits));
    if (sendsSchema(request, traits)) {
        config.insert(QStringLiteral("responseMimeType"), QStringLiteral("application/json"));
        config.insert(QStringLiteral("responseJsonSchema"), accepted(request.schema));
    }
    return config;
}

HttpRequest Gemini::request(const Request &request, const Endpoint &endpoint, const ModelTraits &traits) const
{
    QJsonObject body{{QStringLiteral("contents"), contentsOf(request, traits)},
                     {QStringLiteral("generationConfig"), generationConfig(request, traits)}};
    if (const QString system = systemText(request, traits); !system.isEmpty())
        body.insert(QStringLiteral("systemInstruction"),
                    QJsonObject{{partsField, QJsonArray{QJsonObject{{textField, system}}}}});
    QJsonArray tools;
    for (const Tool &tool : request.tools)
        tools.append(QJsonObject{{QStringLiteral("name"), tool.name},
                                 {QStringLiteral("description"), tool.description},
                                 {QStringLiteral("parametersJsonSchema"), tool.parameters}});
    if (traits.tools && !tools.isEmpty())
        body.insert(QStringLiteral("tools"), QJsonArray{QJsonObject{{QStringLiteral("functionDeclarations"), tools}}});
    const bool rooted =
        request.model.startsWith(QLatin1String("models/")) || request.model.startsWith(QLatin1String("tunedModels/"));
    const QString model = rooted ? request.model : QStringLiteral("models/") + request.model;
    const QString method = traits.stream ? QStringLiteral(":streamGenerateContent") : QStringLiteral(":generateContent");
    const QUrl url =
        joinedUrl(endpoint, pathUnder(endpoint, model + method), traits.stream ? QStringLiteral("alt=sse") : QString());
    return jsonRequest(url, keyHeader(endpoint, "x-goog-api-key"), body);
}

HttpRequest Gemini::modelsRequest(const Endpoint &endpoint) const
{
    return getRequest(joinedUrl(endpoint, pathUnder(endpoint, QStringLiteral("models")), QStringLiteral("pageSize=1000")),
                      keyHeader(endpoint, "x-goog-api-key"));
}

// Only those that generate text; others embed or draw.
Result<QStringList> Gemini::models(const QByteArray &body) const
{
    QJsonArray generating;
    const QJsonObject answer = parsedObject(body).value_or(QJsonObject());
    const QString list = QStringLiteral("models");
    if (!answer[list].isArray())
        return namesIn(body, list, {});
    const QJsonArray entries = answer[list].toArray();
    for (const QJsonValue &entry : entries) {
        const QJsonValue methods = entry[QStringLiteral("supportedGenerationMethods")];
        if (methods.isArray() && !methods.toArray().contains(QLatin1String("generateContent")))
            continue;
        QString name = entry[QStringLiteral("name")].toString();
        if (name.startsWith(QLatin1String("models/")))
            name.remove(0, 7);
        generating.append(QJsonObject{{QStringLiteral("name"), name}});
    }
    return namesIn(compactJson({{list, generating}}), list, {QStringLiteral("name")});
}

std::optional<ModelTraits> negotiatedThinking(const ErrorBody &error, const ModelTraits &traits)
{
    if (traits.reasoning && traits.reasoningLevels && error.says({"thinking level", "thinkinglevel", "thinking_level"})) {
        ModelTraits next = traits;
        next.reasoningLevels = false;
        return next;
    }
    return usualNegotiation(error, traits);
}

Refusal Gemini::refusal(int status, const QByteArray &body, const ModelTraits &traits) const
{
    const ErrorBody error = errorBody(status, body);
    Refusal refusal = classified(status, error, traits, negotiatedThinking);
    // Tools and a schema together: the schema in words is the smaller loss.
    if (refusal.kind == Refusal::Kind::Parameter && traits.schema && error.says({"response mime type"})) {
        refusal.traits = traits;
        refusal.traits->schema = false;
    }
    return refusal;
}

} // namespace

const Provider &gemini()
{
    static const Gemini adapter;
    return adapter;
}

} // namespace kernelskill::llm
