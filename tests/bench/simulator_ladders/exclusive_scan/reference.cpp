// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

extern "C" void reference(const std::int32_t *x, std::int32_t *y, int count)
{
    std::uint32_t sum = 0;
    for (int i = 0; i < count; ++i) {
        y[i] = std::int32_t(sum);
        sum += std::uint32_t(x[i]);
    }
}
