// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kernelskill::cuda {

enum class CounterAccess {
    Everybody,
    Administrator,          // this process may; one in a user namespace of its own may not
    AdministratorsButNotUs, // explainProfiler(1, "ERR_NVGPUCTRPERM") says it
};

// Known before the first profile. `driverParameters` is /proc/driver/nvidia/params, `processStatus` /proc/self/status.
// Without the driver's file nobody is kept out as far as we know.
[[nodiscard]] CounterAccess counterAccess(std::string_view driverParameters, std::string_view processStatus);
[[nodiscard]] CounterAccess counterAccess();

} // namespace kernelskill::cuda
