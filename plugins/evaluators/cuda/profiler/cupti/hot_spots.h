// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record.h"

#include <memory>

namespace kernelskill::profiling {

// Where warps wait, by source line (PC sampling). Lines need -lineinfo; without it the function as a whole is known.
std::unique_ptr<Part> hotSpotsPart();

// Keeps the machine code of modules as they are loaded, which alone knows the lines. Before the first module.
void watchModules();

} // namespace kernelskill::profiling
