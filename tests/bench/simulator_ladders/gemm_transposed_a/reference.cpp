// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *a, const float *b, float *c, int m, int n, int k)
{
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int l = 0; l < k; ++l)
                sum += double(a[std::size_t(l) * m + i]) * b[std::size_t(l) * n + j];
            c[std::size_t(i) * n + j] = float(sum);
        }
}
