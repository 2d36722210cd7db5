// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, float *y, int rows, int cols)
{
    for (int r = 0; r < rows; ++r) {
        float largest = x[size_t(r) * cols];
        for (int c = 1; c < cols; ++c)
            if (x[size_t(r) * cols + c] > largest)
                largest = x[size_t(r) * cols + c];
        y[r] = largest;
    }
}
