// SPDX-License-Identifier: Apache-2.0
// Marks memory so that what was never written, or written without leave, shows.
#pragma once

#include "kit/dtypes.h"
#include "kit/seeds.h"

#include <cstddef>
#include <optional>

namespace kernelskill::kit {

// Floating types get NaNs with a payload drawn from the seed, so a stale read spreads and an unwritten element is known
// by its bits; other types get random bits.
void poison(const Dtype &dtype, Seed seed, void *target, std::size_t count);

struct Unwritten
{
    std::size_t count = 0;
    std::size_t first = 0; // index, when count is not 0
};

// Elements that still hold the poison of this seed. For one-byte types about 1 of 256 honest values looks so: use
// unwrittenInBoth there.
[[nodiscard]] Unwritten unwritten(const Dtype &dtype, Seed seed, const void *buffer, std::size_t count);
// Elements that held on to the poison in two runs with different seeds.
[[nodiscard]] Unwritten unwrittenInBoth(const Dtype &dtype, Seed firstSeed, const void *first, Seed secondSeed,
                                        const void *second, std::size_t count);

// Guard bytes around a buffer.
void writeCanary(Seed seed, void *target, std::size_t bytes);
// Offset of the first byte that was changed.
[[nodiscard]] std::optional<std::size_t> brokenCanary(Seed seed, const void *buffer, std::size_t bytes);

} // namespace kernelskill::kit
