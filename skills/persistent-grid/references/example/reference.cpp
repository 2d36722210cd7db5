// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

extern "C" void reference(const std::uint8_t *codes, const float *book, float *y, int count)
{
    for (int i = 0; i < count; ++i)
        for (int d = 0; d < 16; ++d)
            y[long(i) * 16 + d] = book[codes[i] * 16 + d];
}
