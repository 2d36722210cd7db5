// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record.h"

#include <memory>

namespace kernelskill::profiling {

// Names, shapes, resources and times of everything a call puts on the GPU, unperturbed by counters (activity records).
std::unique_ptr<Part> launchesPart();

} // namespace kernelskill::profiling
