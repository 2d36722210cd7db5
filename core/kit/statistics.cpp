// SPDX-License-Identifier: Apache-2.0
#include "kit/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernelskill::kit {

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

std::vector<double> resample(const std::vector<double> &samples, RandomStream &random)
{
    std::vector<double> result(samples.size());
    for (double &value : result) value = samples[random.below(samples.size())];
    return result;
}

// The 2.5th and 97.5th percentile, by linear interpolation between order statistics.
Range middle95(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const auto at = [&](double fraction) {
        const double place = fraction * double(values.size() - 1);
        const auto below = std::size_t(place);
        const std::size_t above = std::min(below + 1, values.size() - 1);
        return values[below] + (place - double(below)) * (values[above] - values[below]);
    };
    return {at(0.025), at(0.975)};
}

} // namespace

double median(std::vector<double> values)
{
    if (values.empty()) return notANumber;
    const std::size_t half = values.size() / 2;
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(half), values.end());
    const double upper = values[half];
    if (values.size() % 2 == 1) return upper;
    const double lower = *std::max_element(values.begin(), values.begin() + std::ptrdiff_t(half));
    return lower + (upper - lower) / 2;
}

Range medianInterval(const std::vector<double> &samples, Seed seed, std::size_t resamples)
{
    if (samples.empty() || resamples == 0) return {notANumber, notANumber};
    RandomStream random(seed.with("bootstrap"));
    std::vector<double> medians(resamples);
    for (double &value : medians) value = median(resample(samples, random));
    return middle95(std::move(medians));
}

Range medianRatioInterval(const std::vector<double> &numerators, const std::vector<double> &denominators, Seed seed,
                          std::size_t resamples)
{
    if (numerators.empty() || denominators.empty() || resamples == 0) return {notANumber, notANumber};
    RandomStream random(seed.with("bootstrap ratio"));
    std::vector<double> ratios(resamples);
    for (double &value : ratios) {
        const double numerator = median(resample(numerators, random));
        value = numerator / median(resample(denominators, random));
    }
    return middle95(std::move(ratios));
}

double weightedGeometricMean(const std::vector<double> &values, const std::vector<double> &weights)
{
    if (values.size() != weights.size()) return notANumber;
    double sum = 0, weight = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!(values[i] > 0) || !(weights[i] >= 0)) return notANumber;
        sum += weights[i] * std::log(values[i]);
        weight += weights[i];
    }
    return weight > 0 ? std::exp(sum / weight) : notANumber;
}

std::vector<bool> abbaOrder(std::size_t samplesOfEach)
{
    std::vector<bool> order;
    order.reserve(samplesOfEach * 2);
    for (std::size_t pair = 0; pair < samplesOfEach; ++pair) {
        order.push_back(pair % 2 == 1);
        order.push_back(pair % 2 == 0);
    }
    return order;
}

} // namespace kernelskill::kit
