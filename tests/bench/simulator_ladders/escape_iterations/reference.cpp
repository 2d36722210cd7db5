// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

namespace {

// In double and then rounded, which is the product or sum rounded once and keeps the compiler from joining them.
float product(float a, float b)
{
    return float(double(a) * double(b));
}

float sum(float a, float b)
{
    return float(double(a) + double(b));
}

} // namespace

extern "C" void reference(const float *corner, std::int32_t *y, int height, int width, int limit)
{
    const float across = 3.0f / float(width);
    const float down = 3.0f / float(height);
    for (int r = 0; r < height; ++r)
        for (int c = 0; c < width; ++c) {
            const float kr = sum(corner[0], product(float(c), across));
            const float ki = sum(corner[1], product(float(r), down));
            float zr = 0, zi = 0;
            int steps = 0;
            while (steps < limit && sum(product(zr, zr), product(zi, zi)) <= 4.0f) {
                const float cross = product(zr, zi);
                zr = sum(sum(product(zr, zr), -product(zi, zi)), kr);
                zi = sum(sum(cross, cross), ki);
                ++steps;
            }
            y[std::size_t(r) * width + c] = steps;
        }
}
