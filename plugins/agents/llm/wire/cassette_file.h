// SPDX-License-Identifier: Apache-2.0
// The file of a cassette: JSON lines. First {"kernelskill_cassette":1}, then an exchange a line:
//   {"request": {"provider", "method", "url", "headers": {…}, "body"}, "ordinal": 0,
//    "answer": {"status", "headers": [[name, value], …], "chunks": ["…", {"base64": "…"}], "cut"?: true}}
// or "error": {"code", "message"} in place of the answer. Bytes that are UTF-8 on their own are text, others base64.
// Nothing in it is secret: it is redacted before it is made.
#pragma once

#include "wire/transport.h"

#include <QJsonObject>

namespace kernelskill::llm {

struct RecordedRequest
{
    QString provider;
    QByteArray method;
    QString url;
    QJsonObject headers; // those that have a say in the answer, by lower-case name
    QByteArray body;

    // SHA-256 of all of it; the order of keys and the spaces in a JSON body do not count.
    [[nodiscard]] QByteArray key() const;
    [[nodiscard]] QJsonObject toJson() const;
};
[[nodiscard]] RecordedRequest redactedRequest(const HttpRequest &request);

struct RecordedExchange
{
    RecordedRequest request;
    int ordinal = 0;                          // among those with the same key
    Result<HttpAnswer> result = HttpAnswer{}; // without a body
    QList<QByteArray> chunks;                 // the body
    int line = 0;

    [[nodiscard]] QByteArray toLine() const; // with its end
};
// Redacted as a whole: a key may lie across two chunks.
[[nodiscard]] RecordedExchange redactedExchange(RecordedRequest request, int ordinal, Result<HttpAnswer> result,
                                                const QList<QByteArray> &chunks);

[[nodiscard]] QByteArray cassetteHead();
// In the order of the file. A last line that a crash cut short is left out.
[[nodiscard]] Result<QList<RecordedExchange>> readCassette(const QString &file);

} // namespace kernelskill::llm
