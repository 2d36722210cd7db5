// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

extern "C" void reference(const float *a, const float *w, const float *bias, float *c, int m, int n, int k)
{
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            double h = bias[j];
            for (int p = 0; p < k; ++p)
                h += double(a[size_t(i) * k + p]) * w[size_t(j) * k + p];
            c[size_t(i) * n + j] = float(0.5 * h * (1 + std::erf(h / std::sqrt(2.0))));
        }
    }
}
