// SPDX-License-Identifier: Apache-2.0
// How the check cases are dealt to sessions.
#pragma once

#include "worker/request.h"

#include <cstddef>
#include <vector>

namespace kernelskill::simulator {

// Cases that one session runs, one after the other: their numbers, ascending.
using CheckChain = std::vector<std::size_t>;

// A session's successive cases come in two kinds: every second one finds the addresses of the one before with other
// contents, every other finds new addresses. What is kept by address, and what remembers addresses, both give wrong
// outputs. For the second kind the sizes must be those of the case before.
//
// Cases are dealt to as many chains as can each have both kinds: two with addresses of their own and one that finds
// them again, at least. The chains depend on the cases and on nothing else, so that a candidate that keeps something
// from call to call gets the same answer however many of them run side by side. The first chain has the first case.
[[nodiscard]] std::vector<CheckChain> checkChains(const std::vector<CheckCase> &cases);

} // namespace kernelskill::simulator
