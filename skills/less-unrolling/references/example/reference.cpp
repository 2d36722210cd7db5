// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, const float *weight, float *y, int batch, int channels)
{
    constexpr int steps = 96;
    for (int b = 0; b < batch; ++b)
        for (int c = 0; c < channels; ++c) {
            double sum = 0;
            for (int t = 0; t < steps; ++t)
                sum += double(weight[t]) * x[(std::size_t(b) * steps + t) * channels + c];
            y[std::size_t(b) * channels + c] = float(sum);
        }
}
