// SPDX-License-Identifier: Apache-2.0
// The network: HTTP/1.1 through Qt, with what Qt leaves open decided here. A redirect never leaves the origin; no more
// than six exchanges an origin run at once and the time of the others does not run; nothing is sent twice behind our
// back; no cookies, no cache, nothing about this machine in the head. TLS is always verified.
#pragma once

#include "wire/transport.h"

#include <memory>

namespace kernelskill::llm {

class Connections;

struct NetworkOptions
{
    QString caFile;                 // PEM: further certificate authorities; the system's stay valid
    bool plainHttpAnywhere = false; // the person said yes to a key and prompts that anyone on the way can read
    int exchangesPerOrigin = 6;     // as many as Qt has connections
    qint64 largestAnswer_bytes = 64 << 20;
    qint64 largestRefusal_bytes = 1 << 20; // of the body of an error status; the rest is left unread
};

// Lives, and is used, on one thread with an event loop; its exchanges end with "run.stopped" when it goes.
class NetworkTransport : public Transport
{
public:
    explicit NetworkTransport(NetworkOptions options = {});
    ~NetworkTransport() override;

    QCoro::Task<Result<HttpAnswer>> exchange(HttpRequest request, ChunkSink sink, Timeouts timeouts,
                                             std::stop_token stop) override;

private:
    NetworkOptions m_options;
    std::unique_ptr<Connections> m_connections; // made with the first exchange
};

} // namespace kernelskill::llm
