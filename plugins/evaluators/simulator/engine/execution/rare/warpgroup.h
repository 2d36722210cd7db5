// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async: products of a warpgroup with operands in shared memory. Done when issued, by each warp for its 16 rows.
#pragma once

#include "engine/execution/micro_op.h"
#include "engine/ptx/type.h"

#include <vector>

namespace kernelskill::simulator {

struct WarpgroupSite {
    int n = 8, k = 16;
    ptx::Type a = ptx::Type::F16, b = ptx::Type::F16, d = ptx::Type::F32;
    bool saturate = false, conjunction = false;
    bool descriptorA = false;             // A lies in shared memory; otherwise four registers a lane
    bool negateA = false, negateB = false;
    bool transposedA = false, transposedB = false; // M- or N-major
    [[nodiscard]] std::vector<std::uint32_t> entries() const; // goes before the rows of d, of A or its descriptor, of B's descriptor
    [[nodiscard]] std::size_t accumulators() const;           // registers of D
};

// MicroOp: extra the entries; c the predicate scale-d (false: D is not read), immediate bit 0 its negation.
void multiplyWarpgroup(WarpContext &, const MicroOp &);

} // namespace kernelskill::simulator
