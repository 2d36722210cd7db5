// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

extern "C" void reference(const float *x, float *y, int depth, int rows, int cols)
{
    const auto at = [&](int plane, int row, int col) -> double {
        if (plane < 0 || row < 0 || col < 0 || plane >= depth || row >= rows || col >= cols) return 0;
        return x[(std::size_t(plane) * rows + row) * cols + col];
    };
    for (int p = 0; p < depth; ++p) {
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < cols; ++c) {
                const double sum = at(p, r, c - 1) + at(p, r, c + 1) + at(p, r - 1, c) + at(p, r + 1, c) +
                                   at(p - 1, r, c) + at(p + 1, r, c);
                *y++ = float(at(p, r, c) + 0.1 * (sum - 6 * at(p, r, c)));
            }
        }
    }
}
