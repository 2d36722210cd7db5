// SPDX-License-Identifier: Apache-2.0
// A server on the loopback interface that says exactly the bytes it is told to, with pauses, cuts and resets where they
// are wanted, and keeps what it was sent. In the thread of the test: it works while the test's event loop runs.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QList>
#include <QSslConfiguration>
#include <QTcpServer>
#include <QTcpSocket>
#include <QUrl>

#include <memory>
#include <optional>

namespace kernelskill::test {

struct Step
{
    enum class Kind {
        Send,
        Pause, // for pause_ms; also what keeps two pieces two
        Hold,  // until RawServer::release
        Close, // in order: the peer sees an end of the stream
        Reset, // rudely: the peer sees a reset connection
    };
    Kind kind = Kind::Send;
    QByteArray bytes;
    int pause_ms = 0;
};
using Script = QList<Step>;

[[nodiscard]] Step sends(const QByteArray &bytes);
[[nodiscard]] Step pauses(int milliseconds = 20);
[[nodiscard]] Step holds();
[[nodiscard]] Step closes();
[[nodiscard]] Step resets();
// Each piece on its own.
[[nodiscard]] Script inPieces(const QList<QByteArray> &pieces);
// "200 OK" and further header lines, without the line ends.
[[nodiscard]] QByteArray httpHead(const QByteArray &status, const QList<QByteArray> &lines);
// A whole answer with its length.
[[nodiscard]] QByteArray httpAnswer(const QByteArray &status, const QByteArray &contentType, const QByteArray &body,
                                    const QList<QByteArray> &lines = {});
[[nodiscard]] QByteArray httpChunk(const QByteArray &bytes); // of a chunked body; empty: the last one

class RawServer
{
public:
    explicit RawServer(const std::optional<QSslConfiguration> &tls = std::nullopt);
    ~RawServer();

    [[nodiscard]] QUrl url(const QString &path = QStringLiteral("/")) const;
    // One script a request, in order of arrival; the last one serves all further requests.
    void answerWith(const QList<Script> &scripts) { m_scripts = scripts; }
    void answerWith(const Script &script) { m_scripts = {script}; }
    void release(); // whatever holds goes on

    // As sent, head and body together.
    [[nodiscard]] const QList<QByteArray> &requests() const { return m_requests; }
    // The value of a header of a request, "" when it has none.
    [[nodiscard]] QByteArray header(qsizetype request, const QByteArray &name) const;
    [[nodiscard]] QByteArray body(qsizetype request) const;
    [[nodiscard]] int connections() const { return m_connections; }
    [[nodiscard]] int openConnections() const { return int(m_peers.size()); }
    [[nodiscard]] int held() const; // requests that wait for release

private:
    struct Peer
    {
        QByteArray received;
        Script left; // of the script under way
        bool busy = false, held = false;
    };
    void accept();
    void receive(QTcpSocket *socket);
    void play(QTcpSocket *socket);

    std::unique_ptr<QTcpServer> m_server;
    bool m_tls = false;
    QList<Script> m_scripts;
    QList<QByteArray> m_requests;
    QHash<QTcpSocket *, Peer> m_peers;
    int m_connections = 0;
};

} // namespace kernelskill::test
