// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *source, const float *rate, float *y, int rows, int cols)
{
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c) {
            double v = 0;
            for (int step = 0; step < 32; ++step)
                v = (v + 0.125 * source[std::size_t(r) * cols + c]) / (1 + 0.125 * rate[c]);
            y[std::size_t(r) * cols + c] = float(v);
        }
}
