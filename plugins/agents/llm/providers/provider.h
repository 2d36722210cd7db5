// SPDX-License-Identifier: Apache-2.0
// A provider's protocol: a neutral request becomes bytes, the bytes of the answer become neutral events. Pure: no network,
// no clock. An adapter is added by one more file and its line in provider.cpp.
#pragma once

#include "base/result.h"
#include "neutral/message.h"

#include <QByteArray>
#include <QList>
#include <QPair>
#include <QUrl>

#include <memory>

namespace kernelskill::llm {

// Where and as whom.
struct Endpoint
{
    QString provider;   // "openai-chat", "openai-responses", "anthropic", "gemini", "ollama"
    QUrl base;          // as the provider's own SDK takes it: OpenAI's with /v1, Anthropic's without
    QString key;        // never stored, never logged; empty where none is needed
    // Azure and gateways: "api-key" instead of Authorization, and a query such as api-version=….
    QString keyHeader;
    QString query;
};

struct HttpRequest
{
    QByteArray method = "POST";
    QUrl url;
    QList<QPair<QByteArray, QByteArray>> headers; // without the key
    QPair<QByteArray, QByteArray> secretHeader;   // the key's, empty where there is none; kept apart so that it cannot leak
    QByteArray body;
    QString provider{}; // whose protocol it is: cassettes tell by it
};

// What a model takes, learnt from its refusals; kept for a run.
struct ModelTraits
{
    bool temperature = true;
    bool completionTokens = false; // OpenAI chat: max_completion_tokens in place of max_tokens
    bool schema = true;            // false: the schema stands in words in the prompt instead
    bool stream = true;
    bool streamUsage = true;       // stream_options.include_usage
    bool reasoning = true;
    bool tools = true;
    bool reasoningLevels = true;   // false: a budget of tokens (Anthropic, Gemini) or just on (Ollama) in place of a level
    int outputLimit = 0;           // the most tokens of a reply, where a refusal told; 0: not known
    friend bool operator==(const ModelTraits &, const ModelTraits &) = default;
};

// How an error answer is to be taken.
struct Refusal
{
    enum class Kind {
        Temporary,   // 408, 409, 429, ≥500, 529: try again
        Quota,       // spent: trying again does not help
        Key,         // 401, 403
        Model,       // there is no such model
        Context,     // the prompt is too long for the model
        Parameter,   // something in the request the model does not take: see traits
        Request,     // anything else that is our fault
    };
    Kind kind = Kind::Request;
    QString message;  // the provider's own words, cut to a sensible length
    QString code;     // its code or type
    std::optional<ModelTraits> traits; // Parameter: try again with these
};

// Reads one answer as it arrives. Bytes may be cut anywhere.
class StreamReader
{
public:
    virtual ~StreamReader();
    [[nodiscard]] virtual QList<StreamEvent> feed(const QByteArray &bytes) = 0;
    // After the last byte. Whether the protocol's own end was seen: an answer without it was cut off.
    [[nodiscard]] virtual QList<StreamEvent> finish() = 0;
    [[nodiscard]] virtual bool sawEnd() const = 0;
};

class Provider
{
public:
    virtual ~Provider();
    [[nodiscard]] virtual QString id() const = 0;
    [[nodiscard]] virtual HttpRequest request(const Request &request, const Endpoint &endpoint,
                                              const ModelTraits &traits) const = 0;
    // Some servers answer whole although a stream was asked for, and the other way round: read as what it is.
    [[nodiscard]] virtual std::unique_ptr<StreamReader> reader(const QByteArray &contentType) const = 0;
    [[nodiscard]] virtual Refusal refusal(int status, const QByteArray &body, const ModelTraits &traits) const = 0;
    [[nodiscard]] virtual HttpRequest modelsRequest(const Endpoint &endpoint) const = 0;
    [[nodiscard]] virtual Result<QStringList> models(const QByteArray &body) const = 0;
    // The base where a person names none, and the environment variables of key and base, most particular first.
    [[nodiscard]] virtual QUrl defaultBase() const = 0;
    [[nodiscard]] virtual QStringList keyVariables() const = 0;
    [[nodiscard]] virtual QStringList baseVariables() const = 0;
};

// An Error event inside an answer with status 200, taken as a refusal.
[[nodiscard]] Refusal refusalInStream(const StreamEvent &error, const Provider &provider, const ModelTraits &traits);

// Null: there is no such provider.
[[nodiscard]] const Provider *provider(const QString &id);
[[nodiscard]] QStringList providerIds();

} // namespace kernelskill::llm
