// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

extern "C" void reference(const float *x, const float *weight, const float *bias, float *y, int rows, int cols)
{
    for (int r = 0; r < rows; ++r) {
        const float *in = x + std::size_t(r) * cols;
        float *out = y + std::size_t(r) * cols;
        double mean = 0;
        for (int c = 0; c < cols; ++c)
            mean += in[c];
        mean /= cols;
        double variance = 0;
        for (int c = 0; c < cols; ++c)
            variance += (in[c] - mean) * (in[c] - mean);
        variance /= cols;
        const double scale = 1.0 / std::sqrt(variance + 1e-5);
        for (int c = 0; c < cols; ++c)
            out[c] = float((in[c] - mean) * scale * weight[c] + bias[c]);
    }
}
