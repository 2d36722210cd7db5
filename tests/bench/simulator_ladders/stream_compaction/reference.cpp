// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

extern "C" void reference(const std::int32_t *x, std::int32_t *y, std::int32_t *kept, int count)
{
    int to = 0;
    for (int i = 0; i < count; ++i)
        if (x[i] > 0)
            y[to++] = x[i];
    kept[0] = to;
    while (to < count)
        y[to++] = 0;
}
