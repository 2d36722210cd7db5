// SPDX-License-Identifier: Apache-2.0
// Whether a program is faster on inputs it has seen before.
#pragma once

#include <vector>

namespace kernelskill::cuda {

struct Freshness
{
    bool known = false; // there were enough of both
    bool remembers = false;
    double first = 0, again = 0; // medians
};

// `times`: of calls that are otherwise alike, in any unit. `firstSight`: whether a call's inputs had not been seen
// before. It remembers when all first sights took longer than nine in ten of the others, and 5 % longer in the median:
// with three first sights among twelve calls, chance alone brings about the first of it once in 220.
[[nodiscard]] Freshness freshness(const std::vector<double> &times, const std::vector<bool> &firstSight);

} // namespace kernelskill::cuda
