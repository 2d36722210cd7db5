// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, const float *weight, float *y, int pixels)
{
    constexpr int inputs = 8, outputs = 16;
    for (int o = 0; o < outputs; ++o)
        for (int p = 0; p < pixels; ++p) {
            double sum = 0;
            for (int i = 0; i < inputs; ++i)
                sum += double(weight[o * inputs + i]) * x[std::size_t(i) * pixels + p];
            y[std::size_t(o) * pixels + p] = float(sum);
        }
}
