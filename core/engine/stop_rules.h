// SPDX-License-Identifier: Apache-2.0
// When a run is over, apart from a person's stop and errors. Pure.
#pragma once

#include "engine/run_settings.h"
#include "session/trajectory.h"

namespace kernelskill {

struct StopInput
{
    double elapsed_s = 0;
    double rooflineFraction = 0; // of the best node; 0: unknown
};

// "rounds", "money", "tokens", "calls", "time", "roofline", "plateau", or empty to go on. Asked between rounds.
[[nodiscard]] QString stopReason(const RunSettings &settings, const Trajectory &trajectory, const StopInput &input);

// Least time of a candidate's kernels over their time, by its own profile.
[[nodiscard]] double rooflineFraction(const Profile &profile);

} // namespace kernelskill
