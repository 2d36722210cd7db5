// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record.h"

#include <string>

namespace kernelskill::profiling {

// The JSON described in profile_abi.h.
std::string report(const Record &record);

} // namespace kernelskill::profiling
