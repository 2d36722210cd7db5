// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *a, const float *b, float *c, int m, int n, int k)
{
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int p = 0; p < k; ++p)
                sum += double(a[size_t(p) * m + i]) * b[size_t(p) * n + j];
            c[size_t(i) * n + j] = float(sum);
        }
    }
}
