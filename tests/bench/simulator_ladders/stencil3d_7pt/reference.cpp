// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, float *y, int depth, int height, int width)
{
    const auto at = [=](int d, int r, int c) {
        const bool inside = d >= 0 && d < depth && r >= 0 && r < height && c >= 0 && c < width;
        return inside ? double(x[(std::size_t(d) * height + r) * width + c]) : 0.0;
    };
    for (int d = 0; d < depth; ++d)
        for (int r = 0; r < height; ++r)
            for (int c = 0; c < width; ++c)
                y[(std::size_t(d) * height + r) * width + c] =
                    float(0.4 * at(d, r, c) + 0.1 * (at(d - 1, r, c) + at(d + 1, r, c) + at(d, r - 1, c) +
                                                     at(d, r + 1, c) + at(d, r, c - 1) + at(d, r, c + 1)));
}
