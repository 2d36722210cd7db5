// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>

extern "C" void reference(const float *x, float *y, int rows, int cols)
{
    for (int r = 0; r < rows; ++r) {
        const float *in = x + size_t(r) * cols;
        double largest = in[0], sum = 0;
        for (int c = 1; c < cols; ++c)
            largest = std::max(largest, double(in[c]));
        for (int c = 0; c < cols; ++c)
            sum += std::exp(in[c] - largest);
        for (int c = 0; c < cols; ++c)
            y[size_t(r) * cols + c] = float(in[c] - largest - std::log(sum));
    }
}
