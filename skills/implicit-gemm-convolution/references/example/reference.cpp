// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, const float *weight, float *y, int batch, int channels, int outputs,
                          int height, int width)
{
    for (int image = 0; image < batch; ++image) {
        for (int out = 0; out < outputs; ++out) {
            for (int row = 0; row < height; ++row) {
                for (int col = 0; col < width; ++col) {
                    double sum = 0;
                    for (int channel = 0; channel < channels; ++channel) {
                        for (int tap = 0; tap < 9; ++tap) {
                            const int r = row + tap / 3 - 1, c = col + tap % 3 - 1;
                            if (r < 0 || c < 0 || r >= height || c >= width) continue;
                            sum += double(x[((std::size_t(image) * channels + channel) * height + r) * width + c]) *
                                   weight[(std::size_t(out) * channels + channel) * 9 + tap];
                        }
                    }
                    *y++ = float(sum);
                }
            }
        }
    }
}
