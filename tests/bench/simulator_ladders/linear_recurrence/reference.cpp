// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *a, const float *x, float *h, int batch, int time, int channels)
{
    for (int b = 0; b < batch; ++b)
        for (int c = 0; c < channels; ++c) {
            double state = 0;
            for (int t = 0; t < time; ++t) {
                const std::size_t at = (std::size_t(b) * time + t) * channels + c;
                state = a[at] * state + x[at];
                h[at] = float(state);
            }
        }
}
