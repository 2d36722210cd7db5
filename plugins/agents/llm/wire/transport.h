// SPDX-License-Identifier: Apache-2.0
// One HTTP exchange, streamed. The network, a cassette and tests' scripts are transports.
#pragma once

#include "base/result.h"
#include "providers/provider.h"

#include <QCoroTask>

#include <functional>
#include <stop_token>

namespace kernelskill::llm {

struct HttpAnswer
{
    int status = 0;
    QList<QPair<QByteArray, QByteArray>> headers; // lower-case names
    QByteArray body;                              // all of it, also what went to the sink
    bool cut = false;                             // the connection ended before the body did, as far as one can tell
    [[nodiscard]] QByteArray header(const QByteArray &name) const;
};

// Called with each piece as it arrives, only while the status is 2xx. The content type is that of the answer.
using ChunkSink = std::function<void(const QByteArray &contentType, const QByteArray &bytes)>;

struct Timeouts
{
    int connect_ms = 20'000; // to the first byte of the answer's head is up to silence_ms
    int silence_ms = 120'000; // without a byte
    int whole_ms = 1'200'000;
};

class Transport
{
public:
    virtual ~Transport();
    // Errors: "http.connection" (no answer: name not found, refused, cut before the head) and "http.timeout", for which
    // trying again may help; "http.tls" (certificate, CA file), "http.size" (over the cap), "http.insecure" (plain http to
    // another host), "http.address", "http.header" (a key no header can carry), "http.redirect", "cassette.miss",
    // "cassette.write", "run.stopped", for which it does not. An HTTP error status is an answer.
    virtual QCoro::Task<Result<HttpAnswer>> exchange(HttpRequest request, ChunkSink sink, Timeouts timeouts,
                                                     std::stop_token stop) = 0;
};

} // namespace kernelskill::llm
