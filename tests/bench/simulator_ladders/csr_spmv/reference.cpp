// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

extern "C" void reference(const std::int32_t *shift, const std::int32_t *columns, const float *values, const float *x,
                          float *y, int rows)
{
    for (int r = 0; r < rows; ++r) {
        double sum = 0;
        for (int i = 32 * r + shift[r]; i < 32 * (r + 1) + shift[r + 1]; ++i)
            sum += double(values[i]) * x[columns[i]];
        y[r] = float(sum);
    }
}
