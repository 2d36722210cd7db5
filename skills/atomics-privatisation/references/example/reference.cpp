// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

extern "C" void reference(const std::uint8_t *x, std::int32_t *counts, int n)
{
    for (int bin = 0; bin < 256; ++bin)
        counts[bin] = 0;
    for (int i = 0; i < n; ++i)
        counts[x[i]] += 1;
}
