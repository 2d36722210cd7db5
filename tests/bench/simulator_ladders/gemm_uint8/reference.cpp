// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

extern "C" void reference(const std::uint8_t *a, const std::uint8_t *b, std::int32_t *c, int m, int n, int k)
{
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            std::int32_t sum = 0;
            for (int l = 0; l < k; ++l)
                sum += std::int32_t(a[std::size_t(i) * k + l]) * b[std::size_t(j) * k + l];
            c[std::size_t(i) * n + j] = sum;
        }
}
