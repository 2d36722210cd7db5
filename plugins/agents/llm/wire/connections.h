// SPDX-License-Identifier: Apache-2.0
// What the exchanges of a transport share: Qt's connections, TLS settings, and the queue before each origin.
#pragma once

#include "wire/network_transport.h"

#include <QHash>
#include <QNetworkAccessManager>
#include <QObject>
#include <QSslConfiguration>

#include <optional>

namespace kernelskill::llm {

class HttpExchange;
class PendingAnswer;

class Connections : public QObject
{
public:
    explicit Connections(const NetworkOptions &options);
    ~Connections() override; // ends what runs or waits with "run.stopped"

    void begin(HttpRequest request, ChunkSink sink, Timeouts timeouts, std::stop_token stop, PendingAnswer *answer);

    [[nodiscard]] const NetworkOptions &options() const { return m_options; }
    // The reply belongs to the manager until the caller lets it go with deleteLater. The body is sent once at most.
    [[nodiscard]] QNetworkReply *send(const HttpRequest &request, const QUrl &url);
    void ended(HttpExchange *exchange); // starts the next one of its origin

private:
    [[nodiscard]] Result<void> check(const HttpRequest &request);
    [[nodiscard]] Result<void> prepareTls();
    void startWaiting(const QString &origin);

    struct Line // before one origin
    {
        int running = 0;
        QList<HttpExchange *> waiting;
    };

    NetworkOptions m_options;
    std::optional<QSslConfiguration> m_tls; // made for the first https address: reading certificates takes a moment
    QHash<QString, Line> m_lines;           // key: origin
    QList<HttpExchange *> m_exchanges;
    QNetworkAccessManager m_manager; // last, so first to go
};

} // namespace kernelskill::llm
