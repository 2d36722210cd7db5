// SPDX-License-Identifier: Apache-2.0
// The proxies a person's environment names: http_proxy, https_proxy, all_proxy, no_proxy, in either case as other
// programs take them. This machine is never reached through a proxy.
#pragma once

#include <QNetworkProxyFactory>
#include <QUrl>

namespace kernelskill::llm {

struct EnvironmentProxy
{
    QUrl address;     // empty: none is to be used
    QString variable; // which named it
};
[[nodiscard]] EnvironmentProxy environmentProxy(const QUrl &url);

class EnvironmentProxies : public QNetworkProxyFactory
{
public:
    QList<QNetworkProxy> queryProxy(const QNetworkProxyQuery &query) override;
};

} // namespace kernelskill::llm
