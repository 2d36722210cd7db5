// SPDX-License-Identifier: Apache-2.0
// What a provider says when it refuses: the forms that are in use, as one. And what becomes of it.
#pragma once

#include "providers/provider.h"

#include <functional>

namespace kernelskill::llm {

struct ErrorBody
{
    QString message;
    QString code;   // "context_length_exceeded", or a number
    QString type;   // "invalid_request_error"; Gemini's status: "RESOURCE_EXHAUSTED"
    QString param;  // "max_tokens", "messages[1].role"
    QString all;    // message, code, type, param and details in lower case: words are looked for here. Never the request that
                    // some servers give back
    [[nodiscard]] QString name() const; // the code that says most
    [[nodiscard]] bool says(std::initializer_list<const char *> words) const; // any of them
};

// The error an answer's object carries, if it does. `named`: the event it came in is called "error".
[[nodiscard]] std::optional<ErrorBody> errorIn(const QJsonObject &object, bool named = false);
// Of any body: HTML and nothing at all give a message that says so.
[[nodiscard]] ErrorBody errorBody(int status, const QByteArray &body);

// What could be left out or put otherwise, as a provider has it; nothing where nothing can be.
using Negotiation = std::function<std::optional<ModelTraits>(const ErrorBody &, const ModelTraits &)>;
[[nodiscard]] Refusal classified(int status, const ErrorBody &error, const ModelTraits &traits,
                                 const Negotiation &negotiation);

// The negotiation all have in common: temperature, schema, tools, stream, reasoning, the most tokens of a reply.
[[nodiscard]] std::optional<ModelTraits> usualNegotiation(const ErrorBody &error, const ModelTraits &traits);

} // namespace kernelskill::llm
