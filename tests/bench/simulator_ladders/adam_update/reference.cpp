// SPDX-License-Identifier: Apache-2.0
#include <cmath>

extern "C" void reference(const float *p, const float *g, const float *m, const float *v, float *pNew, float *mNew,
                          float *vNew, int count, int step)
{
    const double first = 1 - std::pow(0.9, step);
    const double second = 1 - std::pow(0.999, step);
    for (int i = 0; i < count; ++i) {
        const double momentum = 0.9 * m[i] + 0.1 * g[i];
        const double square = 0.999 * v[i] + 0.001 * g[i] * g[i];
        mNew[i] = float(momentum);
        vNew[i] = float(square);
        pNew[i] = float(p[i] - 0.01 * (momentum / first) / (std::sqrt(square / second) + 1e-8));
    }
}
