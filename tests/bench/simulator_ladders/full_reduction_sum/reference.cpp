// SPDX-License-Identifier: Apache-2.0

extern "C" void reference(const float *x, float *y, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += x[i];
    y[0] = float(sum);
}
