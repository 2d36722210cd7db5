// SPDX-License-Identifier: Apache-2.0
// What is said to a model and what it says, whatever provider it is at. Values only.
#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QList>
#include <QString>

#include <optional>

namespace kernelskill::llm {

struct ToolCall
{
    QString id; // empty: the provider gave none; the adapter makes one up when it must send it back
    QString name;
    QJsonObject arguments;
    QString argumentsText; // as streamed; arguments is empty when this is no JSON object
};

struct Message
{
    enum class From { User, Assistant, Tool };
    From from = From::User;
    QString text;
    QList<ToolCall> toolCalls; // Assistant
    QString toolCallId;        // Tool: which call this answers
    // Assistant: what the provider wants back word for word (thinking blocks, thought signatures). Only the adapter
    // that made it reads it; another one drops it.
    QJsonArray verbatim;
};

struct Tool
{
    QString name, description;
    QJsonObject parameters; // JSON Schema of an object
};

// A request in neutral form. Nothing in it depends on the time: same request, same bytes.
struct Request
{
    QString model;
    QString system; // byte-stable over the calls of a role, so that providers cache it
    QList<Message> messages;
    QList<Tool> tools;
    // The reply should be this: every object closed (additionalProperties false), all keys required. Empty: free text.
    QJsonObject schema;
    QString schemaName = QStringLiteral("reply");
    int maxOutputTokens = 8192;
    std::optional<double> temperature;
    QString reasoning;     // "", "low", "medium", "high": where the model has it
    int contextTokens = 0; // Ollama's num_ctx; 0: leave it to the server
};

enum class Stop { End, Length, ToolCalls, Refusal, Filter };
[[nodiscard]] QString toString(Stop stop); // "end", "length", "tool_calls", "refusal", "filter"

struct Usage
{
    qint64 tokensIn = 0;         // all of the prompt, cached ones included
    qint64 tokensCached = 0;     // of tokensIn, read from the provider's cache
    qint64 tokensCacheWrite = 0; // of tokensIn, written to it (Anthropic charges more)
    qint64 tokensOut = 0;        // reasoning included
    qint64 tokensReasoning = 0;  // of tokensOut
    bool known = false;          // the provider said so; else an estimate stands here
};

struct Reply
{
    QString text;
    QString reasoning; // what it lets one see of it
    QList<ToolCall> toolCalls;
    Stop stop = Stop::End;
    Usage usage;
    QString model;       // what answered, where it says
    QJsonArray verbatim; // for Message::verbatim
    [[nodiscard]] Message asMessage() const;
};

// One step of a stream.
struct StreamEvent
{
    enum class Kind { Text, Reasoning, ToolCall, Usage, Stop, Model, Verbatim, Error };
    Kind kind = Kind::Text;
    QString text;                     // Text, Reasoning, Model, ToolCall (a piece of the arguments), Error (message)
    QString key;                      // ToolCall: which call the piece belongs to; Error: provider's code or type
    QString id, name;                 // ToolCall, where this piece tells it
    std::optional<QJsonObject> whole; // ToolCall: the whole arguments at once
    Usage usage;                      // Usage: replaces, per field, what was known when it is larger
    Stop stop = Stop::End;            // Stop
    QJsonArray verbatim;              // Verbatim: appended
};

} // namespace kernelskill::llm
