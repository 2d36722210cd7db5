// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, float *y, int batch, int rows, int cols)
{
    for (int z = 0; z < batch; ++z) {
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < cols; ++c) {
                const float value = x[(size_t(z) * rows + r) * cols + c];
                y[(size_t(z) * cols + c) * rows + r] = value > 0 ? value : 0;
            }
        }
    }
}
