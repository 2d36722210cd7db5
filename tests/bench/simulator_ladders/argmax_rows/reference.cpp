// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

extern "C" void reference(const float *x, std::int32_t *index, float *value, int rows, int cols)
{
    for (int r = 0; r < rows; ++r) {
        const float *row = x + std::size_t(r) * cols;
        int best = 0;
        for (int c = 1; c < cols; ++c)
            if (row[c] > row[best])
                best = c;
        index[r] = best;
        value[r] = row[best];
    }
}
