// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

extern "C" void reference(const float *table, const std::int32_t *hashes, float *y, int vocabulary, int width, int bags,
                          int length)
{
    for (int b = 0; b < bags; ++b)
        for (int c = 0; c < width; ++c) {
            double sum = 0;
            for (int i = 0; i < length; ++i) {
                const std::uint32_t hash = std::uint32_t(hashes[std::size_t(b) * length + i]);
                sum += table[std::size_t(hash % std::uint32_t(vocabulary)) * width + c];
            }
            y[std::size_t(b) * width + c] = float(sum);
        }
}
