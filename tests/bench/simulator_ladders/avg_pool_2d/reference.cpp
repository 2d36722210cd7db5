// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, float *y, int batch, int channels, int height, int width)
{
    const int outHeight = (height + 1) / 2;
    const int outWidth = (width + 1) / 2;
    for (std::size_t plane = 0; plane < std::size_t(batch) * channels; ++plane)
        for (int r = 0; r < outHeight; ++r)
            for (int c = 0; c < outWidth; ++c) {
                double sum = 0;
                int count = 0;
                for (int i = 2 * r - 1; i <= 2 * r + 1; ++i)
                    for (int j = 2 * c - 1; j <= 2 * c + 1; ++j)
                        if (i >= 0 && i < height && j >= 0 && j < width) {
                            sum += x[(plane * height + i) * width + j];
                            ++count;
                        }
                y[(plane * outHeight + r) * outWidth + c] = float(sum / count);
            }
}
