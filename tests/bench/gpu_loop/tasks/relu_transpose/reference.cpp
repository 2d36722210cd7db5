// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, float *y, int batch, int rows, int cols)
{
    for (int s = 0; s < batch; ++s) {
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < cols; ++c) {
                const float value = x[(size_t(s) * rows + r) * cols + c];
                y[(size_t(s) * cols + c) * rows + r] = value > 0 ? value : 0;
            }
        }
    }
}
