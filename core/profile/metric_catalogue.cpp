// SPDX-License-Identifier: Apache-2.0
#include "profile/metric_catalogue.h"

#include <algorithm>

namespace kernelskill {

namespace {

MetricInfo metric(const char *name, const char *title, const char *unit, const char *profilerName, const char *meaning,
                  int better)
{
    const auto text = [](const char *latin) { return QString::fromLatin1(latin); };
    return {text(name), text(title), text(unit), text(profilerName), text(meaning), better};
}

// Speed of light: how near each unit is to what it can do at most.
QList<MetricInfo> throughputs()
{
    return {
        metric("dram_throughput_pct", "DRAM throughput", "%", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
               "Share of the device memory's peak bandwidth in use. Near 100 % the kernel waits for memory and only "
               "moving fewer bytes makes it faster.", 0),
        metric("l2_throughput_pct", "L2 throughput", "%", "lts__throughput.avg.pct_of_peak_sustained_elapsed",
               "Share of the L2 cache's peak bandwidth in use.", 0),
        metric("l1_throughput_pct", "L1 throughput", "%", "l1tex__throughput.avg.pct_of_peak_sustained_active",
               "Share of the L1 and shared-memory unit's peak in use. High with idle DRAM hints at wasteful access "
               "patterns or bank conflicts.", 0),
        metric("sm_throughput_pct", "SM throughput", "%", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
               "Share of the multiprocessors' busiest pipe or issue rate in use.", 0),
        metric("issue_slot_pct", "Issue slots used", "%",
               "smsp__issue_active.avg.pct_of_peak_sustained_active",
               "Cycles in which a scheduler issued an instruction.", +1),
        metric("fp32_pipe_pct", "FP32 pipe", "%",
               "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
               "Share of the float multiply-add pipe's peak in use.", 0),
        metric("tensor_pipe_pct", "Tensor pipe", "%",
               "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
               "Share of the tensor cores' peak in use. 0 when no matrix instruction runs.", 0),
        metric("gpu_busy_fraction", "GPU busy", "", "",
               "Share of the time between first start and last end in which a kernel ran; the rest is launch gaps.", +1),
    };
}

QList<MetricInfo> occupancy()
{
    return {
        metric("achieved_occupancy_pct", "Achieved occupancy", "%",
               "sm__warps_active.avg.pct_of_peak_sustained_active",
               "Resident warps as a share of the most a multiprocessor can hold, averaged over the run.", +1),
        metric("theoretical_occupancy_pct", "Theoretical occupancy", "%", "sm__maximum_warps_per_active_cycle_pct",
               "The occupancy that registers, shared memory and block size allow.", +1),
        metric("registers_per_thread", "Registers per thread", "", "launch__registers_per_thread",
               "Registers each thread holds. Many registers leave room for fewer warps.", 0),
        metric("occ_limit_registers_blocks", "Block limit by registers", "blocks",
               "launch__occupancy_limit_registers",
               "Blocks that fit on a multiprocessor when only registers count.", +1),
        metric("occ_limit_sharedmem_blocks", "Block limit by shared memory", "blocks",
               "launch__occupancy_limit_shared_mem",
               "Blocks that fit on a multiprocessor when only shared memory counts.", +1),
        metric("occ_limit_warps_blocks", "Block limit by warps", "blocks", "launch__occupancy_limit_warps",
               "Blocks that fit on a multiprocessor when only its warp slots count.", +1),
        metric("shared_bytes_per_block", "Shared memory per block", "bytes", "launch__shared_mem_per_block",
               "Static and dynamic shared memory of one block.", 0),
        metric("spilled_bytes", "Spilled bytes", "bytes", "launch__local_spilling_bytes",
               "Local memory a thread uses because its values do not fit in registers.", -1),
        metric("grid_blocks", "Blocks in the grid", "blocks", "launch__grid_size",
               "Blocks launched. Fewer than the multiprocessors leaves some idle.", 0),
        metric("block_threads", "Threads per block", "threads", "launch__block_size", "Threads in one block.", 0),
        metric("waves_per_sm", "Waves per SM", "", "launch__waves_per_multiprocessor",
               "Rounds of resident blocks each multiprocessor runs. A small fraction above a whole number wastes the "
               "last round.", 0),
        metric("warps_eligible_cnt", "Eligible warps", "warps", "smsp__warps_eligible.avg.per_cycle_active",
               "Warps ready to issue in each cycle. Below 1 the scheduler idles.", +1),
    };
}

QList<MetricInfo> memory()
{
    return {
        metric("dram_bytes", "DRAM traffic", "bytes", "dram__bytes.sum", "Bytes moved to and from device memory.", -1),
        metric("l2_bytes", "L2 traffic", "bytes", "lts__t_bytes.sum", "Bytes moved through the L2 cache.", -1),
        metric("l1_bytes", "L1 traffic", "bytes", "l1tex__t_bytes.sum", "Bytes moved through the L1 caches.", -1),
        metric("l1_hit_pct", "L1 hit rate", "%", "l1tex__t_sector_hit_rate.pct", "Sectors the L1 cache had.", +1),
        metric("l2_hit_pct", "L2 hit rate", "%", "lts__t_sector_hit_rate.pct", "Sectors the L2 cache had.", +1),
        metric("sectors_per_request", "Sectors per request", "sectors",
               "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
               "32-byte sectors one warp's global load touches. 4 is ideal for 4-byte loads; 32 means every lane "
               "touches a sector of its own.", -1),
        metric("store_sectors_per_request", "Sectors per store request", "sectors",
               "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
               "32-byte sectors one warp's global store touches.", -1),
        metric("l1_wavefronts", "L1 wavefronts", "", "l1tex__data_pipe_lsu_wavefronts.sum",
               "Cycles the data stage of L1 and shared memory is busy: one a warp's request at best, more when lanes meet "
               "on a bank or touch many lines.", -1),
        metric("shared_bank_conflicts", "Shared bank conflicts", "",
               "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
               "Extra passes because lanes of a warp met on one bank of shared memory.", -1),
        metric("atomic_requests", "Atomic requests", "", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
               "Warp-wide atomic operations on global memory.", -1),
    };
}

QList<MetricInfo> instructions()
{
    return {
        metric("kernel_duration_ns", "Kernel duration", "ns", "gpu__time_duration.avg", "Time of one launch.", -1),
        metric("kernel_duration_us", "Kernel duration", "us", "", "Time of one launch, in microseconds.", -1),
        metric("kernel_launch_count", "Kernel launches", "launches", "", "Kernels one call of solve launches.", -1),
        metric("instructions", "Warp instructions", "", "smsp__inst_executed.sum",
               "Instructions executed, counted once a warp.", -1),
        metric("fp32_flops", "FP32 operations", "flop", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
               "Float additions, multiplications and twice the fused multiply-adds.", 0),
        metric("tensor_instructions", "Tensor instructions", "", "sm__inst_executed_pipe_tensor.sum",
               "Matrix instructions executed by tensor cores.", 0),
        metric("branch_targets_divergent", "Divergent branch targets", "",
               "smsp__sass_branch_targets_threads_divergent.sum",
               "Branches at which the lanes of a warp went separate ways.", -1),
        metric("branch_targets_uniform", "Uniform branch targets", "",
               "smsp__sass_branch_targets_threads_uniform.sum", "Branches that all lanes of a warp took together.", 0),
        metric("branch_divergence_pct", "Branch divergence", "%", "",
               "Divergent branch targets as a share of all of them.", -1),
        metric("pred_on_threads_per_inst", "Active lanes per instruction", "lanes",
               "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
               "Lanes of 32 that do useful work in an average instruction.", +1),
        metric("pred_on_norm", "Active lanes, normalised", "", "",
               "Active lanes per instruction over 32. Under 0.70 lanes idle often.", +1),
    };
}

// Stall reasons as shares of resident warps' cycles. The maximum rate is no use: real reports hold a constant 1 there.
QList<MetricInfo> stalls()
{
    struct Reason
    {
        const char *name, *title, *meaning;
    };
    constexpr Reason reasons[] = {
        {"long_scoreboard", "Long scoreboard", "waited for global, local or texture memory"},
        {"short_scoreboard", "Short scoreboard", "waited for shared memory or a special function, not for DRAM"},
        {"no_instruction", "No instruction", "waited for the instruction cache"},
        {"not_selected", "Not selected", "were ready while another warp was chosen; harmless, there is work to spare"},
        {"barrier", "Barrier", "waited at a block-wide barrier"},
        {"wait", "Fixed latency", "waited out the fixed latency of the instruction before"},
        {"math_pipe_throttle", "Pipe throttle", "waited for a busy arithmetic pipe"},
        {"mio_throttle", "MIO throttle", "waited for the queue to shared memory and special functions"},
        {"lg_throttle", "LG throttle", "waited for the queue to global and local memory"},
        {"drain", "Drain", "waited at their end for stores to leave"},
        {"membar", "Memory barrier", "waited at a memory fence"},
        {"selected", "Selected", "issued an instruction"},
    };
    QList<MetricInfo> result;
    for (const Reason &reason : reasons) {
        const QString name = QString::fromLatin1(reason.name);
        result.append({QStringLiteral("stall_") + name, QStringLiteral("Stall: ") + QString::fromLatin1(reason.title),
                       QString(), QStringLiteral("smsp__average_warps_issue_stalled_%1_per_issue_active.ratio").arg(name),
                       QStringLiteral("Share of resident warps' cycles in which they %1.")
                           .arg(QString::fromLatin1(reason.meaning)),
                       -1});
    }
    result.last().better = +1;
    result.append(metric("memory_stall", "Memory stall", "", "",
                         "Long and short scoreboard together; high at 0.30 and more.", -1));
    result.append(metric("primary_limiter_util", "Utilisation of the primary limiter", "%", "",
                         "The largest of DRAM, L2 and SM throughput: how near the kernel is to some ceiling.", 0));
    return result;
}

} // namespace

const QList<MetricInfo> &metricCatalogue()
{
    static const QList<MetricInfo> all = throughputs() + occupancy() + memory() + instructions() + stalls();
    return all;
}

const MetricInfo *metricInfo(const QString &name)
{
    const QList<MetricInfo> &all = metricCatalogue();
    const auto found = std::ranges::find(all, name, &MetricInfo::name);
    return found == all.end() ? nullptr : &*found;
}

bool isTotal(const QString &name)
{
    const MetricInfo *info = metricInfo(name);
    return info && info->profilerName.endsWith(QLatin1String(".sum"));
}

} // namespace kernelskill
