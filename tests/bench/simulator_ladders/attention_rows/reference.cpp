// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

extern "C" void reference(const float *q, const float *k, const float *v, float *y, int heads, int tokens)
{
    constexpr int dim = 64;
    std::vector<double> weight(tokens);
    for (int h = 0; h < heads; ++h)
        for (int i = 0; i < tokens; ++i) {
            const float *query = q + (std::size_t(h) * tokens + i) * dim;
            double largest = -INFINITY, sum = 0;
            for (int j = 0; j < tokens; ++j) {
                weight[j] = 0;
                for (int d = 0; d < dim; ++d)
                    weight[j] += double(query[d]) * k[(std::size_t(h) * tokens + j) * dim + d] / 8;
                largest = std::max(largest, weight[j]);
            }
            for (int j = 0; j < tokens; ++j)
                sum += weight[j] = std::exp(weight[j] - largest);
            double result[dim] = {};
            for (int j = 0; j < tokens; ++j)
                for (int d = 0; d < dim; ++d)
                    result[d] += weight[j] / sum * v[(std::size_t(h) * tokens + j) * dim + d];
            for (int d = 0; d < dim; ++d)
                y[(std::size_t(h) * tokens + i) * dim + d] = float(result[d]);
        }
}
