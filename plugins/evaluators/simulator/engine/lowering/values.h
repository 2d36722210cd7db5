// SPDX-License-Identifier: Apache-2.0
// What is known of the values in a function's registers: where they come from, who uses them, and which part of them the
// machine has to keep in a thread's registers.
#pragma once

#include "engine/lowering/facts.h"

#include <cstdint>
#include <vector>

namespace kernelskill::simulator::lowering {

inline constexpr std::uint32_t unknownInstruction = ~0u;

struct Values {
    std::vector<Facts> facts;               // of each instruction
    std::vector<std::uint32_t> definition;  // of each register: the instruction that writes it; unknownInstruction: several, or none
    std::vector<std::vector<std::uint32_t>> users;
    // 64-bit registers of which only the low half is ever used: offsets into shared memory, which has 32-bit addresses.
    std::vector<bool> narrow;
    // The same in all lanes of a warp. The machine keeps such integers in uniform registers or reads them from the constant
    // bank, and branches on them need no meeting point.
    std::vector<bool> uniform;

    // The innermost loop around each instruction, as the instructions from its first to its last; empty: none.
    struct Range { std::uint32_t begin = 0, end = 0; [[nodiscard]] bool contains(std::uint32_t at) const { return at >= begin && at < end; } };
    std::vector<Range> loop;

    // The instruction that defines what an operand holds when nobody else uses it; unknownInstruction otherwise.
    [[nodiscard]] std::uint32_t onlyFor(const ptx::Operand &operand) const;
    [[nodiscard]] std::uint32_t definitionOf(const ptx::Operand &operand) const;
    // The operand has one value for all rounds of the innermost loop around the instruction.
    [[nodiscard]] bool isFixedInLoop(const ptx::Operand &operand, std::uint32_t at) const;
};

[[nodiscard]] Values valuesOf(const ptx::Function &function);

} // namespace kernelskill::simulator::lowering
