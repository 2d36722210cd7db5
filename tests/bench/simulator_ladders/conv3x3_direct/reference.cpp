// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, const float *weight, float *y, int batch, int channels, int filters,
                          int height, int width)
{
    for (int n = 0; n < batch; ++n)
        for (int f = 0; f < filters; ++f)
            for (int r = 0; r < height; ++r)
                for (int c = 0; c < width; ++c) {
                    double sum = 0;
                    for (int k = 0; k < channels; ++k)
                        for (int i = 0; i < 3; ++i)
                            for (int j = 0; j < 3; ++j) {
                                const int row = r + i - 1;
                                const int col = c + j - 1;
                                if (row >= 0 && row < height && col >= 0 && col < width)
                                    sum += double(x[((std::size_t(n) * channels + k) * height + row) * width + col]) *
                                           weight[((std::size_t(f) * channels + k) * 3 + i) * 3 + j];
                            }
                    y[((std::size_t(n) * filters + f) * height + r) * width + c] = float(sum);
                }
}
