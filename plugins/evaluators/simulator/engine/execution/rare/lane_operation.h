// SPDX-License-Identifier: Apache-2.0
// A scalar function as a handler: up to four source rows and a result, of any width, for the lanes that are on.
//
// MicroOp: a, b, c and `extra` are the sources' rows, d the result's. immediate: bit 0 the result's row is wide, bits 1-4 the
// sources' are, the other bits (from 8 on) are the function's own.
#pragma once

#include "engine/execution/warp_context.h"

namespace kernelskill::simulator {

inline constexpr int laneModeShift = 8;

[[nodiscard]] inline std::uint64_t laneValue(const WarpContext &context, std::uint32_t row, bool wide, unsigned lane) {
    return wide ? context.source<std::uint64_t>(row)[lane] : context.source<std::uint32_t>(row)[lane];
}
inline void setLaneValue(const WarpContext &context, std::uint32_t row, bool wide, unsigned lane, std::uint64_t value) {
    if (wide) context.row<std::uint64_t>(row)[lane] = value;
    else context.row<std::uint32_t>(row)[lane] = static_cast<std::uint32_t>(value);
}

struct LaneSources { std::uint64_t a = 0, b = 0, c = 0, d = 0; };

template <auto F> void laneOperation(WarpContext &context, const MicroOp &op) {
    const auto mode = static_cast<std::uint64_t>(op.immediate) >> laneModeShift;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(context.exec >> lane & 1)) continue;
        const LaneSources sources{laneValue(context, op.a, op.immediate & 2, lane), laneValue(context, op.b, op.immediate & 4, lane),
                                  laneValue(context, op.c, op.immediate & 8, lane), laneValue(context, op.extra, op.immediate & 16, lane)};
        setLaneValue(context, op.d, op.immediate & 1, lane, F(sources, mode));
    }
}

} // namespace kernelskill::simulator
