// SPDX-License-Identifier: Apache-2.0
#include "wire/connection_trouble.h"

#include "secrets/secrets.h"
#include "wire/environment_proxies.h"

#include <QSslCertificate>
#include <QStringList>

#include <algorithm>

namespace kernelskill::llm {

namespace {

QString hostsOf(const QSslCertificate &certificate)
{
    QStringList names = certificate.subjectAlternativeNames().values();
    if (names.isEmpty()) names = certificate.subjectInfo(QSslCertificate::CommonName);
    return names.isEmpty() ? QStringLiteral("no host at all") : names.join(QStringLiteral(", "));
}

QString tlsSentence(const QString &origin, const QSslError &error)
{
    const QSslCertificate certificate = error.certificate();
    switch (error.error()) {
    case QSslError::SelfSignedCertificate:
    case QSslError::SelfSignedCertificateInChain:
    case QSslError::UnableToGetLocalIssuerCertificate:
    case QSslError::UnableToGetIssuerCertificate:
    case QSslError::UnableToVerifyFirstCertificate:
    case QSslError::CertificateUntrusted:
        return QStringLiteral(
                   "%1 shows a certificate whose issuer (%2) this machine does not know. If the server is yours, "
                   "give the file of its certificate authority.")
            .arg(origin, certificate.issuerDisplayName().isEmpty() ? QStringLiteral("unnamed")
                                                                   : certificate.issuerDisplayName());
    case QSslError::HostNameMismatch:
        return QStringLiteral("%1 shows a certificate that is for %2: use the name it is made for.")
            .arg(origin, hostsOf(certificate));
    case QSslError::CertificateExpired:
        return QStringLiteral(
                   "%1 shows a certificate that was valid until %2: the server needs a new one, or the clock of "
                   "this machine is wrong.")
            .arg(origin, certificate.expiryDate().toUTC().toString(Qt::ISODate));
    case QSslError::CertificateNotYetValid:
        return QStringLiteral(
                   "%1 shows a certificate that is valid from %2 on: the clock of this machine may be wrong.")
            .arg(origin, certificate.effectiveDate().toUTC().toString(Qt::ISODate));
    default:
        return QStringLiteral("%1 shows a certificate that does not hold: %2").arg(origin, error.errorString());
    }
}

// The one to be told. A certificate whose time is over is not looked up in the CA file either, so its issuer seems
// unknown; and a wrong name matters only once the issuer is known.
QSslError gravest(const QList<QSslError> &errors)
{
    const auto isTime = [](const QSslError &error) {
        return error.error() == QSslError::CertificateExpired || error.error() == QSslError::CertificateNotYetValid;
    };
    if (const auto found = std::ranges::find_if(errors, isTime); found != errors.end()) return *found;
    const auto isIssuer = [](const QSslError &error) { return error.error() != QSslError::HostNameMismatch; };
    const auto found = std::ranges::find_if(errors, isIssuer);
    return found == errors.end() ? errors.first() : *found;
}

QString proxySentence(const QUrl &url)
{
    const EnvironmentProxy proxy = environmentProxy(url);
    return QStringLiteral("the proxy %1 (from %2)").arg(secrets::originOf(proxy.address), proxy.variable);
}

} // namespace

Trouble connectionTrouble(const QUrl &url, QNetworkReply::NetworkError error, const QString &words,
                          const QList<QSslError> &tlsErrors)
{
    const QString origin = secrets::originOf(url);
    const auto connection = [&](const QString &message) { return Trouble{"http.connection", message, words}; };
    if (!tlsErrors.isEmpty()) return {"http.tls", tlsSentence(origin, gravest(tlsErrors)), words};
    switch (error) {
    case QNetworkReply::HostNotFoundError:
        return connection(
            QStringLiteral("The host %1 was not found: check the address, or whether this machine is online.")
                .arg(url.host()));
    case QNetworkReply::ConnectionRefusedError:
        return connection(QStringLiteral("Nothing listens at %1: is the server running?").arg(origin));
    case QNetworkReply::RemoteHostClosedError:
    case QNetworkReply::ContentReSendError:
        return connection(QStringLiteral("%1 closed the connection before it answered.").arg(origin));
    case QNetworkReply::TimeoutError:
        return connection(QStringLiteral("%1 could not be reached: connecting took too long.").arg(origin));
    case QNetworkReply::SslHandshakeFailedError:
        return {
            "http.tls",
            QStringLiteral("No encrypted connection to %1 came about: it may speak plain http at this port, or TLS too "
                           "old (%2).")
                .arg(origin, words),
            words};
    case QNetworkReply::ProxyConnectionRefusedError:
    case QNetworkReply::ProxyConnectionClosedError:
    case QNetworkReply::ProxyNotFoundError:
    case QNetworkReply::ProxyTimeoutError:
    case QNetworkReply::UnknownProxyError:
        return connection(
            QStringLiteral("%1 could not be reached through %2: is it running?").arg(origin, proxySentence(url)));
    case QNetworkReply::ProxyAuthenticationRequiredError:
        return connection(QStringLiteral("%1 wants a name and a password: give them in its address, as in "
                                         "http://name:password@host:port.")
                              .arg(proxySentence(url)));
    case QNetworkReply::ProtocolFailure:
    case QNetworkReply::ProtocolUnknownError:
    case QNetworkReply::ProtocolInvalidOperationError:
        return connection(QStringLiteral("What %1 sends is no HTTP: is it the right port?").arg(origin));
    default:
        if (!environmentProxy(url).address.isEmpty())
            return connection(
                QStringLiteral("No answer from %1 through %2: %3").arg(origin, proxySentence(url), words));
        return connection(QStringLiteral("No answer from %1: %2").arg(origin, words));
    }
}

} // namespace kernelskill::llm
