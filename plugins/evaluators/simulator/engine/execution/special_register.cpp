// SPDX-License-Identifier: Apache-2.0
#include "engine/execution/special_register.h"

#include <utility>

namespace kernelskill::simulator {

std::optional<SpecialRegister> specialRegister(std::string_view name) {
    using S = SpecialRegister;
    static constexpr std::pair<std::string_view, S> names[] = {
        {"%tid.x", S::TidX}, {"%tid.y", S::TidY}, {"%tid.z", S::TidZ}, {"%ntid.x", S::NtidX}, {"%ntid.y", S::NtidY},
        {"%ntid.z", S::NtidZ}, {"%ctaid.x", S::CtaidX}, {"%ctaid.y", S::CtaidY}, {"%ctaid.z", S::CtaidZ},
        {"%nctaid.x", S::NctaidX}, {"%nctaid.y", S::NctaidY}, {"%nctaid.z", S::NctaidZ}, {"%laneid", S::LaneId},
        {"%warpid", S::WarpId}, {"%nwarpid", S::NwarpId}, {"%smid", S::SmId}, {"%nsmid", S::NsmId}, {"%gridid", S::GridId},
        {"%lanemask_eq", S::LaneMaskEq}, {"%lanemask_lt", S::LaneMaskLt}, {"%lanemask_le", S::LaneMaskLe},
        {"%lanemask_gt", S::LaneMaskGt}, {"%lanemask_ge", S::LaneMaskGe}, {"%clock", S::Clock}, {"%clock_hi", S::ClockHigh},
        {"%clock64", S::Clock64}, {"%globaltimer", S::GlobalTimer}, {"%globaltimer_lo", S::GlobalTimerLow},
        {"%globaltimer_hi", S::GlobalTimerHigh}, {"%dynamic_smem_size", S::DynamicSharedSize},
        {"%total_smem_size", S::TotalSharedSize},
        // clusters are not formed: each block is a cluster of its own
        {"%clusterid.x", S::CtaidX}, {"%clusterid.y", S::CtaidY}, {"%clusterid.z", S::CtaidZ},
        {"%nclusterid.x", S::NctaidX}, {"%nclusterid.y", S::NctaidY}, {"%nclusterid.z", S::NctaidZ},
        {"%cluster_ctaid.x", S::Zero}, {"%cluster_ctaid.y", S::Zero}, {"%cluster_ctaid.z", S::Zero},
        {"%cluster_nctaid.x", S::One}, {"%cluster_nctaid.y", S::One}, {"%cluster_nctaid.z", S::One},
        {"%cluster_ctarank", S::Zero}, {"%cluster_nctarank", S::One}, {"%is_explicit_cluster", S::Zero},
        {"%reserved_smem_offset_begin", S::Zero}, {"%reserved_smem_offset_end", S::Zero},
        {"%reserved_smem_offset_cap", S::Zero}, {"%current_graph_exec", S::Zero},
    };
    for (const auto &[text, which] : names)
        if (text == name) return which;
    return std::nullopt;
}

} // namespace kernelskill::simulator
