// SPDX-License-Identifier: Apache-2.0
#include "counters.h"

#include <algorithm>

namespace kernelskill::cuda {

namespace {

std::string joined(const std::vector<std::string> &words)
{
    std::string result;
    for (const std::string &word : words)
        result += (result.empty() ? "" : ",") + word;
    return result;
}

// As the library wants it: "A|B" is B on chips without A, and what ends in "?" is not missed where there is none.
std::string asked(const std::string &name)
{
    for (const auto *parts : {&smThroughputParts(), &l1ThroughputParts()})
        if (std::ranges::find(*parts, name) != parts->end()) return name + "?";
    if (name == packedHalfOnTensorPipe()) return name + "?";
    if (name == "dram__bytes_read.sum") return name + "|dram__bytes_op_read.sum"; // since Blackwell
    if (name == "dram__bytes_write.sum") return name + "|dram__bytes_op_write.sum";
    return name;
}

} // namespace

const std::vector<std::string> &smThroughputParts()
{
    static const std::vector<std::string> parts = [] {
        std::vector<std::string> names;
        for (const char *part :
             {"sm__issue_active", "sm__pipe_fma_cycles_active", "sm__pipe_tensor_cycles_active",
              "sm__inst_executed_pipe_adu", "sm__pipe_alu_cycles_active", "sm__pipe_fp64_cycles_active",
              "sm__inst_executed_pipe_lsu", "sm__inst_executed_pipe_xu", "sm__pipe_fmaheavy_cycles_active",
              "idc__request_cycles_active", "sm__pipe_shared_cycles_active", "sm__mio_pq_write_cycles_active",
              "sm__mio_pq_read_cycles_active"})
            names.push_back(std::string(part) + ".avg.pct_of_peak_sustained_elapsed");
        return names;
    }();
    return parts;
}

const std::vector<std::string> &l1ThroughputParts()
{
    static const std::vector<std::string> parts = [] {
        std::vector<std::string> names;
        for (const char *part : {"l1tex__data_pipe_lsu_wavefronts", "l1tex__m_l1tex2xbar_req_cycles_active",
                                 "l1tex__lsu_writeback_active", "l1tex__m_xbar2l1tex_read_sectors",
                                 "l1tex__data_bank_reads", "l1tex__data_bank_writes", "l1tex__f_wavefronts"})
            names.push_back(std::string(part) + ".avg.pct_of_peak_sustained_active");
        return names;
    }();
    return parts;
}

const std::string &packedHalfOnTensorPipe()
{
    static const std::string name = "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum";
    return name;
}

const std::vector<std::string> &stallReasons()
{
    static const std::vector<std::string> reasons{
        "long_scoreboard",    "short_scoreboard", "no_instruction", "not_selected", "barrier", "wait",
        "math_pipe_throttle", "mio_throttle",     "lg_throttle",    "drain",        "membar"};
    return reasons;
}

const std::vector<std::string> &policyCounters()
{
    static const std::vector<std::string> all = [] {
        std::vector<std::string> names{
            "gpu__time_duration.sum",
            "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
            "dram__bytes_read.sum",
            "dram__bytes_write.sum",
            "lts__throughput.avg.pct_of_peak_sustained_elapsed",
            "lts__t_bytes.sum",
            "lts__t_sectors_lookup_hit.sum",
            "lts__t_sectors_lookup_miss.sum",
            "l1tex__t_bytes.sum",
            "l1tex__t_sector_hit_rate.pct",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
            "l1tex__data_pipe_lsu_wavefronts.sum",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
            "smsp__issue_active.sum",
            "smsp__issue_active.avg.pct_of_peak_sustained_active",
            "smsp__inst_executed.sum",
            "smsp__warps_eligible.avg.per_cycle_active",
            "smsp__warps_active.sum",
            "sm__warps_active.avg.pct_of_peak_sustained_active",
            "sm__cycles_elapsed.max",
            "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
            "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
            "sm__inst_executed_pipe_tensor.sum",
        };
        for (const std::string &reason : stallReasons())
            names.push_back("smsp__warps_issue_stalled_" + reason + ".sum");
        names.insert(names.end(), l1ThroughputParts().begin(), l1ThroughputParts().end());
        names.insert(names.end(), smThroughputParts().begin(), smThroughputParts().end());
        // Counted by instrumented code, all in one pass.
        for (const char *sass : {"thread_inst_executed_op_ffma_pred_on", "thread_inst_executed_op_fadd_pred_on",
                                 "thread_inst_executed_op_fmul_pred_on", "thread_inst_executed_op_dfma_pred_on",
                                 "thread_inst_executed_op_dadd_pred_on", "thread_inst_executed_op_dmul_pred_on",
                                 "thread_inst_executed_pred_on", "branch_targets_threads_divergent",
                                 "branch_targets_threads_uniform", "inst_executed_op_global_red"})
            names.push_back(std::string("smsp__sass_") + sass + ".sum");
        // CUPTI's scheduler minds the order: further up this one takes a pass of its own.
        names.push_back(packedHalfOnTensorPipe());
        return names;
    }();
    return all;
}

const std::vector<std::string> &timelineCounters()
{
    static const std::vector<std::string> names{
        "sm__inst_executed_realtime.avg.pct_of_peak_sustained_elapsed",
        "sm__warps_active_realtime.avg.pct_of_peak_sustained_elapsed",
        "sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
        "dram__read_throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__write_throughput.avg.pct_of_peak_sustained_elapsed",
        "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    };
    return names;
}

std::string profileOptions(const ProfileWish &wish)
{
    std::string parts = "launches", result;
    if (wish.hotSpots) parts += ",hot_spots";
    if (wish.counters) {
        parts += ",counters";
        std::vector<std::string> names;
        for (const std::string &name : policyCounters())
            names.push_back(asked(name));
        result += "counters=" + joined(names) + "\n";
    }
    if (wish.timeline) {
        parts += ",timeline";
        result += "timeline=" + joined(timelineCounters()) + "\n";
        result += "timeline_least_us=" + std::to_string(wish.timelineLeast_us) + "\n";
    }
    if (wish.replayKernels) result += "replay=kernel\n";
    return "parts=" + parts + "\n" + result;
}

} // namespace kernelskill::cuda
