// SPDX-License-Identifier: Apache-2.0
#include "wire/http_exchange.h"

#include "secrets/secrets.h"
#include "wire/connection_trouble.h"

#include <QNetworkReply>

namespace kernelskill::llm {

namespace {

constexpr int mostRedirects = 5;

QString seconds(int limit_ms)
{
    return limit_ms % 1000 == 0 ? QStringLiteral("%1 s").arg(limit_ms / 1000) : QStringLiteral("%1 ms").arg(limit_ms);
}

bool isSuccess(int status)
{
    return status >= 200 && status < 300;
}

} // namespace

HttpExchange::HttpExchange(Connections *connections, HttpRequest request, ChunkSink sink, Timeouts timeouts,
                           PendingAnswer *answer)
    : m_connections(connections), m_request(std::move(request)), m_sink(std::move(sink)), m_timeouts(timeouts),
      m_pending(answer), m_url(m_request.url)
{
    for (QTimer *timer : {&m_connectTimer, &m_silenceTimer, &m_wholeTimer})
        timer->setSingleShot(true);
    connect(&m_connectTimer, &QTimer::timeout, this,
            [this] { timedOut("http.connection", QStringLiteral("has not taken the request within"), m_timeouts.connect_ms); });
    connect(&m_silenceTimer, &QTimer::timeout, this,
            [this] { timedOut("http.timeout", QStringLiteral("has sent nothing for"), m_timeouts.silence_ms); });
    connect(&m_wholeTimer, &QTimer::timeout, this,
            [this] { timedOut("http.timeout", QStringLiteral("has not finished its answer within"), m_timeouts.whole_ms); });
}

HttpExchange::~HttpExchange()
{
    m_onStop.reset(); // waits for a call in progress
    dropReply();
}

QString HttpExchange::origin() const
{
    return secrets::originOf(m_request.url);
}

void HttpExchange::stopWith(std::stop_token token)
{
    m_onStop = std::make_unique<std::stop_callback<std::function<void()>>>(
        std::move(token), [this] { QMetaObject::invokeMethod(this, &HttpExchange::stop, Qt::QueuedConnection); });
}

void HttpExchange::start()
{
    m_wholeTimer.start(m_timeouts.whole_ms);
    send(m_url);
}

void HttpExchange::stop()
{
    fail("run.stopped", QStringLiteral("Stopped while waiting for %1.").arg(secrets::originOf(m_url)));
}

void HttpExchange::send(const QUrl &url)
{
    m_url = url;
    m_answer = {};
    m_connectTimer.start(m_timeouts.connect_ms);
    m_reply = m_connections->send(m_request, url);
    watch();
}

void HttpExchange::watch()
{
    connect(m_reply, &QNetworkReply::requestSent, this, &HttpExchange::connected);
    connect(m_reply, &QNetworkReply::uploadProgress, this, [this](qint64 sent) {
        if (sent > 0) connected();
    });
    connect(m_reply, &QNetworkReply::sslErrors, this, [this](const QList<QSslError> &errors) { m_tlsErrors = errors; });
    connect(m_reply, &QNetworkReply::metaDataChanged, this, &HttpExchange::readHead);
    connect(m_reply, &QNetworkReply::readyRead, this, &HttpExchange::readBody);
    connect(m_reply, &QNetworkReply::finished, this, &HttpExchange::replyEnded);
}

void HttpExchange::connected()
{
    m_connectTimer.stop();
    m_silenceTimer.start(m_timeouts.silence_ms);
}

void HttpExchange::readHead()
{
    m_answer.status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    if (m_answer.status == 0) return;
    connected();
    m_answer.headers.clear();
    for (const auto &[name, value] : m_reply->rawHeaderPairs())
        m_answer.headers.append({name.toLower(), value});
    m_contentType = m_answer.header("content-type");
}

void HttpExchange::readBody()
{
    if (m_answer.status == 0) readHead();
    const QByteArray bytes = m_reply->readAll();
    if (bytes.isEmpty()) return;
    connected();
    m_answer.body += bytes;
    if (!isSuccess(m_answer.status)) {
        const qint64 most = m_connections->options().largestRefusal_bytes;
        if (m_answer.body.size() <= most) return;
        m_answer.body.truncate(most);
        if (!isRedirect()) end(m_answer);
        return;
    }
    if (m_answer.body.size() > m_connections->options().largestAnswer_bytes)
        return fail("http.size", QStringLiteral("The answer of %1 is larger than %2 MiB and was given up.")
                                     .arg(secrets::originOf(m_url))
                                     .arg(double(m_connections->options().largestAnswer_bytes) / (1 << 20)));
    if (m_sink) m_sink(m_contentType, bytes);
}

void HttpExchange::replyEnded()
{
    readHead();
    readBody();
    if (m_ended) return;
    const QNetworkReply::NetworkError error = m_reply->error();
    if (m_answer.status == 0) {
        const Trouble trouble = connectionTrouble(m_url, error, m_reply->errorString(), m_tlsErrors);
        return fail(trouble.code, trouble.message, trouble.detail);
    }
    if (isRedirect()) return followRedirect();
    // An error status is an error to Qt too, so the body's own length is asked first.
    bool hasLength = false;
    const qint64 length = m_answer.header("content-length").toLongLong(&hasLength);
    const bool brokenOff = error == QNetworkReply::RemoteHostClosedError || error == QNetworkReply::TimeoutError ||
                           error == QNetworkReply::UnknownNetworkError ||
                           error == QNetworkReply::TemporaryNetworkFailureError ||
                           error == QNetworkReply::NetworkSessionFailedError || error == QNetworkReply::ProtocolFailure;
    m_answer.cut = brokenOff || (hasLength && m_request.method != "HEAD" && m_answer.body.size() < length);
    end(m_answer);
}

bool HttpExchange::isRedirect() const
{
    const int status = m_answer.status;
    return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

void HttpExchange::followRedirect()
{
    const QUrl target = m_url.resolved(QUrl::fromEncoded(m_answer.header("location")));
    const QString from = secrets::originOf(m_url), to = secrets::originOf(target);
    if (m_answer.header("location").isEmpty() || !target.isValid() || target.host().isEmpty())
        return fail(
            "http.redirect",
            QStringLiteral("%1 answers %2, a redirect, without saying where to.").arg(from).arg(m_answer.status));
    if (from != to)
        return fail(
            "http.redirect",
            QStringLiteral("%1 redirects to %2. The key belongs to %1 and was not sent there; if %2 is right, give "
                           "it as the provider's address.")
                .arg(from, to));
    const bool keepsMethod = m_answer.status >= 307 || m_request.method == "GET";
    if (!keepsMethod || ++m_redirects > mostRedirects)
        return fail("http.redirect",
                    QStringLiteral("%1 redirects from %2 to %3%4: give the right path in the provider's address.")
                        .arg(from, m_url.path(), target.path(),
                             keepsMethod ? QStringLiteral(", for the %1th time").arg(m_redirects) : QString()));
    dropReply();
    send(target);
}

void HttpExchange::timedOut(const char *code, const QString &what, int limit_ms)
{
    fail(code, QStringLiteral("%1 %2 %3.").arg(secrets::originOf(m_url), what, seconds(limit_ms)));
}

void HttpExchange::fail(const char *code, const QString &message, const QString &detail)
{
    end(failure(QString::fromLatin1(code), message, detail));
}

void HttpExchange::end(Result<HttpAnswer> result)
{
    if (m_ended) return;
    m_ended = true;
    for (QTimer *timer : {&m_connectTimer, &m_silenceTimer, &m_wholeTimer})
        timer->stop();
    dropReply();
    if (m_pending) m_pending->give(std::move(result));
    m_connections->ended(this);
}

void HttpExchange::dropReply()
{
    if (!m_reply) return;
    QNetworkReply *reply = std::exchange(m_reply, nullptr);
    reply->disconnect(this);
    if (reply->isRunning()) reply->abort();
    reply->deleteLater();
}

} // namespace kernelskill::llm
