// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *a, const float *x, float *y, int rows, int cols)
{
    for (int r = 0; r < rows; ++r) {
        double sum = 0;
        for (int c = 0; c < cols; ++c)
            sum += double(a[std::size_t(r) * cols + c]) * x[c];
        y[r] = float(sum);
    }
}
