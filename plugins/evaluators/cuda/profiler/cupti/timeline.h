// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record.h"

#include <memory>

namespace kernelskill::profiling {

// Counters over time in kernels long enough for it (PM sampling, one call).
std::unique_ptr<Part> timelinePart();

} // namespace kernelskill::profiling
