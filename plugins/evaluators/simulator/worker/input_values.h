// SPDX-License-Identifier: Apache-2.0
// Inputs made in the worker itself: for timing sizes, whose tensors are too large to pass as files.
#pragma once

#include "worker/request.h"

#include <cstddef>
#include <expected>
#include <span>
#include <string>

namespace kernelskill::simulator {

// Fills `bytes` with `count` elements as the kit makes them for this seed. Tensors of more than `longestPattern`
// elements repeat their beginning, except permutations: timing needs values that are right, not all different.
[[nodiscard]] std::expected<void, std::string> fillInput(const ParameterSpec &parameter, std::uint64_t seed,
                                                         std::span<std::byte> bytes, std::uint64_t count);
inline constexpr std::uint64_t longestPattern = 1'000'003; // a prime: no row length divides it

} // namespace kernelskill::simulator
