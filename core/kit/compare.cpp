// SPDX-License-Identifier: Apache-2.0
#include "kit/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace kernelskill::kit {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double rootMeanSquare(const double *values, std::size_t count)
{
    double sum = 0;
    std::size_t finite = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (!std::isfinite(values[i])) continue;
        sum += values[i] * values[i];
        ++finite;
    }
    return finite == 0 ? 0 : std::sqrt(sum / double(finite));
}

// Error over allowed error: at most 1 is inside.
double excess(const Dtype &dtype, double actual, double expected, double absolute, double relative)
{
    if (std::isnan(expected)) return std::isnan(actual) ? 0 : infinity;
    if (std::isnan(actual)) return infinity;
    if (actual == expected) return 0;
    if (std::isinf(expected)) return infinity;
    if (std::isinf(actual)) {
        // What does not fit into the dtype rounds to infinity, and half a unit below its range may as well.
        const bool beyond = std::abs(expected) >= dtype.highest * (1 - dtype.epsilon);
        return dtype.isFloating && beyond && (actual > 0) == (expected > 0) ? 0 : infinity;
    }
    if (!dtype.isFloating) return infinity;
    const double allowed = absolute + relative * std::abs(expected);
    return allowed > 0 ? std::abs(actual - expected) / allowed : infinity;
}

double normOf(double errorSquares, double expectedSquares)
{
    return errorSquares > 0 ? std::sqrt(errorSquares / expectedSquares) : 0;
}

} // namespace

void PooledError::add(const Comparison &comparison)
{
    m_errorSquares += comparison.errorSquares;
    m_expectedSquares += comparison.expectedSquares;
}

double PooledError::relativeNorm() const
{
    return normOf(m_errorSquares, m_expectedSquares);
}

Comparison compareOutput(const Dtype &dtype, const void *actual, const double *expected, std::size_t count,
                         const CompareTolerance &tolerance)
{
    Comparison result;
    result.count = count;
    double absolute = tolerance.absolute;
    if (tolerance.scaleAbsolute) absolute *= std::max(1.0, rootMeanSquare(expected, count));
    const auto *bytes = static_cast<const std::byte *>(actual);
    constexpr std::size_t chunk = 1024;
    double values[chunk];
    for (std::size_t begin = 0; begin < count; begin += chunk) {
        const std::size_t length = std::min(chunk, count - begin);
        dtype.toDouble(bytes + begin * dtype.bytes, values, length);
        for (std::size_t i = 0; i < length; ++i) {
            const double wanted = expected[begin + i];
            const double over = excess(dtype, values[i], wanted, absolute, tolerance.relative);
            if (over > 1) ++result.mismatches;
            if (over > result.worstExcess || begin + i == 0) {
                result.worstExcess = over;
                result.worst = begin + i;
                result.worstExpected = wanted;
                result.worstActual = values[i];
            }
            if (!std::isfinite(wanted) || !std::isfinite(values[i])) continue;
            result.errorSquares += (values[i] - wanted) * (values[i] - wanted);
            result.expectedSquares += wanted * wanted;
        }
    }
    result.relativeErrorNorm = normOf(result.errorSquares, result.expectedSquares);
    return result;
}

std::string Comparison::describe() const
{
    char text[256];
    std::snprintf(text, sizeof text, "%zu of %zu differ, worst at %zu: expected %.9g, found %.9g (relative error norm %.3g)",
                  mismatches, count, worst, worstExpected, worstActual, relativeErrorNorm);
    return text;
}

} // namespace kernelskill::kit
