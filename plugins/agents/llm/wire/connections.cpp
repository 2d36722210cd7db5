// SPDX-License-Identifier: Apache-2.0
#include "wire/connections.h"

#include "secrets/secrets.h"
#include "secrets/this_machine.h"
#include "wire/environment_proxies.h"
#include "wire/http_exchange.h"
#include "wire/pending_answer.h"

#include <QFile>
#include <QNetworkReply>
#include <QNetworkRequest>
#include <QSslCertificate>
#include <QThread>

#include <algorithm>
#include <cstring>

namespace kernelskill::llm {

namespace {

// A body that cannot be rewound. Qt sends a request again by itself, up to three times, when a connection ends before
// its answer begins: the model would be paid for each of them. With this body it cannot, and whether to try again is
// decided where it is counted.
class BodySentOnce : public QIODevice
{
public:
    BodySentOnce(QByteArray body, QObject *parent) : QIODevice(parent), m_body(std::move(body))
    {
        open(QIODevice::ReadOnly | QIODevice::Unbuffered);
    }
    [[nodiscard]] bool isSequential() const override { return true; }
    [[nodiscard]] qint64 size() const override { return m_body.size(); }
    [[nodiscard]] qint64 bytesAvailable() const override { return m_body.size() - m_read; }
    [[nodiscard]] bool atEnd() const override { return bytesAvailable() == 0; }
    bool seek(qint64 position) override { return position == m_read; }
    bool reset() override { return m_read == 0; }

protected:
    qint64 readData(char *to, qint64 most) override
    {
        const qint64 count = std::min(most, m_body.size() - m_read);
        if (count == 0) return -1;
        std::memcpy(to, m_body.constData() + m_read, size_t(count));
        m_read += count;
        return count;
    }
    qint64 writeData(const char *, qint64) override { return -1; }

private:
    QByteArray m_body;
    qint64 m_read = 0;
};

bool fitsHeader(const QPair<QByteArray, QByteArray> &header)
{
    const auto isControl = [](char c) { return (uchar(c) < 32 && c != '\t') || c == 127; };
    return std::ranges::none_of(header.first, isControl) && std::ranges::none_of(header.second, isControl);
}

} // namespace

Connections::Connections(const NetworkOptions &options) : m_options(options)
{
    m_manager.setProxyFactory(new EnvironmentProxies);
    m_manager.setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
    m_manager.setAutoDeleteReplies(false);
}

Connections::~Connections()
{
    // Queued ones first: an ended one must not start them.
    m_lines.clear();
    const QList<HttpExchange *> left = std::exchange(m_exchanges, {});
    for (HttpExchange *exchange : left)
        exchange->stop();
    qDeleteAll(left);
}

void Connections::begin(HttpRequest request, ChunkSink sink, Timeouts timeouts, std::stop_token stop,
                        PendingAnswer *answer)
{
    Q_ASSERT(thread() == QThread::currentThread());
    request.secretHeader.second = request.secretHeader.second.trimmed(); // a key read from a file ends in a line end
    if (const auto checked = check(request); !checked) return answer->give(std::unexpected(checked.error()));
    const QString origin = secrets::originOf(request.url);
    if (stop.stop_requested())
        return answer->give(failure(QStringLiteral("run.stopped"),
                                    QStringLiteral("Stopped before anything was sent to %1.").arg(origin)));
    auto *exchange = new HttpExchange(this, std::move(request), std::move(sink), timeouts, answer);
    m_exchanges.append(exchange);
    m_lines[origin].waiting.append(exchange);
    exchange->stopWith(std::move(stop));
    startWaiting(origin);
}

void Connections::startWaiting(const QString &origin)
{
    Line &line = m_lines[origin];
    while (line.running < m_options.exchangesPerOrigin && !line.waiting.isEmpty()) {
        ++line.running;
        line.waiting.takeFirst()->start();
    }
}

void Connections::ended(HttpExchange *exchange)
{
    if (!m_exchanges.removeOne(exchange)) return; // we are going
    exchange->deleteLater();                      // one of its own signals may be under way
    const QString origin = exchange->origin();
    const auto line = m_lines.find(origin);
    if (line->waiting.removeOne(exchange)) return;
    --line->running;
    startWaiting(origin);
}

Result<void> Connections::check(const HttpRequest &request)
{
    const QUrl &url = request.url;
    const QString scheme = url.scheme();
    if (!url.isValid() || url.host().isEmpty() || (scheme != u"http" && scheme != u"https"))
        return failure(QStringLiteral("http.address"),
                       QStringLiteral("\"%1\" is no address of a server: it should begin with https:// (or http:// on "
                                      "this machine) and name a host.")
                           .arg(url.toDisplayString(QUrl::RemoveUserInfo | QUrl::RemoveQuery)));
    if (scheme == u"http" && !m_options.plainHttpAnywhere && !secrets::isThisMachine(url))
        return failure(
            QStringLiteral("http.insecure"),
            QStringLiteral("%1 is plain http to another machine, where anyone on the way can read the key and "
                           "the code: use https, or allow plain http for it.")
                .arg(secrets::originOf(url)));
    QList<QPair<QByteArray, QByteArray>> headers = request.headers;
    headers.append(request.secretHeader);
    for (const auto &header : std::as_const(headers)) {
        if (!fitsHeader(header))
            return failure(
                QStringLiteral("http.header"),
                QStringLiteral("The value for the header \"%1\" holds a line end or another character that no "
                               "header can carry: check how the key was copied.")
                    .arg(QString::fromLatin1(header.first.simplified())));
    }
    return scheme == u"https" ? prepareTls() : Result<void>();
}

Result<void> Connections::prepareTls()
{
    if (m_tls) return {};
    QSslConfiguration tls = QSslConfiguration::defaultConfiguration();
    if (!m_options.caFile.isEmpty()) {
        QFile file(m_options.caFile);
        if (!file.open(QIODevice::ReadOnly))
            return failure(QStringLiteral("http.tls"),
                           QStringLiteral("%1: the file of certificate authorities cannot be read (%2).")
                               .arg(m_options.caFile, file.errorString()));
        const QList<QSslCertificate> own = QSslCertificate::fromDevice(&file, QSsl::Pem);
        if (own.isEmpty())
            return failure(
                QStringLiteral("http.tls"),
                QStringLiteral("%1: there is no certificate in this file; PEM is expected, which begins with "
                               "-----BEGIN CERTIFICATE-----.")
                    .arg(m_options.caFile));
        // Once there are some of our own Qt no longer looks for the system's.
        tls.setCaCertificates(QSslConfiguration::systemCaCertificates() + own);
    }
    tls.setPeerVerifyMode(QSslSocket::VerifyPeer);
    tls.setProtocol(QSsl::TlsV1_2OrLater);
    m_tls = tls;
    return {};
}

QNetworkReply *Connections::send(const HttpRequest &request, const QUrl &url)
{
    QNetworkRequest qt(url);
    qt.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    qt.setAttribute(QNetworkRequest::Http2AllowedAttribute, false); // where a cut body is known as such
    qt.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    qt.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    qt.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    qt.setAttribute(QNetworkRequest::CacheSaveControlAttribute, false);
    qt.setTransferTimeout(0);
    // Else Qt sends the language of this machine, and asks for compressed bodies, which arrive in lumps.
    qt.setRawHeader("User-Agent", "kernelskill");
    qt.setRawHeader("Accept-Language", "en");
    qt.setRawHeader("Accept-Encoding", "identity");
    for (const auto &[name, value] : request.headers)
        qt.setRawHeader(name, value);
    if (!request.secretHeader.first.isEmpty()) qt.setRawHeader(request.secretHeader.first, request.secretHeader.second);
    if (url.scheme() == u"https") qt.setSslConfiguration(*m_tls);
    if (request.body.isEmpty()) return m_manager.sendCustomRequest(qt, request.method, QByteArray());

    qt.setAttribute(QNetworkRequest::DoNotBufferUploadDataAttribute, true);
    qt.setHeader(QNetworkRequest::ContentLengthHeader, request.body.size());
    auto *body = new BodySentOnce(request.body, &m_manager);
    QNetworkReply *reply = m_manager.sendCustomRequest(qt, request.method, body);
    body->setParent(reply);
    return reply;
}

} // namespace kernelskill::llm
