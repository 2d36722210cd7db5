// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, float *mean, float *variance, int batch, int channels, int pixels)
{
    const double count = double(batch) * pixels;
    for (int c = 0; c < channels; ++c) {
        double sum = 0, squares = 0;
        for (int n = 0; n < batch; ++n)
            for (int p = 0; p < pixels; ++p)
                sum += x[(std::size_t(n) * channels + c) * pixels + p];
        for (int n = 0; n < batch; ++n)
            for (int p = 0; p < pixels; ++p) {
                const double d = x[(std::size_t(n) * channels + c) * pixels + p] - sum / count;
                squares += d * d;
            }
        mean[c] = float(sum / count);
        variance[c] = float(squares / count);
    }
}
