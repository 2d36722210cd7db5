// SPDX-License-Identifier: Apache-2.0
// Anthropic's messages.
#include "providers/adapters.h"
#include "providers/error_body.h"
#include "providers/event_reader.h"
#include "providers/request_parts.h"

#include <QJsonDocument>
#include <QMap>

namespace kernelskill::llm {

namespace {

const QString ownId = QStringLiteral("anthropic");
const QString type = QStringLiteral("type");
const QString textField = QStringLiteral("text");

class AnthropicReader : public EventReader
{
public:
    using EventReader::EventReader;

protected:
    void take(const QByteArray &name, const QJsonObject &data) override;
    void takeWhole(const QJsonObject &answer) override;

private:
    // A block of the content as it is sent back: what streams of it is put together.
    struct Block
    {
        QJsonObject object;
        QString streamed, signature;
        bool sawArguments = false;
    };
    void startBlock(int index, const QJsonObject &object);
    void addToBlock(int index, const QJsonObject &delta);
    void closeBlock(int index);
    void takeUsage(const QJsonObject &given);
    void finishAnswer();
    [[nodiscard]] Stop stopReason() const;

    QMap<int, Block> m_blocks;
    QString m_stopReason;
    bool m_sawCall = false;
    bool m_finished = false;
    qint64 m_fresh = 0, m_cacheRead = 0, m_cacheWrite = 0, m_out = 0;
};

void AnthropicReader::take(const QByteArray &name, const QJsonObject &data)
{
    const QString kind = data.contains(type) ? data[type].toString() : QString::fromUtf8(name);
    const int index = data[QStringLiteral("index")].toInt();
    if (m_finished)
        return;
    if (kind == QLatin1String("message_start")) {
        const QJsonObject message = data[QStringLiteral("message")].toObject();
        model(message[QStringLiteral("model")].toString());
        takeUsage(message[QStringLiteral("usage")].toObject());
    } else if (kind == QLatin1String("content_block_start")) {
        startBlock(index, data[QStringLiteral("content_block")].toObject());
    } else if (kind == QLatin1String("content_block_delta")) {
        addToBlock(index, data[QStringLiteral("delta")].toObject());
    } else if (kind == QLatin1String("content_block_stop")) {
        closeBlock(index);
    } else if (kind == QLatin1String("message_delta")) {
        if (const QString reason = data[QStringLiteral("delta")][QStringLiteral("stop_reason")].toString(); !reason.isEmpty())
            m_stopReason = reason;
        takeUsage(data[QStringLiteral("usage")].toObject());
    } else if (kind == QLatin1String("message_stop")) {
        finishAnswer();
    }
}

void AnthropicReader::takeWhole(const QJsonObject &answer)
{
    if (!answer[QStringLiteral("content")].isArray())
        return;
    model(answer[QStringLiteral("model")].toString());
    const QJsonArray content = answer[QStringLiteral("content")].toArray();
    for (int index = 0; index < content.size(); ++index) {
        startBlock(index, content[index].toObject());
        closeBlock(index);
    }
    takeUsage(answer[QStringLiteral("usage")].toObject());
    m_stopReason = answer[QStringLiteral("stop_reason")].toString();
    if (!m_stopReason.isEmpty())
        finishAnswer();
}

void AnthropicReader::startBlock(int index, const QJsonObject &object)
{
    Block &block = m_blocks[index];
    block.object = object;
    const QString kind = object[type].toString();
    if (kind == QLatin1String("text")) {
        block.streamed = object[textField].toString();
        text(block.streamed);
    } else if (kind == QLatin1String("thinking")) {
        block.streamed = object[QStringLiteral("thinking")].toString();
        block.signature = object[QStringLiteral("signature")].toString();
        reasoning(block.streamed);
    } else if (kind == QLatin1String("tool_use")) {
        m_sawCall = true;
        toolCall(QString::number(index), object[QStringLiteral("id")].toString(), object[QStringLiteral("name")].toString(), {});
    }
}

void AnthropicReader::addToBlock(int index, const QJsonObject &delta)
{
    Block &block = m_blocks[index];
    const QString kind = delta[type].toString();
    if (kind == QLatin1String("text_delta")) {
        const QString piece = delta[textField].toString();
        block.streamed += piece;
        text(piece);
    } else if (kind == QLatin1String("thinking_delta")) {
        const QString piece = delta[QStringLiteral("thinking")].toString();
        block.streamed += piece;
        reasoning(piece);
    } else if (kind == QLatin1String("signature_delta")) {
        block.signature += delta[QStringLiteral("signature")].toString();
    } else if (kind == QLatin1String("input_json_delta") && block.object[type] == QLatin1String("tool_use")) {
        const QString piece = delta[QStringLiteral("partial_json")].toString();
        block.streamed += piece;
        block.sawArguments = block.sawArguments || !piece.isEmpty();
        if (!piece.isEmpty())
            toolCall(QString::number(index), {}, {}, piece);
    }
}

void AnthropicReader::closeBlock(int index)
{
    if (!m_blocks.contains(index))
        return;
    Block &block = m_blocks[index];
    const QString kind = block.object[type].toString();
    if (kind == QLatin1String("text")) {
        block.object.insert(textField, block.streamed);
    } else if (kind == QLatin1String("thinking")) {
        block.object.insert(QStringLiteral("thinking"), block.streamed);
        block.object.insert(QStringLiteral("signature"), block.signature);
    } else if (kind == QLatin1String("tool_use") && block.sawArguments) {
        block.object.insert(QStringLiteral("input"), QJsonDocument::fromJson(block.streamed.toUtf8()).object());
    } else if (kind == QLatin1String("tool_use")) {
        wholeToolCall(QString::number(index), {}, {}, block.object[QStringLiteral("input")].toObject());
    }
}

// What was read from the cache and what was written to it are not in input_tokens. The figures grow over the stream.
void AnthropicReader::takeUsage(const QJsonObject &given)
{
    if (given.isEmpty())
        return;
    m_fresh = qMax(m_fresh, count(given[QStringLiteral("input_tokens")]));
    m_cacheRead = qMax(m_cacheRead, count(given[QStringLiteral("cache_read_input_tokens")]));
    m_cacheWrite = qMax(m_cacheWrite, count(given[QStringLiteral("cache_creation_input_tokens")]));
    m_out = qMax(m_out, count(given[QStringLiteral("output_tokens")]));
    Usage usage;
    usage.tokensIn = m_fresh + m_cacheRead + m_cacheWrite;
    usage.tokensCached = m_cacheRead;
    usage.tokensCacheWrite = m_cacheWrite;
    usage.tokensOut = m_out;
    usage.known = true;
    EventReader::usage(usage);
}

Stop AnthropicReader::stopReason() const
{
    if (m_stopReason == QLatin1String("max_tokens") || m_stopReason == QLatin1String("model_context_window_exceeded"))
        return Stop::Length;
    if (m_stopReason == QLatin1String("refusal"))
        return Stop::Refusal;
    return m_sawCall ? Stop::ToolCalls : Stop::End;
}

// Thinking is replayed unmodified and where it stood, so the whole content is kept when there is any.
void AnthropicReader::finishAnswer()
{
    QJsonArray content;
    bool thought = false;
    for (const Block &block : std::as_const(m_blocks)) {
        const QString kind = block.object[type].toString();
        thought = thought || kind == QLatin1String("thinking") || kind == QLatin1String("redacted_thinking");
        if (kind != QLatin1String("text") || !block.streamed.trimmed().isEmpty())
            content.append(block.object);
    }
    if (thought)
        verbatim(markedVerbatim(ownId, content));
    m_finished = true;
    stop(stopReason(), m_stopReason);
    ended();
}

class Anthropic : public Provider
{
public:
    [[nodiscard]] QString id() const override { return ownId; }
    [[nodiscard]] HttpRequest request(const Request &request, const Endpoint &endpoint,
                                      const ModelTraits &traits) const override;
    [[nodiscard]] std::unique_ptr<StreamReader> reader(const QByteArray &contentType) const override
    {
        return std::make_unique<AnthropicReader>(EventReader::Framing::Events, contentType);
    }
    [[nodiscard]] Refusal refusal(int status, const QByteArray &body, const ModelTraits &traits) const override;
    [[nodiscard]] HttpRequest modelsRequest(const Endpoint &endpoint) const override;
    [[nodiscard]] Result<QStringList> models(const QByteArray &body) const override
    {
        return namesIn(body, QStringLiteral("data"), {QStringLiteral("id")});
    }
    [[nodiscard]] QUrl defaultBase() const override { return QUrl(QStringLiteral("https://api.anthropic.com")); }
    [[nodiscard]] QStringList keyVariables() const override { return {QStringLiteral("ANTHROPIC_API_KEY")}; }
    [[nodiscard]] QStringList baseVariables() const override { return {QStringLiteral("ANTHROPIC_BASE_URL")}; }
};

QString pathUnder(const Endpoint &endpoint, const QString &path)
{
    QString base = endpoint.base.path();
    while (base.endsWith(QLatin1Char('/')))
        base.chop(1);
    return base.endsWith(QLatin1String("/v1")) ? path : QStringLiteral("v1/") + path;
}

HttpRequest versioned(HttpRequest request)
{
    request.headers.emplaceBack("anthropic-version", "2023-06-01");
    return request;
}

QJsonObject textBlock(const QString &text)
{
    return {{type, QStringLiteral("text")}, {textField, text}};
}

QJsonObject marked(QJsonObject block)
{
    block.insert(QStringLiteral("cache_control"), QJsonObject{{type, QStringLiteral("ephemeral")}});
    return block;
}

// Whether the kept content still says what the message says; else it is dropped whole.
bool matches(const QJsonArray &content, const Message &message)
{
    QString said;
    QStringList keptCalls, calls;
    for (const QJsonValue &block : content) {
        if (block[type] == QLatin1String("text"))
            said += block[textField].toString();
        if (block[type] == QLatin1String("tool_use"))
            keptCalls.append(block[QStringLiteral("id")].toString());
    }
    for (const ToolCall &call : message.toolCalls)
        calls.append(call.id);
    return keptCalls == calls && said.trimmed() == message.text.trimmed();
}

QJsonArray assistantContent(const Message &message)
{
    if (const QJsonArray kept = verbatimOf(ownId, message); !kept.isEmpty() && matches(kept, message))
        return kept;
    QJsonArray content;
    if (!message.text.trimmed().isEmpty())
        content.append(textBlock(message.text));
    for (const ToolCall &call : message.toolCalls)
        content.append(QJsonObject{{type, QStringLiteral("tool_use")},
                                   {QStringLiteral("id"), call.id},
                                   {QStringLiteral("name"), call.name},
                                   {QStringLiteral("input"), argumentsOf(call)}});
    return content;
}

QJsonArray contentOf(const Message &message)
{
    switch (message.from) {
    case Message::From::Assistant:
        return assistantContent(message);
    case Message::From::Tool: {
        QJsonObject result{{type, QStringLiteral("tool_result")}, {QStringLiteral("tool_use_id"), message.toolCallId}};
        if (!message.text.trimmed().isEmpty())
            result.insert(QStringLiteral("content"), message.text);
        return {result};
    }
    case Message::From::User:
        break;
    }
    return message.text.trimmed().isEmpty() ? QJsonArray() : QJsonArray{textBlock(message.text)};
}

// Results and what the user says with them are one message; empty text is refused, so it is left out.
QJsonArray messagesOf(const Request &request, const ModelTraits &traits)
{
    QJsonArray messages;
    QString lastRole;
    QJsonArray content;
    const auto put = [&] {
        if (!content.isEmpty())
            messages.append(QJsonObject{{QStringLiteral("role"), lastRole}, {QStringLiteral("content"), content}});
        content = {};
    };
    for (const Message &message : conversation(request, traits)) {
        const QString role = message.from == Message::From::Assistant ? QStringLiteral("assistant") : QStringLiteral("user");
        if (role != lastRole)
            put();
        lastRole = role;
        for (const QJsonValue &block : contentOf(message))
            content.append(block);
    }
    // What comes back with the next turn is worth keeping in the cache; a single question is not.
    const bool goesOn = request.messages.size() > 1 || !request.tools.isEmpty();
    if (goesOn && lastRole == QLatin1String("user") && !content.isEmpty())
        content.replace(content.size() - 1, marked(content.last().toObject()));
    put();
    return messages;
}

// Without what its structured output refuses.
QJsonObject accepted(const QJsonObject &schema)
{
    static const QStringList refused = {
        QStringLiteral("minimum"),          QStringLiteral("maximum"),    QStringLiteral("exclusiveMinimum"),
        QStringLiteral("exclusiveMaximum"), QStringLiteral("multipleOf"), QStringLiteral("minLength"),
        QStringLiteral("maxLength"),        QStringLiteral("minItems"),   QStringLiteral("maxItems"),
        QStringLiteral("uniqueItems")};
    return withoutKeywords(schema, refused);
}

QJsonArray toolsOf(const Request &request, const ModelTraits &traits, bool mark)
{
    QJsonArray tools;
    for (const Tool &tool : request.tools) {
        const bool strict = traits.schema && isStrict(tool.parameters);
        QJsonObject object{{QStringLiteral("name"), tool.name},
                           {QStringLiteral("description"), tool.description},
                           {QStringLiteral("input_schema"), strict ? accepted(tool.parameters) : tool.parameters}};
        if (strict)
            object.insert(QStringLiteral("strict"), true);
        tools.append(object);
    }
    if (mark && !tools.isEmpty())
        tools.replace(tools.size() - 1, marked(tools.last().toObject()));
    return tools;
}

// Thinking as a level where the model takes one, else as a budget inside the most tokens of the reply.
QJsonObject thinkingOf(const Request &request, const ModelTraits &traits)
{
    if (!traits.reasoning || request.reasoning.isEmpty())
        return {};
    if (traits.reasoningLevels)
        return {{type, QStringLiteral("adaptive")}};
    const int wanted = request.reasoning == QLatin1String("high") ? 16384
        : request.reasoning == QLatin1String("medium")            ? 8192
                                                                  : 2048;
    const int budget = qMin(wanted, outputTokens(request, traits) / 2);
    constexpr int least = 1024;
    if (budget < least)
        return {};
    return {{type, QStringLiteral("enabled")}, {QStringLiteral("budget_tokens"), budget}};
}

HttpRequest Anthropic::request(const Request &request, const Endpoint &endpoint, const ModelTraits &traits) const
{
    const QString system = systemText(request, traits);
    QJsonObject body{{QStringLiteral("model"), request.model},
                     {QStringLiteral("max_tokens"), outputTokens(request, traits)},
                     {QStringLiteral("messages"), messagesOf(request, traits)}};
    if (!system.trimmed().isEmpty())
        body.insert(QStringLiteral("system"), QJsonArray{marked(textBlock(system))});
    if (traits.stream)
        body.insert(QStringLiteral("stream"), true);
    if (const QJsonArray tools = toolsOf(request, traits, system.trimmed().isEmpty()); traits.tools && !tools.isEmpty())
        body.insert(QStringLiteral("tools"), tools);
    const QJsonObject thinking = thinkingOf(request, traits);
    QJsonObject output;
    if (!thinking.isEmpty())
        body.insert(QStringLiteral("thinking"), thinking);
    else if (traits.temperature && request.temperature) // thinking and a temperature exclude each other
        body.insert(QStringLiteral("temperature"), *request.temperature);
    if (!thinking.isEmpty() && traits.reasoningLevels)
        output.insert(QStringLiteral("effort"), request.reasoning);
    if (sendsSchema(request, traits))
        output.insert(QStringLiteral("format"), QJsonObject{{type, QStringLiteral("json_schema")},
                                                           {QStringLiteral("schema"), accepted(request.schema)}});
    if (!output.isEmpty())
        body.insert(QStringLiteral("output_config"), output);
    return versioned(jsonRequest(joinedUrl(endpoint, pathUnder(endpoint, QStringLiteral("messages"))),
                                 keyHeader(endpoint, "x-api-key"), body));
}

HttpRequest Anthropic::modelsRequest(const Endpoint &endpoint) const
{
    return versioned(getRequest(joinedUrl(endpoint, pathUnder(endpoint, QStringLiteral("models")), QStringLiteral("limit=1000")),
                                keyHeader(endpoint, "x-api-key")));
}

std::optional<ModelTraits> negotiatedThinking(const ErrorBody &error, const ModelTraits &traits)
{
    if (traits.reasoning && traits.reasoningLevels && error.says({"adaptive", "effort"})) {
        ModelTraits next = traits;
        next.reasoningLevels = false;
        return next;
    }
    return usualNegotiation(error, traits);
}

Refusal Anthropic::refusal(int status, const QByteArray &body, const ModelTraits &traits) const
{
    return classified(status, errorBody(status, body), traits, negotiatedThinking);
}

} // namespace

const Provider &anthropic()
{
    static const Anthropic adapter;
    return adapter;
}

} // namespace kernelskill::llm
