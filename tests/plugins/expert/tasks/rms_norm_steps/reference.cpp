// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

extern "C" void reference(const float *x, const float *weight, float *y, int rows, int cols)
{
    for (int r = 0; r < rows; ++r) {
        double power = 0;
        for (int c = 0; c < cols; ++c)
            power += double(x[size_t(r) * cols + c]) * x[size_t(r) * cols + c];
        const double scale = 1 / std::sqrt(power / cols + 1e-6);
        for (int c = 0; c < cols; ++c)
            y[size_t(r) * cols + c] = float(x[size_t(r) * cols + c] * scale * weight[c]);
    }
}
