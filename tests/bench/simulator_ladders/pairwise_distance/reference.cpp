// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, const float *y, float *d, int n, int m, int dims)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            double sum = 0;
            for (int l = 0; l < dims; ++l) {
                const double difference = double(x[std::size_t(i) * dims + l]) - y[std::size_t(j) * dims + l];
                sum += difference * difference;
            }
            d[std::size_t(i) * m + j] = float(sum);
        }
}
