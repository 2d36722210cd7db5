// SPDX-License-Identifier: Apache-2.0
// Ollama's own protocol. Its /v1 copy of OpenAI's cannot set the context's length and cuts the prompt off without a word.
#include "providers/adapters.h"
#include "providers/error_body.h"
#include "providers/event_reader.h"
#include "providers/request_parts.h"

namespace kernelskill::llm {

namespace {

const QString ownId = QStringLiteral("ollama");
const QString content = QStringLiteral("content");
const QString thinking = QStringLiteral("thinking");

class OllamaReader : public EventReader
{
public:
    using EventReader::EventReader;

protected:
    void take(const QByteArray &, const QJsonObject &line) override;
    void takeWhole(const QJsonObject &answer) override { take({}, answer); }

private:
    void takeCall(const QJsonObject &call);
    void takeUsage(const QJsonObject &line);

    QString m_thought;
    int m_calls = 0;
    bool m_done = false;
};

void OllamaReader::take(const QByteArray &, const QJsonObject &line)
{
    if (m_done)
        return;
    model(line[QStringLiteral("model")].toString());
    const QJsonObject message = line[QStringLiteral("message")].toObject();
    const QString thought = message[thinking].toString();
    m_thought += thought;
    reasoning(thought);
    text(message[content].toString());
    const QJsonArray calls = message[QStringLiteral("tool_calls")].toArray();
    for (const QJsonValue &call : calls)
        takeCall(call.toObject());
    if (line[QStringLiteral("done")] != QJsonValue(true))
        return;
    m_done = true;
    takeUsage(line);
    if (m_calls > 0 && !m_thought.isEmpty())
        verbatim(markedVerbatim(ownId, {QJsonObject{{thinking, m_thought}}}));
    const QString reason = line[QStringLiteral("done_reason")].toString();
    stop(reason == QLatin1String("length") ? Stop::Length : m_calls > 0 ? Stop::ToolCalls : Stop::End, reason);
    ended();
}

void OllamaReader::takeCall(const QJsonObject &call)
{
    const QJsonObject function = call[QStringLiteral("function")].toObject();
    const QString key = QString::number(m_calls++);
    const QString id = call[QStringLiteral("id")].toString();
    const QString name = function[QStringLiteral("name")].toString();
    const QJsonValue arguments = function[QStringLiteral("arguments")];
    if (arguments.isString())
        toolCall(key, id, name, arguments.toString());
    else
        wholeToolCall(key, id, name, arguments.toObject());
}

void OllamaReader::takeUsage(const QJsonObject &line)
{
    const QString in = QStringLiteral("prompt_eval_count"), out = QStringLiteral("eval_count");
    Usage usage;
    usage.tokensIn = count(line[in]);
    usage.tokensOut = count(line[out]);
    usage.known = line.contains(in) || line.contains(out);
    EventReader::usage(usage);
}

// The base as a person may have it: OLLAMA_HOST without a scheme, or the address of its /v1 or /api.
Endpoint withBase(Endpoint endpoint)
{
    QString base = endpoint.base.toString(QUrl::FullyEncoded);
    if (!base.contains(QLatin1String("://")))
        base.prepend(QLatin1String("http://"));
    while (base.endsWith(QLatin1Char('/')))
        base.chop(1);
    for (const QLatin1String &tail : {QLatin1String("/v1"), QLatin1String("/api")})
        if (base.endsWith(tail))
            base.chop(tail.size());
    endpoint.base = QUrl(base);
    return endpoint;
}

class Ollama : public Provider
{
public:
    [[nodiscard]] QString id() const override { return ownId; }
    [[nodiscard]] HttpRequest request(const Request &request, const Endpoint &endpoint,
                                      const ModelTraits &traits) const override;
    [[nodiscard]] std::unique_ptr<StreamReader> reader(const QByteArray &contentType) const override
    {
        return std::make_unique<OllamaReader>(EventReader::Framing::Lines, contentType);
    }
    [[nodiscard]] Refusal refusal(int status, const QByteArray &body, const ModelTraits &traits) const override;
    [[nodiscard]] HttpRequest modelsRequest(const Endpoint &endpoint) const override
    {
        const Endpoint at = withBase(endpoint);
        return getRequest(joinedUrl(at, QStringLiteral("api/tags")), keyHeader(at, "Authorization"));
    }
    [[nodiscard]] Result<QStringList> models(const QByteArray &body) const override
    {
        return namesIn(body, QStringLiteral("models"), {QStringLiteral("name"), QStringLiteral("model")});
    }
    [[nodiscard]] QUrl defaultBase() const override { return QUrl(QStringLiteral("http://127.0.0.1:11434")); }
    [[nodiscard]] QStringList keyVariables() const override { return {QStringLiteral("OLLAMA_API_KEY")}; }
    [[nodiscard]] QStringList baseVariables() const override { return {QStringLiteral("OLLAMA_HOST")}; }
};

QJsonObject messageObject(const QList<Message> &messages, qsizetype at)
{
    const Message &message = messages[at];
    const QString role = QStringLiteral("role");
    switch (message.from) {
    case Message::From::User:
        return {{role, QStringLiteral("user")}, {content, message.text}};
    case Message::From::Tool:
        return {{role, QStringLiteral("tool")},
                {content, message.text},
                {QStringLiteral("tool_name"), toolName(messages, at)},
                {QStringLiteral("tool_call_id"), message.toolCallId}};
    case Message::From::Assistant:
        break;
    }
    QJsonObject object{{role, QStringLiteral("assistant")}, {content, message.text}};
    QJsonArray calls;
    for (const ToolCall &call : message.toolCalls) {
        const QJsonObject function{{QStringLiteral("name"), call.name}, {QStringLiteral("arguments"), argumentsOf(call)}};
        calls.append(QJsonObject{{QStringLiteral("id"), call.id}, {QStringLiteral("function"), function}});
    }
    if (!calls.isEmpty())
        object.insert(QStringLiteral("tool_calls"), calls);
    if (const QJsonArray kept = verbatimOf(ownId, message); !kept.isEmpty())
        object.insert(thinking, kept.first()[thinking]);
    return object;
}

QJsonArray toolsOf(const Request &request)
{
    QJsonArray tools;
    for (const Tool &tool : request.tools) {
        const QJsonObject function{{QStringLiteral("name"), tool.name},
                                   {QStringLiteral("description"), tool.description},
                                   {QStringLiteral("parameters"), tool.parameters}};
        tools.append(QJsonObject{{QStringLiteral("type"), QStringLiteral("function")}, {QStringLiteral("function"), function}});
    }
    return tools;
}

HttpRequest Ollama::request(const Request &request, const Endpoint &endpoint, const ModelTraits &traits) const
{
    QJsonArray messages;
    if (const QString system = systemText(request, traits); !system.isEmpty())
        messages.append(QJsonObject{{QStringLiteral("role"), QStringLiteral("system")}, {content, system}});
    const QList<Message> said = conversation(request, traits);
    for (qsizetype at = 0; at < said.size(); ++at)
        messages.append(messageObject(said, at));
    QJsonObject options{{QStringLiteral("num_predict"), outputTokens(request, traits)}};
    if (request.contextTokens > 0)
        options.insert(QStringLiteral("num_ctx"), request.contextTokens);
    if (traits.temperature && request.temperature)
        options.insert(QStringLiteral("temperature"), *request.temperature);
    QJsonObject body{{QStringLiteral("model"), request.model},
                     {QStringLiteral("messages"), messages},
                     {QStringLiteral("options"), options},
                     {QStringLiteral("stream"), traits.stream}};
    if (traits.reasoning && !request.reasoning.isEmpty())
        body.insert(QStringLiteral("think"), traits.reasoningLevels ? QJsonValue(request.reasoning) : QJsonValue(true));
    if (sendsSchema(request, traits))
        body.insert(QStringLiteral("format"), request.schema);
    if (traits.tools && !request.tools.isEmpty())
        body.insert(QStringLiteral("tools"), toolsOf(request));
    const Endpoint at = withBase(endpoint);
    return jsonRequest(joinedUrl(at, QStringLiteral("api/chat")), keyHeader(at, "Authorization"), body);
}

std::optional<ModelTraits> negotiatedThought(const ErrorBody &error, const ModelTraits &traits)
{
    ModelTraits next = traits;
    // "think value "high" is not supported for this model": on or off is all it has.
    if (traits.reasoning && traits.reasoningLevels && error.says({"think value"}))
        next.reasoningLevels = false;
    else if (traits.schema && error.says({"format"}) && error.says({"invalid", "unsupported", "schema"}))
        next.schema = false;
    else
        return usualNegotiation(error, traits);
    return next;
}

Refusal Ollama::refusal(int status, const QByteArray &body, const ModelTraits &traits) const
{
    const ErrorBody error = errorBody(status, body);
    Refusal refusal = classified(status, error, traits, negotiatedThought);
    // Said with 500, and as true the next time.
    if (refusal.kind == Refusal::Kind::Temporary && error.says({"requires more system memory"}))
        refusal.kind = Refusal::Kind::Request;
    return refusal;
}

} // namespace

const Provider &ollama()
{
    static const Ollama adapter;
    return adapter;
}

} // namespace kernelskill::llm
