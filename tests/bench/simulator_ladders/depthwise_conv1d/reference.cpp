// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, const float *w, float *y, int batch, int channels, int length)
{
    for (int row = 0; row < batch * channels; ++row) {
        const float *in = x + std::size_t(row) * length;
        const float *weights = w + std::size_t(row % channels) * 31;
        for (int l = 0; l < length; ++l) {
            double sum = 0;
            for (int t = 0; t < 31; ++t)
                if (l + t - 15 >= 0 && l + t - 15 < length)
                    sum += double(weights[t]) * in[l + t - 15];
            y[std::size_t(row) * length + l] = float(sum);
        }
    }
}
