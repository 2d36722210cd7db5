// SPDX-License-Identifier: Apache-2.0
// The source lines that cost most, in words.
#pragma once

#include "engine/launch_report.h"

#include <string>
#include <vector>

namespace kernelskill::simulator {

// As core's HotSpot (core/profile/profile.h).
struct HotSpotLine
{
    std::string file;
    int line = 0;
    double stallShare = 0; // 0…1 of the kernel's stall cycles
    std::string mainStall; // "long_scoreboard"
    std::string text;      // "38 % of stalls, long scoreboard; 8 sectors a request, 4 would do"
};

// Lines with at least a twentieth of the stalls, or with wasted traffic (sectors beyond the ideal, bank conflicts) that
// is a twentieth of all of the kernel's; most expensive first, at most `most`. Ties go by file and line.
[[nodiscard]] std::vector<HotSpotLine> hotSpots(const LaunchReport &report, std::size_t most = 8);

} // namespace kernelskill::simulator
