// SPDX-License-Identifier: Apache-2.0
// Variants of float and half instructions the vectorised handlers do not have.
#pragma once

#include "engine/execution/operation.h"

namespace kernelskill::simulator {

// add, sub, mul, fma, min, max, abs, neg, ex2, tanh of halves with .ftz, .relu, .sat, .NaN, .xorsign.abs; min and max of floats
// with .xorsign.abs. The key's flags travel in the mode.
struct FloatMode {
    Operation operation = Operation::Add;
    ptx::Type type = ptx::Type::F32;
    bool ftz = false, saturate = false, relu = false, nan = false, exclusiveSign = false;
    [[nodiscard]] std::uint64_t bits() const;
};
void floatVariantLanes(WarpContext &, const MicroOp &);

void reciprocalApproximateLanes(WarpContext &, const MicroOp &); // rcp.approx.ftz.f64, mode 1: rsqrt.approx.ftz.f64
void setByComparison(WarpContext &, const MicroOp &); // set: predicates a (and b for the upper half) into 16- or 32-bit results
void upperHalfLanes(WarpContext &, const MicroOp &);  // a >> 16

} // namespace kernelskill::simulator
