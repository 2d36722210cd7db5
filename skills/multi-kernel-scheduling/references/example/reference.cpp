// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *gradient, const float *rate, float *m, float *w, int tensors, int unit)
{
    std::size_t i = 0;
    for (int t = 0; t < tensors; ++t)
        for (std::size_t end = i + std::size_t(t + 1) * unit; i < end; ++i) {
            const double momentum = 0.9 * m[i] + gradient[i];
            m[i] = float(momentum);
            w[i] = float(w[i] - rate[t] * momentum);
        }
}
