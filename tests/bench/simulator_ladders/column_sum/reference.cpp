// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, float *y, int rows, int cols)
{
    for (int c = 0; c < cols; ++c) {
        double sum = 0;
        for (int r = 0; r < rows; ++r)
            sum += x[std::size_t(r) * cols + c];
        y[c] = float(sum);
    }
}
