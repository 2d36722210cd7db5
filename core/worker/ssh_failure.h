// SPDX-License-Identifier: Apache-2.0
// What OpenSSH says when it fails, as one sentence with what to do about it.
#pragma once

#include "worker/host_address.h"

namespace kernelskill {

// `log` is what the client printed. The code is worker.refused where trying again cannot help (no key is accepted, the
// host's key is not known, no such name), worker.unreachable where nobody answered, and worker.connection where a
// connection that stood was lost. Never empty: what is not understood is quoted.
[[nodiscard]] Error explainSshFailure(const HostAddress &host, const QString &log);

} // namespace kernelskill
