// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

extern "C" void reference(const float *x, const float *residual, const float *weight, float *sum, float *y, int rows,
                          int cols)
{
    for (int r = 0; r < rows; ++r) {
        const std::size_t first = std::size_t(r) * cols;
        double squares = 0;
        for (int c = 0; c < cols; ++c) {
            const double value = double(x[first + c]) + residual[first + c];
            sum[first + c] = float(value);
            squares += value * value;
        }
        const double scale = 1 / std::sqrt(squares / cols + 1e-6);
        for (int c = 0; c < cols; ++c)
            y[first + c] = float((double(x[first + c]) + residual[first + c]) * scale * weight[c]);
    }
}
