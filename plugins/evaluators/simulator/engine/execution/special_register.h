// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kernelskill::simulator {

enum class SpecialRegister : std::uint8_t {
    TidX, TidY, TidZ, NtidX, NtidY, NtidZ, CtaidX, CtaidY, CtaidZ, NctaidX, NctaidY, NctaidZ,
    LaneId, WarpId, NwarpId, SmId, NsmId, GridId, LaneMaskEq, LaneMaskLt, LaneMaskLe, LaneMaskGt, LaneMaskGe,
    Clock, ClockHigh, Clock64, GlobalTimer, GlobalTimerLow, GlobalTimerHigh, DynamicSharedSize, TotalSharedSize, Zero, One,
    ClusterIdX, ClusterIdY, ClusterIdZ, NclusterIdX, NclusterIdY, NclusterIdZ, ClusterCtaidX, ClusterCtaidY, ClusterCtaidZ,
    ClusterNctaidX, ClusterNctaidY, ClusterNctaidZ, ClusterRank, ClusterBlocks, ExplicitCluster,
};

[[nodiscard]] std::optional<SpecialRegister> specialRegister(std::string_view name); // "%tid.x"

} // namespace kernelskill::simulator
