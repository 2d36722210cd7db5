// SPDX-License-Identifier: Apache-2.0
#include "timing/metrics.h"

#include <algorithm>
#include <cmath>

namespace kernelskill::simulator {
namespace {

constexpr double sectorBytes = 32;

// What a kernel wrote and L2 still holds when it ends, which is not among the profiler's DRAM writes. Lines read and
// written share L2 in proportion, and a line read lies twice in one that is split when SMs of both sides read it; dirty lines never take
// more than dirtyShare, and a little less where reads go round often. An output that fits loses lines from sets that hold more than their ways, bit by bit as reads go
// round. (tests/bench/simulator_ladders: dram__bytes_write.sum of the copies, and of matmul's ten versions.)
double leftDirty(double read, double written, double arrived, const GpuModel &gpu)
{
    if (written <= 0) return 0;
    const double rounds = read > 0 ? arrived / read : 0;
    const double copies = gpu.l2Parts > 1 ? 2 - std::pow(0.5, std::max(rounds, 1.0)) : 1;
    const double footprint = written + copies * read;
    const double room = gpu.l2Bytes * std::min(gpu.model.dirtyShare, written / footprint);
    constexpr double mostLost = 0.14, roundsToLoseMost = 10;
    if (written > room) return room * (1 - mostLost * (1 - std::exp(-rounds / roundsToLoseMost)));
    constexpr double ways = 16, roundsToLose = 25;
    const double expected = ways * footprint / gpu.l2Bytes; // lines a set, spread at random
    const double overfull = 0.5 * std::erfc((ways - expected) / std::sqrt(2 * expected));
    return written * (1 - overfull / 2 * (1 - std::exp(-rounds / roundsToLose)));
}

// Collects the values. Percentages are of what the unit could do during the kernel's duration, as the profiler's
// pct_of_peak_sustained_elapsed; "active" ones are of the SMs that held blocks.
class MetricWriter
{
public:
    MetricWriter(const LaunchReport &report, const GpuModel &gpu, ModelledLaunch &launch)
        : m_report(report), m_counters(report.counters), m_gpu(gpu), m_launch(launch),
          m_blocks(static_cast<double>(std::max(report.blocksTotal, report.counters.blocks))),
          m_cycles(launch.duration_us * gpu.cyclesPerMicrosecond()), m_busySms(std::min<double>(m_blocks, gpu.smCount))
    {
        // It takes its time nevertheless, of this kernel or of the next.
        const AccessCounters &store = m_counters.globalStore;
        const double read = launch.work.dramReadBytes * m_blocks, evicted = launch.work.dramWriteBytes * m_blocks;
        double stored = std::min(static_cast<double>(store.bytes), static_cast<double>(store.sectors) * sectorBytes) * launch.scale;
        if (report.storedAllocationBytes > 0) stored = std::min(stored, static_cast<double>(report.storedAllocationBytes));
        const double written = std::max(evicted, stored);
        const double arrived = static_cast<double>(m_counters.l2ReadSectors) * sectorBytes * launch.scale;
        m_dramBytes = read + std::max(0.0, written - leftDirty(read, written, arrived, gpu));
    }

    void write()
    {
        launchFacts();
        if (m_counters.blocks == 0) return;
        throughputs();
        memory();
        instructions();
        stalls();
    }

private:
    void set(const char *name, double value) { m_launch.metrics[name] = value; }
    double scaled(std::uint64_t count) const { return static_cast<double>(count) * m_launch.scale; }
    double warpInstructions(InstructionClass c) const
    {
        return scaled(m_counters.warpInstructions[static_cast<std::size_t>(c)]);
    }
    // Busy share of a resource of the SMs, in percent, averaged over `sms` of them.
    double smPercent(double busyCyclesPerBlock, double sms) const
    {
        return std::min(100.0, 100 * busyCyclesPerBlock * m_blocks / (sms * m_cycles));
    }
    static double percent(double part, double whole) { return std::min(100.0, 100 * part / whole); }

    void launchFacts()
    {
        const Occupancy &occupancy = m_launch.occupancy;
        set("registers_per_thread", m_report.resources.registersPerThread);
        set("occ_limit_registers_blocks", occupancy.registerBlocks);
        set("occ_limit_sharedmem_blocks", occupancy.sharedBlocks);
        set("occ_limit_warps_blocks", occupancy.warpBlocks);
        set("theoretical_occupancy_pct", 100 * occupancy.theoretical);
        set("shared_bytes_per_block", m_report.resources.staticSharedBytes + m_report.resources.dynamicSharedBytes);
        set("spilled_bytes", m_report.resources.spilledBytes);
        set("grid_blocks", m_blocks);
        set("block_threads", static_cast<double>(m_report.block.count()));
        set("waves_per_sm", m_launch.waves);
    }

    void throughputs()
    {
        const BlockWork &work = m_launch.work;
        const ModelConstants &model = m_gpu.model;
        set("kernel_duration_us", m_launch.duration_us);
        set("kernel_duration_ns", m_launch.duration_us * 1e3);
        set("achieved_occupancy_pct", 100 * m_launch.achievedOccupancy);
        set("dram_throughput_pct",
            percent(m_dramBytes, m_gpu.dramPeak_gb_s * 1e3 * m_launch.duration_us));
        set("l2_throughput_pct",
            percent(work.l2Bytes * m_blocks, m_gpu.l2_gb_s * model.l2PeakFactor * 1e3 * m_launch.duration_us));
        // Demands stand at achievable rates; the profiler counts against the peak, hence times the efficiency.
        const double l1 = work.l1Wavefronts + work.sharedWavefronts;
        set("l1_throughput_pct", smPercent(std::max(l1, work[Bound::L2Port]), m_busySms));
        const double issue = work[Bound::Issue] * model.issueEfficiency;
        const double fma = work[Bound::Fma] * model.pipeEfficiency;
        const double tensor = work[Bound::Tensor] * model.tensorMmaEfficiency;
        set("issue_slot_pct", smPercent(issue, m_busySms));
        set("fp32_pipe_pct", smPercent(fma, m_busySms));
        set("tensor_pipe_pct", smPercent(tensor, m_busySms));
        const double pipes =
            std::max({work[Bound::Alu], work[Bound::Fp64], work[Bound::Special], work[Bound::Control]}) *
            model.pipeEfficiency;
        set("sm_throughput_pct", smPercent(std::max({issue, fma, tensor, pipes}), m_gpu.smCount));
    }

    void memory()
    {
        const BlockWork &work = m_launch.work;
        set("dram_bytes", m_dramBytes);
        set("l2_bytes", work.l2Bytes * m_blocks);
        set("l1_bytes", work.l1Bytes * m_blocks);
        const AccessCounters &load = m_counters.globalLoad;
        const AccessCounters &store = m_counters.globalStore;
        if (load.requests > 0)
            set("sectors_per_request", static_cast<double>(load.sectors) / static_cast<double>(load.requests));
        if (store.requests > 0)
            set("store_sectors_per_request", static_cast<double>(store.sectors) / static_cast<double>(store.requests));
        const std::uint64_t readSectors = load.sectors + m_counters.local.sectors;
        const std::uint64_t l1Hits = load.l1HitSectors + m_counters.local.l1HitSectors;
        if (readSectors > 0) set("l1_hit_pct", percent(static_cast<double>(l1Hits), static_cast<double>(readSectors)));
        // A store finds or makes its place in L2: the profiler counts it as a hit.
        const double arrived = work.l2Bytes / sectorBytes;
        if (arrived > 0) set("l2_hit_pct", 100 * std::clamp(1 - work.dramReadBytes / sectorBytes / arrived, 0.0, 1.0));
        set("shared_bank_conflicts", scaled(m_counters.sharedLoadConflicts + m_counters.sharedStoreConflicts));
        set("l1_wavefronts", (work.l1Wavefronts + work.sharedWavefronts) * m_blocks);
        set("atomic_requests", scaled(m_counters.globalAtomic.requests));
    }

    void instructions()
    {
        const double issued = m_launch.work.instructions * m_blocks;
        set("instructions", issued);
        set("fp32_flops", scaled(m_counters.fp32Flops));
        set("tensor_instructions", warpInstructions(InstructionClass::Tensor));
        const double divergent = scaled(m_counters.divergentBranches);
        const double uniform =
            scaled(m_counters.branches - std::min(m_counters.branches, m_counters.divergentBranches));
        set("branch_targets_divergent", divergent);
        set("branch_targets_uniform", uniform);
        set("branch_divergence_pct", 100 * divergent / std::max(1.0, divergent + uniform));
        if (issued > 0) {
            const double lanes = scaled(m_counters.predicatedOnLanes) / issued;
            set("pred_on_threads_per_inst", lanes);
            set("pred_on_norm", lanes / 32);
        }
    }

    void stalls()
    {
        const double waiting = 1 - m_launch.issuingShare;
        for (const auto &[reason, share] : m_launch.stalls) {
            if (reason != "branch") // the catalogue has no such reason
                m_launch.metrics["stall_" + reason] = share * waiting;
        }
        set("stall_selected", m_launch.issuingShare);
        // A warp is eligible when it issues or would if it were chosen.
        const double ready = m_launch.issuingShare + m_launch.stalls["not_selected"] * waiting;
        const double warpsPerScheduler = m_launch.achievedOccupancy * m_gpu.maxWarpsPerSm / m_gpu.rate("issue");
        set("warps_eligible_cnt", ready * warpsPerScheduler);
    }

    const LaunchReport &m_report;
    const LaunchCounters &m_counters;
    const GpuModel &m_gpu;
    ModelledLaunch &m_launch;
    double m_blocks;
    double m_cycles;
    double m_busySms;
    double m_dramBytes = 0;
};

} // namespace

void modelMetrics(const LaunchReport &report, const GpuModel &gpu, ModelledLaunch &launch)
{
    launch.metrics.clear();
    MetricWriter(report, gpu, launch).write();
}

} // namespace kernelskill::simulator
