// SPDX-License-Identifier: Apache-2.0
#include "wire/environment_proxies.h"

#include "secrets/this_machine.h"

#include <QHostAddress>
#include <QStringList>

#include <algorithm>

namespace kernelskill::llm {

namespace {

// "api.example.org", ".example.org", "example.org:8080", "10.0.0.0/8", "*"
bool isExempt(const QUrl &url, const QString &entry)
{
    const QString host = url.host();
    if (entry == u"*") return true;
    if (const auto network = QHostAddress::parseSubnet(entry); !network.first.isNull() && entry.contains(u'/'))
        return QHostAddress(host).isInSubnet(network);
    QString name = entry;
    if (const qsizetype colon = entry.lastIndexOf(u':'); colon > 0 && entry.count(u':') == 1) {
        if (entry.mid(colon + 1).toInt() != url.port(url.scheme() == u"https" ? 443 : 80)) return false;
        name = entry.first(colon);
    }
    if (name.startsWith(u"*.")) name.remove(0, 1);
    if (name.startsWith(u'.')) name.remove(0, 1);
    return host.compare(name, Qt::CaseInsensitive) == 0 || host.endsWith(u'.' + name, Qt::CaseInsensitive);
}

bool isExempt(const QUrl &url)
{
    const QString list = qEnvironmentVariable("no_proxy", qEnvironmentVariable("NO_PROXY"));
    const QStringList entries = list.split(u',', Qt::SkipEmptyParts);
    return std::ranges::any_of(entries, [&](const QString &entry) { return isExempt(url, entry.trimmed()); });
}

} // namespace

EnvironmentProxy environmentProxy(const QUrl &url)
{
    if (secrets::isThisMachine(url) || isExempt(url)) return {};
    // A web server's scripts get a client's header as HTTP_PROXY, so that one is read in lower case only.
    const QStringList variables =
        url.scheme() == u"https"
            ? QStringList{QStringLiteral("https_proxy"), QStringLiteral("HTTPS_PROXY"), QStringLiteral("all_proxy"),
                          QStringLiteral("ALL_PROXY")}
            : QStringList{QStringLiteral("http_proxy"), QStringLiteral("all_proxy"), QStringLiteral("ALL_PROXY")};
    for (const QString &variable : variables) {
        const QString text = qEnvironmentVariable(variable.toLocal8Bit().constData()).trimmed();
        if (text.isEmpty()) continue;
        const QUrl address(text.contains(QStringLiteral("://")) ? text : QStringLiteral("http://") + text);
        if (!address.isValid() || address.host().isEmpty()) continue;
        return {address, variable};
    }
    return {};
}

QList<QNetworkProxy> EnvironmentProxies::queryProxy(const QNetworkProxyQuery &query)
{
    const QUrl proxy = environmentProxy(query.url()).address;
    if (proxy.isEmpty()) return {QNetworkProxy(QNetworkProxy::NoProxy)};
    const bool socks = proxy.scheme().startsWith(u"socks");
    // A tunnel for https, a request with the whole address for http.
    const QNetworkProxy::ProxyType type = socks                              ? QNetworkProxy::Socks5Proxy
                                          : query.url().scheme() == u"https" ? QNetworkProxy::HttpProxy
                                                                             : QNetworkProxy::HttpCachingProxy;
    return {QNetworkProxy(type, proxy.host(),
                          quint16(proxy.port(socks                        ? 1080
                                             : proxy.scheme() == u"https" ? 443
                                                                          : 80)),
                          proxy.userName(QUrl::FullyDecoded), proxy.password(QUrl::FullyDecoded))};
}

} // namespace kernelskill::llm
