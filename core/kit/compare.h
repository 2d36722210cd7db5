// SPDX-License-Identifier: Apache-2.0
// A candidate's output against a reference in double.
#pragma once

#include "kit/dtypes.h"

#include <cstddef>
#include <string>

namespace kernelskill::kit {

struct CompareTolerance
{
    double absolute = 0, relative = 0; // |actual − expected| ≤ absolute + relative·|expected|
    // Multiplies `absolute` by the root mean square of the expected values when that is above 1: for inputs so large that
    // cancellation alone exceeds a fixed bound.
    bool scaleAbsolute = false;
};

struct Comparison
{
    std::size_t count = 0;
    std::size_t mismatches = 0;
    std::size_t worst = 0;              // index of the element furthest outside; of the largest error when all are inside
    double worstExpected = 0, worstActual = 0;
    double worstExcess = 0;             // error over allowed error; infinite for NaN and the like
    double relativeErrorNorm = 0;       // ‖actual − expected‖₂ / ‖expected‖₂ over pairs of finite values
    [[nodiscard]] bool passed() const { return mismatches == 0; }
    // "3 of 4096 differ, worst at 17: expected 1.25, found 0 (relative error norm 0.02)"
    [[nodiscard]] std::string describe() const;
};

// Integers and bool must be equal. NaN is expected exactly where the reference has it, infinities with their sign; a
// reference beyond the dtype's range may come out infinite.
[[nodiscard]] Comparison compareOutput(const Dtype &dtype, const void *actual, const double *expected,
                                       std::size_t count, const CompareTolerance &tolerance);

} // namespace kernelskill::kit
