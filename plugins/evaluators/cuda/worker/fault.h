// SPDX-License-Identifier: Apache-2.0
// What went wrong in a host, in words and in the kinds that findings have.
#pragma once

#include "driver.h"
#include "result.h"

#include "kit/confine.h"

#include <string>

namespace kernelskill::cuda {

// The driver's status after a call.
[[nodiscard]] Finding deviceFault(const std::string &whose, Status status, const std::string &text);
// How a host ended; sets the result's status.
[[nodiscard]] Finding processFault(const std::string &whose, const kit::ConfinedEnd &end, Result &result);

} // namespace kernelskill::cuda
