// SPDX-License-Identifier: Apache-2.0
// OpenAI's chat completions, as OpenAI has them and as the many servers that copy it do: vLLM, SGLang, llama.cpp, LM Studio,
// OpenRouter, Azure and others.
#include "providers/adapters.h"
#include "providers/error_body.h"
#include "providers/event_reader.h"
#include "providers/request_parts.h"

#include <QJsonDocument>

#include <utility>

namespace kernelskill::llm {

namespace {

const QString ownId = QStringLiteral("openai-chat");

// The pieces of parallel calls arrive keyed by index; some servers leave the index at 0 or out, some the id, some make up a
// new id for each piece. Which call a piece is of: the one with its id; else the latest at its index, unless it names a
// tool and that call's arguments are complete.
class CallPieces
{
public:
    struct Piece
    {
        int index = 0;
        QString id, name, arguments;
    };
    // Takes an id out of the piece that is not its call's.
    [[nodiscard]] QString keyOf(Piece &piece)
    {
        qsizetype at = found(piece);
        if (at < 0) {
            at = m_calls.size();
            m_calls.append({piece.index, piece.id, {}});
        }
        if (m_calls[at].id.isEmpty())
            m_calls[at].id = piece.id;
        if (m_calls[at].id != piece.id)
            piece.id.clear();
        m_calls[at].arguments += piece.arguments;
        return QString::number(at);
    }

private:
    [[nodiscard]] qsizetype found(const Piece &piece) const
    {
        qsizetype latest = -1;
        for (qsizetype at = 0; at < m_calls.size(); ++at) {
            if (!piece.id.isEmpty() && m_calls[at].id == piece.id)
                return at;
            if (m_calls[at].index == piece.index)
                latest = at;
        }
        if (latest < 0 || piece.name.isEmpty())
            return latest;
        const bool otherId = !piece.id.isEmpty() && !m_calls[latest].id.isEmpty();
        const bool complete = QJsonDocument::fromJson(m_calls[latest].arguments.toUtf8()).isObject();
        return otherId || complete ? -1 : latest;
    }
    struct Call
    {
        int index;
        QString id, arguments;
    };
    QList<Call> m_calls;
};

class OpenAiChatReader : public EventReader
{
public:
    using EventReader::EventReader;

protected:
    void take(const QByteArray &, const QJsonObject &chunk) override { takeChunk(chunk); }
    void takeWhole(const QJsonObject &answer) override
    {
        takeChunk(answer);
        if (m_sawChoice)
            finishAnswer();
    }
    void takeWord(const QByteArray &word) override
    {
        if (word == "[DONE]" && m_sawChoice)
            finishAnswer();
    }
    void close() override
    {
        // Without [DONE] the answer is whole only if nothing can be missing: it had its reason and then its usage.
        if (!m_finishReason.isEmpty() && m_sawUsage)
            finishAnswer();
    }

private:
    void takeChunk(const QJsonObject &chunk);
    void takeChoice(const QJsonObject &choice);
    void takeDelta(const QJsonObject &delta);
    void takeContent(const QJsonValue &content);
    void takeCall(const QJsonObject &call, int position);
    void takeUsage(const QJsonObject &given);
    void finishAnswer();
    [[nodiscard]] Stop stopReason() const;

    CallPieces m_pieces;
    QJsonObject m_finalChoice;
    QString m_finishReason;
    QString m_thought, m_thoughtField;
    bool m_sawChoice = false, m_sawUsage = false, m_sawCall = false, m_refused = false, m_finished = false;
};

void OpenAiChatReader::takeChunk(const QJsonObject &chunk)
{
    model(chunk[QStringLiteral("model")].toString());
    const QJsonArray choices = chunk[QStringLiteral("choices")].toArray();
    for (const QJsonValue &choice : choices)
        if (choice[QStringLiteral("index")].toInt() == 0 && choice.isObject())
            takeChoice(choice.toObject());
    takeUsage(chunk[QStringLiteral("usage")].toObject());
}

void OpenAiChatReader::takeChoice(const QJsonObject &choice)
{
    m_sawChoice = true;
    if (!m_finishReason.isEmpty() && choice == m_finalChoice)
        return; // the last chunk, sent twice
    QJsonValue delta = choice[QStringLiteral("delta")];
    if (!delta.isObject())
        delta = choice[QStringLiteral("message")];
    takeDelta(delta.toObject());
    const QString reason = choice[QStringLiteral("finish_reason")].toString();
    if (reason.isEmpty())
        return;
    if (reason == QLatin1String("error"))
        return fail(QStringLiteral("error"), QStringLiteral("The provider ended the answer with an error."));
    m_finishReason = reason;
    m_finalChoice = choice;
}

void OpenAiChatReader::takeDelta(const QJsonObject &delta)
{
    for (const QString &field : {QStringLiteral("reasoning_content"), QStringLiteral("reasoning")}) {
        const QString thought = delta[field].toString();
        if (thought.isEmpty())
            continue;
        m_thoughtField = field;
        m_thought += thought;
        reasoning(thought);
        break; // some servers send both, alike
    }
    takeContent(delta[QStringLiteral("content")]);
    if (const QString refusal = delta[QStringLiteral("refusal")].toString(); !refusal.isEmpty()) {
        m_refused = true;
        text(refusal);
    }
    const QJsonArray calls = delta[QStringLiteral("tool_calls")].toArray();
    for (qsizetype position = 0; position < calls.size(); ++position)
        takeCall(calls[position].toObject(), int(position));
    if (const QJsonObject function = delta[QStringLiteral("function_call")].toObject(); !function.isEmpty())
        takeCall({{QStringLiteral("function"), function}}, 0);
}

// Mistral: content in parts, thoughts among them.
void OpenAiChatReader::takeContent(const QJsonValue &content)
{
    text(content.toString());
    const QJsonArray parts = content.toArray();
    for (const QJsonValue &part : parts) {
        text(part[QStringLiteral("text")].toString());
        const QJsonArray thoughts = part[QStringLiteral("thinking")].toArray();
        for (const QJsonValue &thought : thoughts)
            reasoning(thought[QStringLiteral("text")].toString());
    }
}

void OpenAiChatReader::takeCall(const QJsonObject &call, int position)
{
    m_sawCall = true;
    const QJsonObject function = call[QStringLiteral("function")].toObject();
    const QJsonValue arguments = function[QStringLiteral("arguments")];
    CallPieces::Piece piece;
    piece.index = call[QStringLiteral("index")].toInt(position);
    piece.id = call[QStringLiteral("id")].toString();
    piece.name = function[QStringLiteral("name")].toString();
    piece.arguments = arguments.isObject() ? QString::fromUtf8(compactJson(arguments.toObject())) : arguments.toString();
    const QString key = m_pieces.keyOf(piece);
    if (arguments.isObject())
        wholeToolCall(key, piece.id, piece.name, arguments.toObject());
    else
        toolCall(key, piece.id, piece.name, piece.arguments);
}

void OpenAiChatReader::takeUsage(const QJsonObject &given)
{
    if (given.isEmpty())
        return;
    m_sawUsage = true;
    Usage usage;
    usage.tokensIn = count(given[QStringLiteral("prompt_tokens")]);
    usage.tokensOut = count(given[QStringLiteral("completion_tokens")]);
    usage.tokensCached = count(given[QStringLiteral("prompt_tokens_details")][QStringLiteral("cached_tokens")]);
    if (usage.tokensCached == 0) // DeepSeek
        usage.tokensCached = count(given[QStringLiteral("prompt_cache_hit_tokens")]);
    usage.tokensReasoning = count(given[QStringLiteral("completion_tokens_details")][QStringLiteral("reasoning_tokens")]);
    usage.known = true;
    EventReader::usage(usage);
}

Stop OpenAiChatReader::stopReason() const
{
    if (m_finishReason == QLatin1String("length") || m_finishReason == QLatin1String("max_tokens")
        || m_finishReason == QLatin1String("model_length"))
        return Stop::Length;
    if (m_finishReason == QLatin1String("content_filter"))
        return Stop::Filter;
    if (m_refused || m_finishReason == QLatin1String("refusal"))
        return Stop::Refusal;
    return m_sawCall ? Stop::ToolCalls : Stop::End;
}

// DeepSeek wants the thoughts that led to a call back with it, and under the name it gave them.
void OpenAiChatReader::finishAnswer()
{
    if (std::exchange(m_finished, true))
        return;
    if (m_sawCall && !m_thought.isEmpty())
        verbatim(markedVerbatim(ownId, {QJsonObject{{m_thoughtField, m_thought}}}));
    stop(stopReason(), m_finishReason);
    ended();
}

class OpenAiChat : public Provider
{
public:
    [[nodiscard]] QString id() const override { return ownId; }
    [[nodiscard]] HttpRequest request(const Request &request, const Endpoint &endpoint,
                                      const ModelTraits &traits) const override;
    [[nodiscard]] std::unique_ptr<StreamReader> reader(const QByteArray &contentType) const override
    {
        return std::make_unique<OpenAiChatReader>(EventReader::Framing::Events, contentType);
    }
    [[nodiscard]] Refusal refusal(int status, const QByteArray &body, const ModelTraits &traits) const override;
    [[nodiscard]] HttpRequest modelsRequest(const Endpoint &endpoint) const override
    {
        return getRequest(joinedUrl(endpoint, QStringLiteral("models")), keyHeader(endpoint, "Authorization"));
    }
    [[nodiscard]] Result<QStringList> models(const QByteArray &body) const override
    {
        return namesIn(body, QStringLiteral("data"), {QStringLiteral("id"), QStringLiteral("name")});
    }
    [[nodiscard]] QUrl defaultBase() const override { return QUrl(QStringLiteral("https://api.openai.com/v1")); }
    [[nodiscard]] QStringList keyVariables() const override { return {QStringLiteral("OPENAI_API_KEY")}; }
    [[nodiscard]] QStringList baseVariables() const override { return {QStringLiteral("OPENAI_BASE_URL")}; }
};

QJsonObject callObject(const ToolCall &call)
{
    return {{QStringLiteral("id"), call.id},
            {QStringLiteral("type"), QStringLiteral("function")},
            {QStringLiteral("function"), QJsonObject{{QStringLiteral("name"), call.name},
                                                     {QStringLiteral("arguments"), argumentsTextOf(call)}}}};
}

QJsonObject messageObject(const Message &message)
{
    const QString role = QStringLiteral("role"), content = QStringLiteral("content");
    switch (message.from) {
    case Message::From::User:
        return {{role, QStringLiteral("user")}, {content, message.text}};
    case Message::From::Tool:
        return {{role, QStringLiteral("tool")},
                {content, message.text},
                {QStringLiteral("tool_call_id"), message.toolCallId}};
    case Message::From::Assistant:
        break;
    }
    QJsonObject object{{role, QStringLiteral("assistant")}, {content, message.text}};
    QJsonArray calls;
    for (const ToolCall &call : message.toolCalls)
        calls.append(callObject(call));
    if (calls.isEmpty())
        return object;
    object.insert(QStringLiteral("tool_calls"), calls);
    if (message.text.isEmpty())
        object.insert(content, QJsonValue::Null);
    const QJsonObject kept = verbatimOf(ownId, message).first().toObject();
    for (const QString &field : {QStringLiteral("reasoning_content"), QStringLiteral("reasoning")})
        if (kept[field].isString())
            object.insert(field, kept[field]);
    return object;
}

QJsonObject toolObject(const Tool &tool)
{
    QJsonObject function{{QStringLiteral("name"), tool.name},
                         {QStringLiteral("description"), tool.description},
                         {QStringLiteral("parameters"), tool.parameters}};
    if (isStrict(tool.parameters))
        function.insert(QStringLiteral("strict"), true);
    return {{QStringLiteral("type"), QStringLiteral("function")}, {QStringLiteral("function"), function}};
}

QJsonObject responseFormat(const Request &request)
{
    const QJsonObject schema{
        {QStringLiteral("name"), schemaName(request)},
        {QStringLiteral("strict"), true},
        {QStringLiteral("schema"), withoutKeywords(request.schema, {QStringLiteral("minLength"), QStringLiteral("maxLength")})}};
    return {{QStringLiteral("type"), QStringLiteral("json_schema")}, {QStringLiteral("json_schema"), schema}};
}

HttpRequest OpenAiChat::request(const Request &request, const Endpoint &endpoint, const ModelTraits &traits) const
{
    QJsonArray messages;
    if (const QString system = systemText(request, traits); !system.isEmpty())
        messages.append(QJsonObject{{QStringLiteral("role"), QStringLiteral("system")}, {QStringLiteral("content"), system}});
    for (const Message &message : conversation(request, traits))
        messages.append(messageObject(message));
    QJsonObject body{{QStringLiteral("model"), request.model},
                     {QStringLiteral("messages"), messages},
                     {traits.completionTokens ? QStringLiteral("max_completion_tokens") : QStringLiteral("max_tokens"),
                      outputTokens(request, traits)}};
    if (traits.stream) {
        body.insert(QStringLiteral("stream"), true);
        if (traits.streamUsage)
            body.insert(QStringLiteral("stream_options"), QJsonObject{{QStringLiteral("include_usage"), true}});
    }
    if (traits.temperature && request.temperature)
        body.insert(QStringLiteral("temperature"), *request.temperature);
    if (traits.reasoning && !request.reasoning.isEmpty())
        body.insert(QStringLiteral("reasoning_effort"), request.reasoning);
    if (sendsSchema(request, traits))
        body.insert(QStringLiteral("response_format"), responseFormat(request));
    QJsonArray tools;
    for (const Tool &tool : request.tools)
        tools.append(toolObject(tool));
    if (traits.tools && !tools.isEmpty())
        body.insert(QStringLiteral("tools"), tools);
    return jsonRequest(joinedUrl(endpoint, QStringLiteral("chat/completions")), keyHeader(endpoint, "Authorization"), body);
}

// Newer models want max_completion_tokens, servers that copy an older protocol know max_tokens alone.
std::optional<ModelTraits> negotiated(const ErrorBody &error, const ModelTraits &traits)
{
    const bool names = error.says({"max_completion_tokens"});
    const bool unknown = error.says({"unsupported", "not supported", "unknown", "unrecognized", "unrecognised", "not permitted",
                                     "extra_forbidden", "unexpected"});
    const bool suggests = names && error.says({"instead"});
    const bool refusesOld = error.param == QLatin1String("max_tokens") ? unknown || suggests : error.param.isEmpty() && suggests;
    const bool refusesNew = !suggests && names && unknown
        && (error.param.isEmpty() || error.param == QLatin1String("max_completion_tokens"));
    if (traits.completionTokens ? refusesNew : refusesOld) {
        ModelTraits next = traits;
        next.completionTokens = !traits.completionTokens;
        return next;
    }
    return usualNegotiation(error, traits);
}

Refusal OpenAiChat::refusal(int status, const QByteArray &body, const ModelTraits &traits) const
{
    return classified(status, errorBody(status, body), traits, negotiated);
}

} // namespace

const Provider &openAiChat()
{
    static const OpenAiChat adapter;
    return adapter;
}

} // namespace kernelskill::llm
