// SPDX-License-Identifier: Apache-2.0
// Whether an address is on this machine: there plain http shows nobody a key, no proxy is asked, and a model costs nothing.
#pragma once

#include <QUrl>

namespace kernelskill::secrets {

// By the host as it is written; nothing is looked up. This machine are localhost and every name under it, with or without
// the dot that ends a full name, 127.0.0.0/8 however its numbers are written, ::1, and 127.0.0.0/8 mapped into IPv6. It is
// not 0.0.0.0 or ::, which a server listens on and which are no address to send to, and not this machine's own name or
// address in a network: there others listen too.
[[nodiscard]] bool isThisMachine(const QUrl &url);

} // namespace kernelskill::secrets
