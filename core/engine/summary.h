// SPDX-License-Identifier: Apache-2.0
// What a run came to, in the form `optimize --json` prints.
#pragma once

#include "engine/run.h"

namespace kernelskill {

// From the trajectory alone, so that a session that ended long ago gives the same summary.
[[nodiscard]] RunSummary summarise(const Trajectory &trajectory, const QString &sessionPath);

} // namespace kernelskill
