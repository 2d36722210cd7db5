// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

extern "C" void reference(const float *x, const float *points, float *y, int channels, int height, int width, int count)
{
    for (int p = 0; p < count; ++p) {
        const float col = std::clamp(points[2 * p], 0.0f, 1.0f) * (width - 1);
        const float row = std::clamp(points[2 * p + 1], 0.0f, 1.0f) * (height - 1);
        const int left = std::min(int(col), width - 2), above = std::min(int(row), height - 2);
        const double right = col - left, below = row - above;
        for (int channel = 0; channel < channels; ++channel) {
            const float *from = x + (std::size_t(channel) * height + above) * width + left;
            const double upper = from[0] * (1 - right) + from[1] * right;
            const double lower = from[width] * (1 - right) + from[width + 1] * right;
            y[std::size_t(p) * channels + channel] = float(upper * (1 - below) + lower * below);
        }
    }
}
