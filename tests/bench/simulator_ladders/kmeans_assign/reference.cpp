// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

extern "C" void reference(const float *x, const float *centre, std::int32_t *label, int points, int centres)
{
    for (int i = 0; i < points; ++i) {
        double least = 0;
        for (int k = 0; k < centres; ++k) {
            double distance = 0;
            for (int d = 0; d < 32; ++d) {
                const double difference = double(x[std::size_t(i) * 32 + d]) - centre[std::size_t(k) * 32 + d];
                distance += difference * difference;
            }
            if (k == 0 || distance < least) {
                least = distance;
                label[i] = k;
            }
        }
    }
}
