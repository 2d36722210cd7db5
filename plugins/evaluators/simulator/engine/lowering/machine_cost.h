// SPDX-License-Identifier: Apache-2.0
// What an instruction of PTX costs in machine instructions.
#pragma once

#include "engine/launch_report.h"
#include "engine/ptx/module.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kernelskill::simulator::lowering {

// The default stands for one machine instruction of the PTX instruction's own class.
struct MachineCost {
    bool own = true;
    std::array<std::uint8_t, instructionClassCount> issued{}; // machine instructions of each class, when not `own`
    std::uint8_t fp32Flops = 0, fp64Flops = 0;                // of a lane
    std::uint16_t latency = 0;                                // cycles to the result; 0: that of the class
    [[nodiscard]] unsigned total() const;
};

[[nodiscard]] std::vector<MachineCost> costsOf(const ptx::Function &function);

} // namespace kernelskill::simulator::lowering
