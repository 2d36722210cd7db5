// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>

extern "C" void reference(const float *x, float *y, int rows, int cols)
{
    for (int row = 0; row < rows; ++row) {
        const float *from = x + std::size_t(row) * cols;
        float *to = y + std::size_t(row) * cols;
        const double largest = *std::max_element(from, from + cols);
        double sum = 0;
        for (int col = 0; col < cols; ++col)
            sum += std::exp(from[col] - largest);
        for (int col = 0; col < cols; ++col)
            to[col] = float(std::exp(from[col] - largest) / sum);
    }
}
