// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

extern "C" void reference(const float *bodies, float *acceleration, int count)
{
    for (int i = 0; i < count; ++i) {
        double sum[3] = {};
        for (int j = 0; j < count; ++j) {
            const float *a = bodies + std::size_t(i) * 4;
            const float *b = bodies + std::size_t(j) * 4;
            const double d[3] = {double(b[0]) - a[0], double(b[1]) - a[1], double(b[2]) - a[2]};
            const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01;
            const double factor = b[3] / (square * std::sqrt(square));
            for (int k = 0; k < 3; ++k)
                sum[k] += factor * d[k];
        }
        for (int k = 0; k < 3; ++k)
            acceleration[std::size_t(i) * 3 + k] = float(sum[k]);
    }
}
