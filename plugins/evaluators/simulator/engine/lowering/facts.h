// SPDX-License-Identifier: Apache-2.0
// What the passes need to know of an instruction.
#pragma once

#include "engine/ptx/module.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kernelskill::simulator::lowering {

enum class Effect : std::uint8_t {
    Pure,        // its results depend on its operands alone
    Load,
    Store,
    WarpWide,    // shuffles, votes, matrix products, matrix loads: lanes take part together; one with a space reads it
    Ordered      // barriers, atomics, fences, volatile accesses, calls, and all that is not known: nothing passes it
};

struct Facts {
    std::vector<std::uint32_t> reads, writes; // registers; a guarded write whose old value may be seen is a read too
    Effect effect = Effect::Ordered;
    ptx::Space space = ptx::Space::None;      // of a load or store
    bool readOnly = false;                    // ld.global.nc, ld.const, kernel parameters: no store changes it
    bool carry = false;                       // uses the carry flag
    std::uint32_t bytes = 0;                  // of a load or store, all elements
};

[[nodiscard]] Facts factsOf(const ptx::Function &function, const ptx::Instruction &instruction);
[[nodiscard]] std::vector<Facts> factsOf(const ptx::Function &function, const std::vector<ptx::Instruction> &instructions);

// The last type an instruction names.
[[nodiscard]] ptx::Type lastType(const ptx::Instruction &instruction);
// 32-bit registers a value takes: 0 for predicates.
[[nodiscard]] int registerWidth(const ptx::Function &function, std::uint32_t index);
// The base of an access "[base + offset]", a register or the name of a variable; null when the address is another kind.
[[nodiscard]] const ptx::Operand *addressOf(const ptx::Instruction &instruction);
[[nodiscard]] bool isSameBase(const ptx::Operand &left, const ptx::Operand &right);
// Exact divisions and roots become sequences with a branch to a slow path.
[[nodiscard]] bool expandsToBranch(const ptx::Instruction &instruction);
[[nodiscard]] bool isReg(const ptx::Operand &operand);

} // namespace kernelskill::simulator::lowering
