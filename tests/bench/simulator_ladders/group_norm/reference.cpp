// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

extern "C" void reference(const float *x, const float *gamma, const float *beta, float *y, int batch, int groups,
                          int depth, int pixels)
{
    const int size = depth * pixels;
    for (int b = 0; b < batch; ++b)
        for (int g = 0; g < groups; ++g) {
            const std::size_t first = (std::size_t(b) * groups + g) * size;
            double mean = 0, variance = 0;
            for (int i = 0; i < size; ++i)
                mean += x[first + i];
            mean /= size;
            for (int i = 0; i < size; ++i)
                variance += (x[first + i] - mean) * (x[first + i] - mean);
            const double scale = 1 / std::sqrt(variance / size + 1e-5);
            for (int i = 0; i < size; ++i) {
                const int channel = g * depth + i / pixels;
                y[first + i] = float((x[first + i] - mean) * scale * gamma[channel] + beta[channel]);
            }
        }
}
