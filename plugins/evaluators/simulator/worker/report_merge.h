// SPDX-License-Identifier: Apache-2.0
// Several reports of parts of one launch as one.
#pragma once

#include "engine/launch_report.h"

namespace kernelskill::simulator {

// Adds what more blocks of the same launch did. Everything is a sum but the longest block and the findings' first
// places.
void add(LaunchReport &into, const LaunchReport &more);
void add(std::vector<Finding> &into, const std::vector<Finding> &more);

} // namespace kernelskill::simulator
