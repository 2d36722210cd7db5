// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

extern "C" void reference(const float *x, float *y, int rows, int cols)
{
    const std::size_t count = std::size_t(rows) * cols;
    std::copy(x, x + count, y);
    for (std::size_t first = 0; first < count; first += cols)
        std::sort(y + first, y + first + cols);
}
