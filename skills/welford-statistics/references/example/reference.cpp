// SPDX-License-Identifier: Apache-2.0
extern "C" void reference(const float *x, float *mean, float *variance, int rows, int cols)
{
    for (int row = 0; row < rows; ++row) {
        const float *values = x + long(row) * cols;
        double sum = 0, squares = 0;
        for (int col = 0; col < cols; ++col)
            sum += values[col];
        const double centre = sum / cols;
        for (int col = 0; col < cols; ++col)
            squares += (values[col] - centre) * (values[col] - centre);
        mean[row] = float(centre);
        variance[row] = float(squares / cols);
    }
}
