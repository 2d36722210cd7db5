// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>

extern "C" void reference(const float *s, float *y, int heads, int n)
{
    for (std::size_t row = 0; row < std::size_t(heads) * n; ++row) {
        const float *in = s + row * n;
        float *out = y + row * n;
        const int many = int(row % n) + 1;
        double largest = in[0], sum = 0;
        for (int c = 1; c < many; ++c)
            largest = std::max(largest, double(in[c]));
        for (int c = 0; c < many; ++c)
            sum += std::exp(in[c] - largest);
        for (int c = 0; c < n; ++c)
            out[c] = c < many ? float(std::exp(in[c] - largest) / sum) : 0.0f;
    }
}
