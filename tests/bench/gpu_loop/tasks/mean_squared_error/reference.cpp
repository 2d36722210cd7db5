// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, const float *target, float *loss, int rows, int cols)
{
    double sum = 0;
    for (size_t i = 0; i < size_t(rows) * cols; ++i)
        sum += (double(x[i]) - target[i]) * (double(x[i]) - target[i]);
    loss[0] = float(sum / (double(rows) * cols));
}
