// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <vector>

extern "C" void reference(const float *a, const float *b, float *c, int m, int n, int k)
{
    std::vector<double> row(n);
    for (int i = 0; i < m; ++i) {
        row.assign(n, 0.0);
        for (int p = 0; p < k; ++p) {
            const double left = a[std::size_t(i) * k + p];
            const float *right = b + std::size_t(p) * n;
            for (int j = 0; j < n; ++j)
                row[j] += left * right[j];
        }
        for (int j = 0; j < n; ++j)
            c[std::size_t(i) * n + j] = float(row[j]);
    }
}
