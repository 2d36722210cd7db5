// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, float *y, int rows, int cols)
{
    for (int r = 0; r < rows; ++r) {
        double sum = 0;
        for (int c = 0; c < cols; ++c)
            sum += x[size_t(r) * cols + c];
        y[r] = float(sum);
    }
}
