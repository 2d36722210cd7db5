// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <vector>

extern "C" void reference(const float *weights, const float *x, float *y, int layers, int width)
{
    std::vector<double> values(x, x + width), next(width);
    for (int layer = 0; layer < layers; ++layer) {
        for (int row = 0; row < width; ++row) {
            const float *from = weights + (std::size_t(layer) * width + row) * width;
            double sum = 0;
            for (int col = 0; col < width; ++col)
                sum += from[col] * values[col];
            next[row] = sum > 0 ? sum : 0;
        }
        values.swap(next);
    }
    for (int row = 0; row < width; ++row)
        y[row] = float(values[row]);
}
