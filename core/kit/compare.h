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
    double errorSquares = 0, expectedSquares = 0; // ‖actual − expected‖₂², ‖expected‖₂² over pairs of finite values
    double relativeErrorNorm = 0;                 // √ of their ratio
    [[nodiscard]] bool passed() const { return mismatches == 0; }
    // "3 of 4096 differ, worst at 17: expected 1.25, found 0 (relative error norm 0.02)"
    [[nodiscard]] std::string describe() const;
};

// The error of one output over several calls, as if they were one long output. Where a call has but few elements, as a sum
// over everything has, one that comes out near 0 by cancellation says nothing of how precisely it was computed.
class PooledError
{
public:
    void add(const Comparison &comparison);
    [[nodiscard]] double relativeNorm() const; // infinite where all that was expected is 0 and something else came

private:
    double m_errorSquares = 0, m_expectedSquares = 0;
};

// Integers and bool must be equal. NaN is expected exactly where the reference has it, infinities with their sign; a
// reference beyond the dtype's range may come out infinite.
[[nodiscard]] Comparison compareOutput(const Dtype &dtype, const void *actual, const double *expected,
                                       std::size_t count, const CompareTolerance &tolerance);

} // namespace kernelskill::kit
