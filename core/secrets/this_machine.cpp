// SPDX-License-Identifier: Apache-2.0
#include "secrets/this_machine.h"

#include <QHostAddress>

namespace kernelskill::secrets {

bool isThisMachine(const QUrl &url)
{
    const QString host = url.host().toLower();
    if (QHostAddress(host).isLoopback()) return true;
    const QString name = host.endsWith(u'.') ? host.chopped(1) : host;
    return name == u"localhost" || name.endsWith(u".localhost");
}

} // namespace kernelskill::secrets
