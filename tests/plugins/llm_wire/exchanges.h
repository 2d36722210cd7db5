// SPDX-License-Identifier: Apache-2.0
// What tests of exchanges share: to begin one, and to wait for its end.
#pragma once

#include "raw_server.h"
#include "wire/transport.h"

#include <QTest>

#include <memory>
#include <optional>

namespace kernelskill::test {

using namespace kernelskill::llm;

inline HttpRequest post(const QUrl &url, const QByteArray &body = "{}")
{
    HttpRequest request;
    request.url = url;
    request.headers = {{"Content-Type", "application/json"}};
    request.secretHeader = {"Authorization", "Bearer sk-secret-for-tests"};
    request.body = body;
    return request;
}

// An exchange under way, and what has come of it so far.
struct Running
{
    QList<QByteArray> pieces, contentTypes;
    std::optional<Result<HttpAnswer>> result;
};

inline QCoro::Task<> drive(Transport *transport, HttpRequest request, std::shared_ptr<Running> running,
                           Timeouts timeouts, std::stop_token stop)
{
    const ChunkSink sink = [running](const QByteArray &type, const QByteArray &bytes) {
        running->contentTypes.append(type);
        running->pieces.append(bytes);
    };
    running->result = co_await transport->exchange(std::move(request), sink, timeouts, std::move(stop));
}

inline std::shared_ptr<Running> begin(Transport &transport, const HttpRequest &request, Timeouts timeouts = {},
                                      std::stop_token stop = {})
{
    auto running = std::make_shared<Running>();
    drive(&transport, request, running, timeouts, std::move(stop));
    return running;
}

inline Result<HttpAnswer> finish(Transport &transport, const HttpRequest &request, Timeouts timeouts = {})
{
    const auto running = begin(transport, request, timeouts);
    if (!QTest::qWaitFor([&] { return running->result.has_value(); }, 20'000))
        return failure(QStringLiteral("test.hangs"), QStringLiteral("No end within 20 s."));
    return *running->result;
}

// Proxies of whoever runs the test are none of its business.
inline void forgetProxies()
{
    for (const char *variable :
         {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY", "HTTP_PROXY"})
        qunsetenv(variable);
}

inline const QByteArray noLength = httpHead("200 OK", {"Content-Type: text/event-stream", "Connection: close"});
inline const QByteArray chunked = httpHead("200 OK", {"Content-Type: text/event-stream", "Transfer-Encoding: chunked"});

} // namespace kernelskill::test
