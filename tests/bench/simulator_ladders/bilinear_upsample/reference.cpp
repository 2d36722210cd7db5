// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

extern "C" void reference(const float *x, float *y, int planes, int height, int width)
{
    for (int p = 0; p < planes; ++p)
        for (int r = 0; r < 2 * height; ++r)
            for (int c = 0; c < 2 * width; ++c) {
                const double v = std::max((r + 0.5) / 2 - 0.5, 0.0), u = std::max((c + 0.5) / 2 - 0.5, 0.0);
                const int top = int(v), left = int(u);
                const int bottom = std::min(top + 1, height - 1), right = std::min(left + 1, width - 1);
                const float *plane = x + std::size_t(p) * height * width;
                const auto at = [&](int i, int j) { return double(plane[std::size_t(i) * width + j]); };
                const double above = at(top, left) + (u - left) * (at(top, right) - at(top, left));
                const double below = at(bottom, left) + (u - left) * (at(bottom, right) - at(bottom, left));
                y[(std::size_t(p) * 2 * height + r) * 2 * width + c] = float(above + (v - top) * (below - above));
            }
}
