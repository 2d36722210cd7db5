// SPDX-License-Identifier: Apache-2.0
// One exchange over the network, from its place in the queue to the last byte.
#pragma once

#include "wire/connections.h"
#include "wire/pending_answer.h"

#include <QPointer>
#include <QSslError>
#include <QTimer>

#include <functional>
#include <memory>
#include <stop_token>

namespace kernelskill::llm {

class HttpExchange : public QObject
{
public:
    HttpExchange(Connections *connections, HttpRequest request, ChunkSink sink, Timeouts timeouts,
                 PendingAnswer *answer);
    ~HttpExchange() override;

    [[nodiscard]] QString origin() const;
    void stopWith(std::stop_token token); // any thread may ask it
    void start();
    void stop();

private:
    void send(const QUrl &url);
    void watch();
    void connected(); // bytes go or come: the time of silence runs instead
    void readHead();
    void readBody();
    void replyEnded();
    [[nodiscard]] bool isRedirect() const;
    void followRedirect();
    void timedOut(const char *code, const QString &what, int limit_ms);
    void fail(const char *code, const QString &message, const QString &detail = {});
    void end(Result<HttpAnswer> result);
    void dropReply();

    Connections *m_connections;
    const HttpRequest m_request;
    const ChunkSink m_sink;
    const Timeouts m_timeouts;
    const QPointer<PendingAnswer> m_pending;
    std::unique_ptr<std::stop_callback<std::function<void()>>> m_onStop;

    QUrl m_url; // where it is now, after redirects
    int m_redirects = 0;
    QNetworkReply *m_reply = nullptr;
    QTimer m_connectTimer, m_silenceTimer, m_wholeTimer;
    QList<QSslError> m_tlsErrors;
    QByteArray m_contentType;
    HttpAnswer m_answer;
    bool m_ended = false;
};

} // namespace kernelskill::llm
