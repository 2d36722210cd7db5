// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

extern "C" void reference(const float *x, const float *residual, const float *weight, const float *bias, float *y, int rows,
                          int cols)
{
    for (int r = 0; r < rows; ++r) {
        const size_t row = size_t(r) * cols;
        double mean = 0, variance = 0;
        for (int c = 0; c < cols; ++c)
            mean += (double(x[row + c]) + residual[row + c]) / cols;
        for (int c = 0; c < cols; ++c) {
            const double d = double(x[row + c]) + residual[row + c] - mean;
            variance += d * d / cols;
        }
        for (int c = 0; c < cols; ++c)
            y[row + c] = float((double(x[row + c]) + residual[row + c] - mean) / std::sqrt(variance + 1e-5) * weight[c] + bias[c]);
    }
}
