// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *a, const float *b, float *c, int batch, int m, int n, int k)
{
    for (int s = 0; s < batch; ++s) {
        const float *left = a + size_t(s) * m * k, *right = b + size_t(s) * k * n;
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < n; ++j) {
                double sum = 0;
                for (int p = 0; p < k; ++p)
                    sum += double(left[size_t(i) * k + p]) * right[size_t(p) * n + j];
                c[(size_t(s) * m + i) * n + j] = float(sum);
            }
        }
    }
}
