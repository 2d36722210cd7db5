// SPDX-License-Identifier: Apache-2.0
// Answers in the order of a script, in OpenAI's chat protocol, and keeps what it was asked.
#pragma once

#include "wire/transport.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace kernelskill::llm::test {

struct Step
{
    int status = 200;
    QList<QPair<QByteArray, QByteArray>> headers{};
    QByteArray body{};
    bool streamed = false;
    std::optional<Error> error{};
};

// A whole streamed reply; `finish` empty: it is cut off.
inline Step says(const QString &text, int tokensIn = 1000, int tokensOut = 100,
                 const QString &finish = QStringLiteral("stop"))
{
    const auto event = [](const QJsonObject &object) {
        return "data: " + QJsonDocument(object).toJson(QJsonDocument::Compact) + "\n\n";
    };
    QByteArray body;
    for (qsizetype at = 0; at < text.size(); at += 40) {
        const QJsonObject delta{{"content", text.mid(at, 40)}};
        body += event({{"choices",
                        QJsonArray{QJsonObject{{"index", 0}, {"delta", delta}, {"finish_reason", QJsonValue::Null}}}}});
    }
    if (!finish.isEmpty()) {
        body += event(
            {{"choices", QJsonArray{QJsonObject{{"index", 0}, {"delta", QJsonObject{}}, {"finish_reason", finish}}}}});
        body += event({{"choices", QJsonArray{}},
                       {"usage", QJsonObject{{"prompt_tokens", tokensIn}, {"completion_tokens", tokensOut}}}});
        body += "data: [DONE]\n\n";
    }
    return {200, {{"content-type", "text/event-stream"}}, body, true, {}};
}

inline Step refuses(int status, const QString &message, const QString &code = {}, const QString &param = {},
                    QList<QPair<QByteArray, QByteArray>> headers = {})
{
    const QJsonObject error{{"message", message},
                            {"code", code},
                            {"type", code},
                            {"param", param.isEmpty() ? QJsonValue() : QJsonValue(param)}};
    headers.append(QPair<QByteArray, QByteArray>("content-type", "application/json"));
    return {status, headers, QJsonDocument(QJsonObject{{"error", error}}).toJson(), false, {}};
}

inline Step fails(const QString &code, const QString &message)
{
    return {0, {}, {}, false, Error{code, message, {}}};
}

class ScriptedTransport : public Transport
{
public:
    explicit ScriptedTransport(QList<Step> script) : steps(std::move(script)) {}

    QCoro::Task<Result<HttpAnswer>> exchange(HttpRequest request, ChunkSink sink, Timeouts,
                                             std::stop_token stop) override
    {
        requests.append(request);
        if (onRequest) onRequest(int(requests.size()));
        if (stop.stop_requested()) co_return failure(QStringLiteral("run.stopped"), QStringLiteral("stopped"));
        if (steps.isEmpty()) co_return failure(QStringLiteral("cassette.miss"), QStringLiteral("the script is over"));
        const Step step = steps.takeFirst();
        if (step.error) co_return std::unexpected(*step.error);
        HttpAnswer answer{step.status, step.headers, step.body, false};
        if (step.status / 100 == 2 && sink) {
            // In pieces that cut lines and characters anywhere.
            for (qsizetype at = 0; at < step.body.size(); at += 37)
                sink(answer.header("content-type"), step.body.mid(at, 37));
        }
        co_return answer;
    }

    [[nodiscard]] QJsonObject body(int request) const
    {
        return QJsonDocument::fromJson(requests.at(request).body).object();
    }
    // All text of a message of the request, last one by default.
    [[nodiscard]] QString text(int request, int message = -1) const
    {
        const QJsonArray messages = body(request)["messages"].toArray();
        return messages.at(message < 0 ? messages.size() + message : message)["content"].toString();
    }

    QList<Step> steps;
    QList<HttpRequest> requests;
    std::function<void(int)> onRequest;
};

} // namespace kernelskill::llm::test
