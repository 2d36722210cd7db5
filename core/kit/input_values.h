// SPDX-License-Identifier: Apache-2.0
// Inputs made in the worker itself: for timing sizes, whose tensors are too large to pass as files.
#pragma once

#include "kit/work_order.h"

#include <cstddef>
#include <span>
#include <string>

namespace kernelskill::kit {

// Fills `bytes` with `count` elements as the kit makes them for this seed. Tensors of more than `longestPattern`
// elements repeat their beginning, except permutations: timing needs values that are right, not all different.
// False with `error` set for a dtype or distribution it does not know.
[[nodiscard]] bool fillInput(const ParameterSpec &parameter, std::uint64_t seed, std::span<std::byte> bytes,
                             std::uint64_t count, std::string &error);
inline constexpr std::uint64_t longestPattern = 1'000'003; // a prime: no row length divides it

} // namespace kernelskill::kit
