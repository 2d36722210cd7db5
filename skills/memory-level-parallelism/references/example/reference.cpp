// SPDX-License-Identifier: Apache-2.0
extern "C" void reference(const float *x, float *y, int count)
{
    for (int i = 0; i < count; ++i)
        y[i] = x[i] > 0 ? x[i] : float(0.01f * double(x[i]));
}
