// SPDX-License-Identifier: Apache-2.0
extern "C" void reference(const float *x, const float *y, float *z, int count)
{
    for (int i = 0; i < count; ++i)
        z[i] = float(2.0 * x[i] + 3.0 * y[i]);
}
