// SPDX-License-Identifier: Apache-2.0
#include "raw_server.h"

#include <QSslServer>
#include <QTimer>

#include <algorithm>
#include <sys/socket.h>

namespace kernelskill::test {

Step sends(const QByteArray &bytes)
{
    return {Step::Kind::Send, bytes, 0};
}

Step pauses(int milliseconds)
{
    return {Step::Kind::Pause, {}, milliseconds};
}

Step holds()
{
    return {Step::Kind::Hold, {}, 0};
}

Step closes()
{
    return {Step::Kind::Close, {}, 0};
}

Step resets()
{
    return {Step::Kind::Reset, {}, 0};
}

Script inPieces(const QList<QByteArray> &pieces)
{
    Script script;
    for (const QByteArray &piece : pieces)
        script << sends(piece) << pauses();
    return script;
}

QByteArray httpHead(const QByteArray &status, const QList<QByteArray> &lines)
{
    QByteArray head = "HTTP/1.1 " + status + "\r\n";
    for (const QByteArray &line : lines)
        head += line + "\r\n";
    return head + "\r\n";
}

QByteArray httpAnswer(const QByteArray &status, const QByteArray &contentType, const QByteArray &body,
                      const QList<QByteArray> &lines)
{
    return httpHead(status, QList<QByteArray>{"Content-Type: " + contentType,
                                              "Content-Length: " + QByteArray::number(body.size())} +
                                lines) +
           body;
}

QByteArray httpChunk(const QByteArray &bytes)
{
    return QByteArray::number(bytes.size(), 16) + "\r\n" + bytes + "\r\n";
}

namespace {

// The value in a head, whatever the name's case.
QByteArray headerIn(const QByteArray &head, const QByteArray &name)
{
    const QByteArray wanted = name.toLower() + ':';
    for (const QByteArray &line : head.split('\n')) {
        if (line.toLower().startsWith(wanted)) return line.mid(wanted.size()).trimmed();
    }
    return {};
}

} // namespace

RawServer::RawServer(const std::optional<QSslConfiguration> &tls) : m_tls(tls.has_value())
{
    if (m_tls) {
        auto server = std::make_unique<QSslServer>();
        server->setSslConfiguration(*tls);
        m_server = std::move(server);
    } else {
        m_server = std::make_unique<QTcpServer>();
    }
    QObject::connect(m_server.get(), &QTcpServer::pendingConnectionAvailable, m_server.get(), [this] { accept(); });
    if (!m_server->listen(QHostAddress::LocalHost)) qFatal("nothing can listen on the loopback interface");
}

RawServer::~RawServer()
{
    const QList<QTcpSocket *> sockets = m_peers.keys();
    for (QTcpSocket *socket : sockets) {
        socket->disconnect();
        socket->abort();
    }
}

QUrl RawServer::url(const QString &path) const
{
    QUrl url;
    url.setScheme(m_tls ? QStringLiteral("https") : QStringLiteral("http"));
    url.setHost(QStringLiteral("127.0.0.1"));
    url.setPort(m_server->serverPort());
    url.setPath(path);
    return url;
}

void RawServer::accept()
{
    while (QTcpSocket *socket = m_server->nextPendingConnection()) {
        ++m_connections;
        m_peers.insert(socket, {});
        QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket] { receive(socket); });
        QObject::connect(socket, &QTcpSocket::disconnected, socket, [this, socket] {
            m_peers.remove(socket);
            socket->deleteLater();
        });
        if (socket->bytesAvailable() > 0) receive(socket);
    }
}

void RawServer::receive(QTcpSocket *socket)
{
    Peer &peer = m_peers[socket];
    peer.received += socket->readAll();
    const qsizetype head = peer.received.indexOf("\r\n\r\n");
    if (peer.busy || head < 0) return;
    const qsizetype length = headerIn(peer.received.first(head), "content-length").toLongLong();
    const qsizetype whole = head + 4 + length;
    if (peer.received.size() < whole) return;
    m_requests.append(peer.received.first(whole));
    peer.received.remove(0, whole);
    peer.busy = true;
    if (!m_scripts.isEmpty()) peer.left = m_scripts.size() > 1 ? m_scripts.takeFirst() : m_scripts.first();
    play(socket);
}

void RawServer::play(QTcpSocket *socket)
{
    while (true) {
        const auto peer = m_peers.find(socket);
        if (peer == m_peers.end()) return; // the other side is gone
        if (peer->left.isEmpty()) break;
        const Step step = peer->left.takeFirst();
        switch (step.kind) {
        case Step::Kind::Send:
            socket->write(step.bytes);
            socket->flush();
            break;
        case Step::Kind::Pause:
            QTimer::singleShot(step.pause_ms, socket, [this, socket] { play(socket); });
            return;
        case Step::Kind::Hold:
            peer->held = true;
            return;
        case Step::Kind::Close:
            peer->left.clear();
            socket->disconnectFromHost();
            return;
        case Step::Kind::Reset: {
            peer->left.clear();
            socket->flush();
            const linger now{1, 0};
            setsockopt(int(socket->socketDescriptor()), SOL_SOCKET, SO_LINGER, &now, sizeof now);
            socket->abort();
            return;
        }
        }
    }
    m_peers[socket].busy = false;
    receive(socket);
}

void RawServer::release()
{
    const QList<QTcpSocket *> sockets = m_peers.keys();
    for (QTcpSocket *socket : sockets) {
        const auto peer = m_peers.find(socket);
        if (peer == m_peers.end() || !peer->held) continue;
        peer->held = false;
        play(socket);
    }
}

int RawServer::held() const
{
    return int(std::ranges::count_if(m_peers, &Peer::held));
}

QByteArray RawServer::header(qsizetype request, const QByteArray &name) const
{
    const QByteArray text = m_requests.value(request);
    return headerIn(text.first(std::max<qsizetype>(text.indexOf("\r\n\r\n"), 0)), name);
}

QByteArray RawServer::body(qsizetype request) const
{
    const QByteArray text = m_requests.value(request);
    return text.mid(text.indexOf("\r\n\r\n") + 4);
}

} // namespace kernelskill::test
