// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

extern "C" void reference(const std::uint8_t *x, std::int32_t *bins, int count)
{
    for (int b = 0; b < 256; ++b)
        bins[b] = 0;
    for (int i = 0; i < count; ++i)
        ++bins[x[i]];
}
