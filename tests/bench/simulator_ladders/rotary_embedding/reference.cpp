// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstdint>

extern "C" void reference(const float *x, const std::int32_t *positions, float *y, int tokens, int heads, int pairs)
{
    for (int t = 0; t < tokens; ++t)
        for (int i = 0; i < pairs; ++i) {
            const double angle = positions[t] * std::pow(10000.0, -double(i) / pairs);
            const double c = std::cos(angle), s = std::sin(angle);
            for (int h = 0; h < heads; ++h) {
                const std::size_t at = (std::size_t(t) * heads + h) * 2 * pairs + i;
                const double first = x[at], second = x[at + pairs];
                y[at] = float(first * c - second * s);
                y[at + pairs] = float(second * c + first * s);
            }
        }
}
