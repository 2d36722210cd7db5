// SPDX-License-Identifier: Apache-2.0
// How the check cases are dealt to sessions.
#pragma once

#include "worker/request.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernelskill::simulator {

// Cases that one session runs, one after the other: their numbers, ascending.
using CheckChain = std::vector<std::size_t>;

// A session's successive cases come in two kinds: every second one finds the addresses of the one before with other
// contents, every other finds new addresses. What is kept by address, and what remembers addresses, both give wrong
// outputs. For the second kind the sizes must be those of the case before.
//
// Cases are dealt to as many chains, `most` at most, as can each have both kinds: two with addresses of their own and one
// that finds them again, at least. The chains depend on nothing of the machine, so that a candidate that keeps something
// from call to call gets the same answer however many of them run side by side. The first chain has the first case.
[[nodiscard]] std::vector<CheckChain> checkChains(const std::vector<CheckCase> &cases, std::size_t most);

// Numbers of the chains after the first, those with the largest tensors before others: begun late, they would be waited for.
[[nodiscard]] std::vector<std::size_t> orderOfStart(const std::vector<CheckChain> &chains,
                                                    const std::vector<CheckCase> &cases);

// As many chains as there is work for: a process of its own costs time, and is worth it only for `worth` thread
// instructions and more. `firstInstructions` are those of the first case; the others are taken to need as many a tensor
// element as that one.
[[nodiscard]] std::size_t worthwhileChains(const std::vector<CheckCase> &cases, std::uint64_t firstInstructions,
                                           double worth);

} // namespace kernelskill::simulator
