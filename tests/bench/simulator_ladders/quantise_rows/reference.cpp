// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

extern "C" void reference(const float *x, std::uint8_t *q, float *scale, float *low, int rows, int cols)
{
    for (int r = 0; r < rows; ++r) {
        const float *row = x + std::size_t(r) * cols;
        const auto [least, greatest] = std::minmax_element(row, row + cols);
        low[r] = *least;
        scale[r] = (*greatest - *least) / 255.0f;
        const float inverse = scale[r] > 0 ? 1.0f / scale[r] : 0.0f;
        for (int c = 0; c < cols; ++c)
            q[std::size_t(r) * cols + c] = std::uint8_t(std::rint((row[c] - *least) * inverse));
    }
}
