// SPDX-License-Identifier: Apache-2.0
// What `doctor` says of GPUs: driver, devices, nvcc, profiler, sandbox, and each host.
#pragma once

#include "cuda_device.h"

namespace kernelskill::cuda {

// Lines for one machine: {"name", "ok", "text", "remedy", "optional"}. A machine without a GPU lacks nothing that the
// workbench needs, so that is optional; a host that a person named is not.
[[nodiscard]] QList<QJsonObject> doctorLines(const HostDevices &machine);

} // namespace kernelskill::cuda
