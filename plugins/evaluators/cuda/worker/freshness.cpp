// SPDX-License-Identifier: Apache-2.0
#include "freshness.h"

#include "kit/statistics.h"

#include <algorithm>

namespace kernelskill::cuda {

namespace {

constexpr std::size_t fewestFirst = 3, fewestAgain = 6;
constexpr double margin = 1.05;

} // namespace

Freshness freshness(const std::vector<double> &times, const std::vector<bool> &firstSight)
{
    std::vector<double> first, again;
    for (std::size_t i = 0; i < std::min(times.size(), firstSight.size()); ++i)
        (firstSight[i] ? first : again).push_back(times[i]);
    Freshness result;
    result.known = first.size() >= fewestFirst && again.size() >= fewestAgain;
    if (!result.known) return result;
    result.first = kit::median(first);
    result.again = kit::median(again);
    std::ranges::sort(again);
    const double longest = again[again.size() * 9 / 10];
    result.remembers = result.first > margin * result.again && *std::ranges::min_element(first) > longest;
    return result;
}

} // namespace kernelskill::cuda
