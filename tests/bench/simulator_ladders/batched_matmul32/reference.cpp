// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *a, const float *b, float *c, int batch)
{
    for (int m = 0; m < batch; ++m) {
        const std::size_t first = std::size_t(m) * 1024;
        for (int i = 0; i < 32; ++i)
            for (int j = 0; j < 32; ++j) {
                double sum = 0;
                for (int k = 0; k < 32; ++k)
                    sum += double(a[first + 32 * i + k]) * b[first + 32 * k + j];
                c[first + 32 * i + j] = float(sum);
            }
    }
}
