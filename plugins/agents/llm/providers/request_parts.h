// SPDX-License-Identifier: Apache-2.0
// What the requests of several protocols have in common.
#pragma once

#include "providers/provider.h"

#include <QStringList>

namespace kernelskill::llm {

// base/path with the endpoint's query behind `query`. The base's own path stays.
[[nodiscard]] QUrl joinedUrl(const Endpoint &endpoint, const QString &path, const QString &query = {});
// `usual`: the header the protocol has for the key; "Authorization" means a bearer token.
[[nodiscard]] QPair<QByteArray, QByteArray> keyHeader(const Endpoint &endpoint, const QByteArray &usual);
[[nodiscard]] HttpRequest jsonRequest(const QUrl &url, const QPair<QByteArray, QByteArray> &secretHeader,
                                      const QJsonObject &body);
[[nodiscard]] HttpRequest getRequest(const QUrl &url, const QPair<QByteArray, QByteArray> &secretHeader);
[[nodiscard]] QByteArray compactJson(const QJsonObject &object);

// The system prompt; with the schema in words where the model takes none.
[[nodiscard]] QString systemText(const Request &request, const ModelTraits &traits);
[[nodiscard]] bool sendsSchema(const Request &request, const ModelTraits &traits);
[[nodiscard]] int outputTokens(const Request &request, const ModelTraits &traits);
// A name as the providers take it: letters, digits, - and _, up to 64.
[[nodiscard]] QString schemaName(const Request &request);
// Whether every object in it is closed and has all keys required: what "strict" asks for.
[[nodiscard]] bool isStrict(const QJsonObject &schema);
// Without the keywords a provider refuses; they are told in the description in their place.
[[nodiscard]] QJsonObject withoutKeywords(const QJsonObject &schema, const QStringList &keywords);

// The conversation with an id at each call and each result, made up by position where there was none; with what it says of
// tools in words where the model takes none.
[[nodiscard]] QList<Message> conversation(const Request &request, const ModelTraits &traits);
// Which tool the result at `position` is of.
[[nodiscard]] QString toolName(const QList<Message> &messages, qsizetype position);
// A call's arguments as they are sent back: what was streamed if it is an object.
[[nodiscard]] QJsonObject argumentsOf(const ToolCall &call);
[[nodiscard]] QString argumentsTextOf(const ToolCall &call);

// Message::verbatim is marked with the adapter it is of.
[[nodiscard]] QJsonArray markedVerbatim(const QString &provider, const QJsonArray &items);
[[nodiscard]] QJsonArray verbatimOf(const QString &provider, const Message &message);

// The names under `list` ("data") and `key` ("id").
[[nodiscard]] Result<QStringList> namesIn(const QByteArray &body, const QString &list, const QStringList &keys);

} // namespace kernelskill::llm
