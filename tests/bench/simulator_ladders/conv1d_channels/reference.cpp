// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, const float *w, float *y, int batch, int channels, int filters, int length)
{
    for (int b = 0; b < batch; ++b)
        for (int f = 0; f < filters; ++f)
            for (int l = 0; l < length; ++l) {
                double sum = 0;
                for (int c = 0; c < channels; ++c)
                    for (int t = 0; t < 7; ++t) {
                        const int at = l + t - 3;
                        if (at >= 0 && at < length)
                            sum += double(w[(std::size_t(f) * channels + c) * 7 + t]) *
                                   x[(std::size_t(b) * channels + c) * length + at];
                    }
                y[(std::size_t(b) * filters + f) * length + l] = float(sum);
            }
}
