// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/trajectory.h"

namespace kernelskill {

// What a node's step is measured against: its parent, or for a repair what the failing candidate was made from. -1: nothing.
[[nodiscard]] int madeFrom(const Trajectory &trajectory, int node);

} // namespace kernelskill
