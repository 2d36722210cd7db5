// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

extern "C" void reference(const float *t, const float *w, float *y, int rows, int frequencies)
{
    for (int r = 0; r < rows; ++r)
        for (int f = 0; f < frequencies; ++f) {
            const float angle = t[r] * w[f];
            float *pair = y + 2 * (std::size_t(r) * frequencies + f);
            pair[0] = float(std::sin(double(angle)));
            pair[1] = float(std::cos(double(angle)));
        }
}
