// SPDX-License-Identifier: Apache-2.0
// How a process that did not end as it should is explained to people.
#pragma once

#include "kit/confine.h"
#include "worker/work_result.h"

#include <string>

namespace kernelskill::simulator {

// A fatal finding about the process itself, at no place in the code.
[[nodiscard]] Finding processFinding(std::string kind, std::string message);

// Adds a finding and sets the status. `whose` begins its sentence: "the candidate", "the program". Not for a process
// that ended by itself when it was meant to.
void explainDeath(const kit::ConfinedEnd &end, const std::string &whose, WorkResult &result);

} // namespace kernelskill::simulator
