// SPDX-License-Identifier: Apache-2.0
#include "launch_record.h"

#include <algorithm>
#include <cmath>

namespace kernelskill::simulator {

double CallRecord::time_us() const
{
    double sum = 0;
    for (const LaunchRecord &launch : launches)
        sum += launch.modelled.time_us * launch.repeats;
    for (const CopyRecord &copy : copies)
        sum += copy.time_us;
    return sum;
}

double CallRecord::uncertainty_us() const
{
    double sum = 0;
    for (const LaunchRecord &launch : launches) {
        const std::vector<double> &times = launch.windowTimes_us;
        if (times.size() < 2) continue;
        double mean = 0, squares = 0;
        for (const double t : times)
            mean += t / static_cast<double>(times.size());
        for (const double t : times)
            squares += (t - mean) * (t - mean);
        const double deviation = std::sqrt(squares / static_cast<double>(times.size() - 1));
        const double error = 1.96 * deviation / std::sqrt(static_cast<double>(times.size()));
        // Windows are placed so that an even trend cancels; what they disagree in beyond a twentieth is such a trend.
        sum += std::min(error, 0.05 * launch.modelled.time_us) * launch.repeats;
    }
    return std::max(sum, 0.01 * time_us());
}

std::uint64_t CallRecord::bytes(CopyRecord::Kind kind) const
{
    std::uint64_t sum = 0;
    for (const CopyRecord &copy : copies) {
        if (copy.kind == kind) sum += copy.bytes;
    }
    return sum;
}

} // namespace kernelskill::simulator
