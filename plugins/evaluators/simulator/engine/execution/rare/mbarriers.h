// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/execution/micro_op.h"

namespace kernelskill::simulator {

// An mbarrier instruction: MicroOp.extra is its MemoryOperand, whose rows[0] is the count, the parity or the token; d is the
// row of the token or the predicate of a wait.
enum class BarrierAction : std::uint8_t { Initialise, Invalidate, Arrive, Drop, Expect, Complete, Wait, CopyArrive };
struct BarrierMode {
    BarrierAction action = BarrierAction::Arrive;
    bool hasResult = false, hasCount = false, expects = false; // expects: the operand is a number of bytes, the count is 1
    bool parity = false;    // of a wait: the operand is a parity and not a token
    bool increment = false; // CopyArrive without .noinc
    [[nodiscard]] std::int64_t bits() const {
        return static_cast<std::int64_t>(action) | (hasResult ? 16 : 0) | (hasCount ? 32 : 0) | (expects ? 64 : 0) | (parity ? 128 : 0) | (increment ? 256 : 0);
    }
};
void barrierObjectHandler(WarpContext &, const MicroOp &);
void pendingCountLanes(WarpContext &, const MicroOp &);

} // namespace kernelskill::simulator
