// SPDX-License-Identifier: Apache-2.0
// Which registers an instruction reads and writes.
#pragma once

#include "engine/ptx/module.h"

#include <cstdint>
#include <vector>

namespace kernelskill::simulator {

struct RegisterUse {
    std::vector<std::uint32_t> reads, writes; // register indices; a predicated write is a read too
};

[[nodiscard]] bool writesFirstOperand(const ptx::Instruction &instruction);
[[nodiscard]] RegisterUse registerUse(const ptx::Instruction &instruction);

} // namespace kernelskill::simulator
