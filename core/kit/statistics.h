// SPDX-License-Identifier: Apache-2.0
// Medians, intervals and means of time samples, and the order in which two programs are timed.
#pragma once

#include "kit/seeds.h"

#include <cstddef>
#include <vector>

namespace kernelskill::kit {

struct Range
{
    double low = 0, high = 0;
};

// Of an even number the mean of the two in the middle; NaN of none.
[[nodiscard]] double median(std::vector<double> values);

// 95 % interval of the median by the percentile bootstrap. Deterministic for a seed; one sample gives a point, none NaNs.
[[nodiscard]] Range medianInterval(const std::vector<double> &samples, Seed seed, std::size_t resamples = 2000);
// 95 % interval of median(numerators) / median(denominators), both resampled on their own.
[[nodiscard]] Range medianRatioInterval(const std::vector<double> &numerators, const std::vector<double> &denominators,
                                        Seed seed, std::size_t resamples = 2000);

// exp(Σ w·log v / Σ w); NaN unless all values are positive, weights are not negative and their sum is positive.
[[nodiscard]] double weightedGeometricMean(const std::vector<double> &values, const std::vector<double> &weights);

// Which of two programs runs next: A B B A A B B A …, so that a drift that is linear in time hits both alike. False is A.
[[nodiscard]] std::vector<bool> abbaOrder(std::size_t samplesOfEach);

} // namespace kernelskill::kit
