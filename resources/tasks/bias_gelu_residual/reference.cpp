// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

extern "C" void reference(const float *x, const float *bias, const float *residual, float *y, int rows, int cols)
{
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c) {
            const std::size_t i = std::size_t(r) * cols + c;
            const double v = double(x[i]) + bias[c];
            y[i] = float(0.5 * v * (1.0 + std::erf(v / std::sqrt(2.0))) + residual[i]);
        }
}
