// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, const float *w, float *sum, int length)
{
    double total = 0;
    for (int i = 0; i < length; ++i)
        total += double(x[i]) * w[i];
    sum[0] = float(total);
}
