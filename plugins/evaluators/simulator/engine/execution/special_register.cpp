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
        {"%aggr_smem_size", S::TotalSharedSize},
        {"%clusterid.x", S::ClusterIdX}, {"%clusterid.y", S::ClusterIdY}, {"%clusterid.z", S::ClusterIdZ},
        {"%nclusterid.x", S::NclusterIdX}, {"%nclusterid.y", S::NclusterIdY}, {"%nclusterid.z", S::NclusterIdZ},
        {"%cluster_ctaid.x", S::ClusterCtaidX}, {"%cluster_ctaid.y", S::ClusterCtaidY}, {"%cluster_ctaid.z", S::ClusterCtaidZ},
        {"%cluster_nctaid.x", S::ClusterNctaidX}, {"%cluster_nctaid.y", S::ClusterNctaidY}, {"%cluster_nctaid.z", S::ClusterNctaidZ},
        {"%cluster_ctarank", S::ClusterRank}, {"%cluster_nctarank", S::ClusterBlocks}, {"%is_explicit_cluster", S::ExplicitCluster},
        {"%reserved_smem_offset_begin", S::Zero}, {"%reserved_smem_offset_end", S::Zero},
        {"%reserved_smem_offset_cap", S::Zero}, {"%current_graph_exec", S::Zero},
    };
    for (const auto &[text, which] : names)
        if (text == name) return which;
    // nobody sets the environment of a driver, nor counts in performance monitors
    if (name.starts_with("%envreg") || name.starts_with("%pm")) return S::Zero;
    return std::nullopt;
}

} // namespace kernelskill::simulator
