// SPDX-License-Identifier: Apache-2.0
// Which GPU an evaluation runs on.
#pragma once

#include "cuda_device.h"

namespace kernelskill::cuda {

// The machines to ask for a device, in order: all for an empty id, this one first; else the one the id names. Error
// device.unknown when no such machine is known.
[[nodiscard]] Result<QStringList> hostsToAsk(const QString &wanted, const QList<HostAddress> &hosts);

// From what these machines said. Errors: device.unknown (names what exists), environment.device (it exists and cannot
// be used), or the machines' own trouble.
[[nodiscard]] Result<CudaDevice> chooseDevice(const QString &wanted, const QList<HostDevices> &asked);

} // namespace kernelskill::cuda
