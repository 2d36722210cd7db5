// SPDX-License-Identifier: Apache-2.0
extern "C" void reference(const float *x, float *y, int rows, int cols)
{
    for (int row = 0; row < rows; ++row)
        for (int col = 0; col < cols; ++col)
            y[long(col) * rows + row] = x[long(row) * cols + col];
}
