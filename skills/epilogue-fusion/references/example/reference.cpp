// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <vector>

extern "C" void reference(const float *a, const float *b, const float *bias, float *c, int m, int n, int k)
{
    std::vector<double> row(n);
    for (int i = 0; i < m; ++i) {
        row.assign(n, 0.0);
        for (int p = 0; p < k; ++p) {
            const double left = a[std::size_t(i) * k + p];
            for (int j = 0; j < n; ++j)
                row[j] += left * b[std::size_t(p) * n + j];
        }
        for (int j = 0; j < n; ++j) {
            const double v = row[j] + bias[j];
            const double u = 0.7978845608028654 * (v + 0.044715 * v * v * v);
            c[std::size_t(i) * n + j] = float(v / 2 * (1 + std::tanh(u)));
        }
    }
}
