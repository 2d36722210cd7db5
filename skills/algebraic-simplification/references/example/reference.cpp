// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *a, const float *b, const float *bias, float *y, int m, int n, int k)
{
    for (int i = 0; i < m; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j)
            sum += bias[j];
        for (int p = 0; p < k; ++p) {
            double outputs = 0;
            for (int j = 0; j < n; ++j)
                outputs += b[std::size_t(p) * n + j];
            sum += a[std::size_t(i) * k + p] * outputs;
        }
        y[i] = float(sum);
    }
}
