// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, const float *scale, const float *shift, float *y, int batch, int channels,
                          int pixels)
{
    for (int n = 0; n < batch; ++n)
        for (int c = 0; c < channels; ++c)
            for (int p = 0; p < pixels; ++p) {
                const std::size_t i = (std::size_t(n) * channels + c) * pixels + p;
                y[i] = float(double(x[i]) * scale[c] + shift[c]);
            }
}
