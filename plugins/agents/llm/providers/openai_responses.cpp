// SPDX-License-Identifier: Apache-2.0
// OpenAI's responses. Nothing is stored at the provider: reasoning comes encrypted and is sent back.
#include "providers/adapters.h"
#include "providers/error_body.h"
#include "providers/event_reader.h"
#include "providers/request_parts.h"

#include <QMap>
#include <QSet>

namespace kernelskill::llm {

namespace {

const QString ownId = QStringLiteral("openai-responses");
const QString type = QStringLiteral("type");
const QString itemField = QStringLiteral("item");
const QString encrypted = QStringLiteral("encrypted_content");

class ResponsesReader : public EventReader
{
public:
    using EventReader::EventReader;

protected:
    void take(const QByteArray &name, const QJsonObject &data) override;
    void takeWhole(const QJsonObject &answer) override;

private:
    void takeDelta(const QString &kind, int index, const QJsonObject &data);
    void startItem(int index, const QJsonObject &item);
    void closeItem(int index, const QJsonObject &item);
    void closeMessage(int index, const QJsonObject &item);
    void closeReasoning(int index, const QJsonObject &item);
    void finishAnswer(const QJsonObject &response, const QString &status);
    void takeUsage(const QJsonObject &given);
    void keepItems();

    QMap<int, QJsonObject> m_items; // whole ones, by their place in the output
    QSet<int> m_streamed;           // items some piece of which was streamed
    QSet<int> m_calls;
    bool m_refused = false, m_finished = false;
};

void ResponsesReader::take(const QByteArray &name, const QJsonObject &data)
{
    if (m_finished)
        return;
    const QString kind = data.contains(type) ? data[type].toString() : QString::fromUtf8(name);
    const int index = data[QStringLiteral("output_index")].toInt();
    const QJsonObject response = data[QStringLiteral("response")].toObject();
    if (kind == QLatin1String("response.created"))
        model(response[QStringLiteral("model")].toString());
    else if (kind == QLatin1String("response.output_item.added"))
        startItem(index, data[itemField].toObject());
    else if (kind == QLatin1String("response.output_item.done"))
        closeItem(index, data[itemField].toObject());
    else if (kind == QLatin1String("response.completed") || kind == QLatin1String("response.incomplete")
             || kind == QLatin1String("response.failed"))
        finishAnswer(response, kind.section(QLatin1Char('.'), 1));
    else
        takeDelta(kind, index, data);
}

void ResponsesReader::takeDelta(const QString &kind, int index, const QJsonObject &data)
{
    const QString delta = data[QStringLiteral("delta")].toString();
    if (kind == QLatin1String("response.output_text.delta")) {
        m_streamed.insert(index);
        text(delta);
    } else if (kind == QLatin1String("response.refusal.delta")) {
        m_streamed.insert(index);
        m_refused = true;
        text(delta);
    } else if (kind == QLatin1String("response.reasoning_summary_text.delta")
               || kind == QLatin1String("response.reasoning_text.delta")) {
        m_streamed.insert(index);
        reasoning(delta);
    } else if (kind == QLatin1String("response.reasoning_summary_part.added")) {
        if (data[QStringLiteral("summary_index")].toInt() > 0)
            reasoning(QStringLiteral("\n\n"));
    } else if (kind == QLatin1String("response.function_call_arguments.delta")) {
        m_streamed.insert(index);
        m_calls.insert(index);
        toolCall(QString::number(index), {}, {}, delta);
    }
}

void ResponsesReader::startItem(int index, const QJsonObject &item)
{
    if (item[type] != QLatin1String("function_call"))
        return;
    m_calls.insert(index);
    const QString arguments = item[QStringLiteral("arguments")].toString();
    if (!arguments.isEmpty())
        m_streamed.insert(index);
    toolCall(QString::number(index), item[QStringLiteral("call_id")].toString(), item[QStringLiteral("name")].toString(),
             arguments);
}

// What of a finished item was not streamed is taken now: some servers send the finished items alone.
void ResponsesReader::closeItem(int index, const QJsonObject &item)
{
    if (m_items.contains(index))
        return;
    m_items.insert(index, item);
    const QString kind = item[type].toString();
    if (kind == QLatin1String("message")) {
        closeMessage(index, item);
    } else if (kind == QLatin1String("reasoning")) {
        closeReasoning(index, item);
    } else if (kind == QLatin1String("function_call")) {
        m_calls.insert(index);
        const QString piece = m_streamed.contains(index) ? QString() : item[QStringLiteral("arguments")].toString();
        toolCall(QString::number(index), item[QStringLiteral("call_id")].toString(), item[QStringLiteral("name")].toString(),
                 piece);
    }
}

void ResponsesReader::closeMessage(int index, const QJsonObject &item)
{
    const QJsonArray content = item[QStringLiteral("content")].toArray();
    for (const QJsonValue &part : content) {
        const bool refusal = part[type] == QLatin1String("refusal");
        m_refused = m_refused || refusal;
        if (!m_streamed.contains(index))
            text(part[refusal ? QStringLiteral("refusal") : QStringLiteral("text")].toString());
    }
}

void ResponsesReader::closeReasoning(int index, const QJsonObject &item)
{
    if (m_streamed.contains(index))
        return;
    QStringList said;
    for (const QString &list : {QStringLiteral("summary"), QStringLiteral("content")}) {
        const QJsonArray parts = item[list].toArray();
        for (const QJsonValue &part : parts)
            said.append(part[QStringLiteral("text")].toString());
    }
    reasoning(said.join(QStringLiteral("\n\n")));
}

void ResponsesReader::takeWhole(const QJsonObject &answer)
{
    static const QStringList final = {QStringLiteral("completed"), QStringLiteral("incomplete"), QStringLiteral("failed"),
                                      QStringLiteral("cancelled")};
    const QString status = answer[QStringLiteral("status")].toString();
    if (answer.contains(QStringLiteral("output")) && final.contains(status))
        finishAnswer(answer, status);
}

void ResponsesReader::finishAnswer(const QJsonObject &response, const QString &status)
{
    model(response[QStringLiteral("model")].toString());
    const QJsonArray output = response[QStringLiteral("output")].toArray();
    for (int index = 0; index < output.size(); ++index)
        closeItem(index, output[index].toObject());
    takeUsage(response[QStringLiteral("usage")].toObject());
    if (status == QLatin1String("failed") || status == QLatin1String("cancelled")) {
        const auto error = errorIn(response);
        return error ? fail(error->name(), error->message)
                     : fail(status, QStringLiteral("The provider says that the answer failed."));
    }
    const QString reason = response[QStringLiteral("incomplete_details")][QStringLiteral("reason")].toString();
    m_finished = true;
    if (status == QLatin1String("incomplete")) {
        stop(reason == QLatin1String("content_filter") ? Stop::Filter : Stop::Length, reason);
    } else {
        keepItems();
        stop(m_refused ? Stop::Refusal : m_calls.isEmpty() ? Stop::End : Stop::ToolCalls, status);
    }
    ended();
}

void ResponsesReader::takeUsage(const QJsonObject &given)
{
    if (given.isEmpty())
        return;
    Usage usage;
    usage.tokensIn = count(given[QStringLiteral("input_tokens")]);
    usage.tokensOut = count(given[QStringLiteral("output_tokens")]);
    usage.tokensCached = count(given[QStringLiteral("input_tokens_details")][QStringLiteral("cached_tokens")]);
    usage.tokensReasoning = count(given[QStringLiteral("output_tokens_details")][QStringLiteral("reasoning_tokens")]);
    usage.known = true;
    EventReader::usage(usage);
}

// Reasoning that did not come encrypted cannot be sent back, since nothing is stored; then nothing is.
void ResponsesReader::keepItems()
{
    QJsonArray kept;
    bool reasoned = false;
    for (const QJsonObject &item : std::as_const(m_items)) {
        if (item[type] == QLatin1String("reasoning")) {
            reasoned = true;
            if (item[encrypted].toString().isEmpty())
                return;
        }
        kept.append(item);
    }
    if (reasoned)
        verbatim(markedVerbatim(ownId, kept));
}

class OpenAiResponses : public Provider
{
public:
    [[nodiscard]] QString id() const override { return ownId; }
    [[nodiscard]] HttpRequest request(const Request &request, const Endpoint &endpoint,
                                      const ModelTraits &traits) const override;
    [[nodiscard]] std::unique_ptr<StreamReader> reader(const QByteArray &contentType) const override
    {
        return std::make_unique<ResponsesReader>(EventReader::Framing::Events, contentType);
    }
    [[nodiscard]] Refusal refusal(int status, const QByteArray &body, const ModelTraits &traits) const override
    {
        return classified(status, errorBody(status, body), traits, usualNegotiation);
    }
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

QJsonObject textItem(const QString &role, const QString &text)
{
    return {{QStringLiteral("role"), role}, {QStringLiteral("content"), text}};
}

// Whether the kept items still say what the message says; else they are dropped whole.
bool matches(const QJsonArray &items, const Message &message)
{
    QString said;
    QStringList keptCalls, calls;
    for (const QJsonValue &item : items) {
        if (item[type] == QLatin1String("function_call"))
            keptCalls.append(item[QStringLiteral("call_id")].toString());
        const QJsonArray content =
            item[type] == QLatin1String("message") ? item[QStringLiteral("content")].toArray() : QJsonArray();
        for (const QJsonValue &part : content)
            said += part[QStringLiteral("text")].toString() + part[QStringLiteral("refusal")].toString();
    }
    for (const ToolCall &call : message.toolCalls)
        calls.append(call.id);
    return keptCalls == calls && said.trimmed() == message.text.trimmed();
}

QJsonArray itemsOf(const Message &message)
{
    if (message.from == Message::From::User)
        return {textItem(QStringLiteral("user"), message.text)};
    if (message.from == Message::From::Tool)
        return {QJsonObject{{type, QStringLiteral("function_call_output")},
                            {QStringLiteral("call_id"), message.toolCallId},
                            {QStringLiteral("output"), message.text}}};
    if (const QJsonArray kept = verbatimOf(ownId, message); !kept.isEmpty() && matches(kept, message))
        return kept;
    QJsonArray items;
    if (!message.text.isEmpty())
        items.append(textItem(QStringLiteral("assistant"), message.text));
    for (const ToolCall &call : message.toolCalls)
        items.append(QJsonObject{{type, QStringLiteral("function_call")},
                                 {QStringLiteral("call_id"), call.id},
                                 {QStringLiteral("name"), call.name},
                                 {QStringLiteral("arguments"), argumentsTextOf(call)}});
    return items;
}

QJsonArray toolsOf(const Request &request)
{
    QJsonArray tools;
    for (const Tool &tool : request.tools)
        tools.append(QJsonObject{{type, QStringLiteral("function")},
                                 {QStringLiteral("name"), tool.name},
                                 {QStringLiteral("description"), tool.description},
                                 {QStringLiteral("parameters"), tool.parameters},
                                 {QStringLiteral("strict"), isStrict(tool.parameters)}});
    return tools;
}

QJsonObject formatOf(const Request &request)
{
    const QJsonObject schema = withoutKeywords(request.schema, {QStringLiteral("minLength"), QStringLiteral("maxLength")});
    return {{type, QStringLiteral("json_schema")},
            {QStringLiteral("name"), schemaName(request)},
            {QStringLiteral("strict"), true},
            {QStringLiteral("schema"), schema}};
}

HttpRequest OpenAiResponses::request(const Request &request, const Endpoint &endpoint, const ModelTraits &traits) const
{
    QJsonArray input;
    for (const Message &message : conversation(request, traits))
        for (const QJsonValue &item : itemsOf(message))
            input.append(item);
    QJsonObject body{{QStringLiteral("model"), request.model},
                     {QStringLiteral("input"), input},
                     {QStringLiteral("store"), false},
                     {QStringLiteral("max_output_tokens"), outputTokens(request, traits)}};
    if (const QString system = systemText(request, traits); !system.isEmpty())
        body.insert(QStringLiteral("instructions"), system);
    if (traits.stream)
        body.insert(QStringLiteral("stream"), true);
    if (traits.temperature && request.temperature)
        body.insert(QStringLiteral("temperature"), *request.temperature);
    if (traits.reasoning && !request.reasoning.isEmpty()) {
        body.insert(QStringLiteral("reasoning"), QJsonObject{{QStringLiteral("effort"), request.reasoning},
                                                             {QStringLiteral("summary"), QStringLiteral("auto")}});
        body.insert(QStringLiteral("include"), QJsonArray{QStringLiteral("reasoning.encrypted_content")});
    }
    if (sendsSchema(request, traits))
        body.insert(QStringLiteral("text"), QJsonObject{{QStringLiteral("format"), formatOf(request)}});
    if (traits.tools && !request.tools.isEmpty())
        body.insert(QStringLiteral("tools"), toolsOf(request));
    return jsonRequest(joinedUrl(endpoint, QStringLiteral("responses")), keyHeader(endpoint, "Authorization"), body);
}

} // namespace

const Provider &openAiResponses()
{
    static const OpenAiResponses adapter;
    return adapter;
}

} // namespace kernelskill::llm
