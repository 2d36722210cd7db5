// SPDX-License-Identifier: Apache-2.0
// Conversions between the number formats of PTX by exact values: every source value fits a long double's 64 bits or more, and
// the result is rounded once.
#pragma once

#include "engine/execution/operation.h"

#include <cstdint>

namespace kernelskill::simulator {

// The value of the lowest bits of a register read as a type of one element (packed types: see elementOf).
[[nodiscard]] long double valueOf(std::uint64_t bits, ptx::Type type);

struct RoundingRule {
    Rounding rounding = Rounding::Nearest;
    bool finite = false; // what is too large becomes the largest finite value
};
// Bits of the value in a float format, subnormals included. Formats without infinities (e4m3) always saturate.
[[nodiscard]] std::uint64_t encoded(long double value, ptx::Type type, RoundingRule rule);

[[nodiscard]] long double roundedToWhole(long double value, Rounding rounding);

// One element of a packed type: f16x2 → f16.
[[nodiscard]] ptx::Type elementOf(ptx::Type type);

// cvt as a lane function; the key travels in the mode.
[[nodiscard]] std::uint64_t modeOf(const ConvertKey &key);
void convertLanes(WarpContext &context, const MicroOp &op);

} // namespace kernelskill::simulator
