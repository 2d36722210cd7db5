// SPDX-License-Identifier: Apache-2.0
// Live ranges of a function's registers: how many are live at once (an estimate of what the assembler will need), and an
// assignment of rows in which registers that are never live together share.
#pragma once

#include "engine/ptx/module.h"

#include <cstdint>
#include <vector>

namespace kernelskill::simulator {

struct LivenessResult {
    int mostLive32 = 0;              // 32-bit registers live at once, 64-bit ones counted twice
    std::vector<std::uint32_t> row;  // of each register, in units of 128 bytes from the function's first row
    std::uint32_t rows = 0;          // units in all
};

// A lane's column of a row is used by that lane alone, so liveness along one thread's paths is enough even though the
// warp's lanes may be at different places.
[[nodiscard]] LivenessResult analyseLiveness(const ptx::Function &function);

} // namespace kernelskill::simulator
