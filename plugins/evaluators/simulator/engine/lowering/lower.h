// SPDX-License-Identifier: Apache-2.0
// Turns a function of PTX into one whose instructions stand for what the assembler makes of it. See README.md.
#pragma once

#include "engine/ptx/module.h"
#include "engine/lowering/machine_cost.h"

#include <vector>

namespace kernelskill::simulator::lowering {

struct FunctionFacts {
    std::vector<MachineCost> costs; // one an instruction
    int registers = 0;              // 32-bit registers a thread needs, before the limit
};

// Rewrites every function with a body, in place; the result has one entry a function.
[[nodiscard]] std::vector<FunctionFacts> lower(ptx::Module &module);

// Registers a thread may have: .maxnreg, or what .minnctapersm leaves; 255 otherwise.
[[nodiscard]] int registerLimit(const ptx::Function &function);

} // namespace kernelskill::simulator::lowering
