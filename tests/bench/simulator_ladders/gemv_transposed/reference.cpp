// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <vector>

extern "C" void reference(const float *a, const float *x, float *y, int rows, int cols)
{
    std::vector<double> sums(std::size_t(cols), 0.0);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c)
            sums[std::size_t(c)] += double(a[std::size_t(r) * cols + c]) * x[r];
    for (int c = 0; c < cols; ++c)
        y[c] = float(sums[std::size_t(c)]);
}
