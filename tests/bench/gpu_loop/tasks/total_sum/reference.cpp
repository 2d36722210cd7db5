// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, float *sum, int length)
{
    double total = 0;
    for (int i = 0; i < length; ++i)
        total += x[i];
    sum[0] = float(total);
}
