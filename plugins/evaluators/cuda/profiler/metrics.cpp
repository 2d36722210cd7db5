// SPDX-License-Identifier: Apache-2.0
#include "metrics.h"

#include "counters.h"
#include "messages.h"
#include "occupancy.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace kernelskill::cuda {

namespace {

using Json = nlohmann::json;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double counter(const LaunchRow &launch, const std::string &name)
{
    const auto found = launch.counters.find(name);
    return found == launch.counters.end() ? unknown : found->second;
}

double sum(const LaunchRow &launch, const std::string &name)
{
    return counter(launch, name + ".sum");
}

// The first that has a value: profilers and chips differ in names.
double firstOf(std::initializer_list<double> values)
{
    for (const double value : values)
        if (std::isfinite(value)) return value;
    return unknown;
}

double largest(const LaunchRow &launch, const std::vector<std::string> &names)
{
    double result = unknown;
    for (const std::string &name : names) {
        const double value = counter(launch, name);
        if (std::isfinite(value) && !(result >= value)) result = value;
    }
    // Without the first, always among the large ones, the largest would be a guess.
    return std::isfinite(counter(launch, names.front())) ? result : unknown;
}

double throughput(const LaunchRow &launch, const std::string &unit, const char *of,
                  const std::vector<std::string> &parts)
{
    return firstOf({counter(launch, unit + "__throughput.avg.pct_of_peak_sustained_" + of), largest(launch, parts)});
}

// Warps waiting for a reason over all resident ones: by sums where they were asked for, else by the ratios to issued
// instructions that ncu's sets hold.
double waitingShare(const LaunchRow &launch, const std::string &reason)
{
    return firstOf({sum(launch, "smsp__warps_issue_stalled_" + reason) / sum(launch, "smsp__warps_active"),
                    counter(launch, "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio") /
                        counter(launch, "smsp__average_warp_latency_per_inst_issued.ratio")});
}

double issuingShare(const LaunchRow &launch)
{
    return firstOf({sum(launch, "smsp__issue_active") / sum(launch, "smsp__warps_active"),
                    1 / counter(launch, "smsp__average_warp_latency_per_inst_issued.ratio")});
}

std::map<std::string, double> countedStalls(const LaunchRow &launch)
{
    std::map<std::string, double> shares;
    double rest = 1 - issuingShare(launch);
    for (const std::string &reason : stallReasons()) {
        const double share = waitingShare(launch, reason);
        if (std::isfinite(share)) shares[reason] = share;
        rest -= share;
    }
    // The counters come from several passes, so a little more than all may be told.
    if (std::isfinite(rest)) shares["other"] = std::max(0.0, rest);
    return shares;
}

const FunctionSamples *samplesOf(const LaunchRow &launch, const RawProfile &profile)
{
    const auto found = std::ranges::find(profile.functions, launch.mangled, &FunctionSamples::name);
    return launch.mangled.empty() || found == profile.functions.end() || found->samples == 0 ? nullptr : &*found;
}

std::map<std::string, double> sampledStalls(const FunctionSamples &function)
{
    std::map<std::string, double> shares;
    for (const std::string &reason : stallReasons())
        shares[reason] = 0; // no sample is a share of nothing
    for (const auto &[reason, samples] : function.stalls) {
        if (reason == "selected") continue;
        const double share = double(samples) / double(function.samples);
        shares[shares.contains(reason) ? reason : "other"] += share;
    }
    return shares;
}

// Collects the values of one launch.
class MetricWriter
{
public:
    MetricWriter(const LaunchRow &launch, const RawProfile &profile, std::vector<std::string> *missing)
        : m_launch(launch), m_profile(profile), m_missing(missing)
    {
    }

    std::map<std::string, double> write()
    {
        times();
        launchFacts();
        // Without any counter they were not asked for, or one problem says why there are none.
        if (m_launch.counters.empty()) {
            m_missing = nullptr;
            if (m_launch.isKernel()) stalls();
            return m_metrics;
        }
        throughputs();
        memory();
        instructions();
        stalls();
        return m_metrics;
    }

private:
    void set(const char *name, double value)
    {
        if (std::isfinite(value))
            m_metrics[name] = value;
        else if (m_missing)
            m_missing->push_back(name);
    }
    // For what has no meaning in this launch, such as sectors per request without requests.
    void setWhere(bool meaningful, const char *name, double value)
    {
        if (meaningful) set(name, value);
    }
    double value(const char *name) const { return counter(m_launch, name); }
    double total(const char *name) const { return sum(m_launch, name); }

    void times()
    {
        if (m_launch.duration_ns > 0) {
            set("kernel_duration_ns", m_launch.duration_ns);
            set("kernel_duration_us", m_launch.duration_ns / 1e3);
        }
        if (m_profile.busyFraction >= 0) set("gpu_busy_fraction", m_profile.busyFraction);
    }

    void launchFacts()
    {
        if (!m_launch.isKernel()) return;
        const auto product = [](const std::array<int, 3> &a) { return double(a[0]) * a[1] * a[2]; };
        set("grid_blocks", product(m_launch.grid));
        set("block_threads", product(m_launch.block));
        if (m_launch.registers >= 0) set("registers_per_thread", m_launch.registers);
        if (m_launch.staticShared >= 0 && m_launch.dynamicShared >= 0)
            set("shared_bytes_per_block", double(m_launch.staticShared) + m_launch.dynamicShared);
        if (m_launch.localBytes >= 0) set("spilled_bytes", m_launch.localBytes);
        if (const auto fit = occupancy(m_launch, m_profile.device)) {
            set("occ_limit_registers_blocks", fit->byRegisters);
            set("occ_limit_sharedmem_blocks", fit->byShared);
            set("occ_limit_warps_blocks", fit->byWarps);
            set("theoretical_occupancy_pct", fit->theoretical_pct);
            if (fit->residentBlocks > 0) set("waves_per_sm", fit->wavesPerSm);
        }
    }

    void throughputs()
    {
        set("dram_throughput_pct", firstOf({value("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"),
                                            value("dram__throughput.avg.pct_of_peak_sustained_elapsed")}));
        set("l2_throughput_pct", value("lts__throughput.avg.pct_of_peak_sustained_elapsed"));
        set("l1_throughput_pct", throughput(m_launch, "l1tex", "active", l1ThroughputParts()));
        set("sm_throughput_pct", throughput(m_launch, "sm", "elapsed", smThroughputParts()));
        set("issue_slot_pct", value("smsp__issue_active.avg.pct_of_peak_sustained_active"));
        set("fp32_pipe_pct", value("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active"));
        set("tensor_pipe_pct", value("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"));
        set("achieved_occupancy_pct", value("sm__warps_active.avg.pct_of_peak_sustained_active"));
        set("warps_eligible_cnt", value("smsp__warps_eligible.avg.per_cycle_active"));
        double largestUse = unknown;
        for (const char *name : {"dram_throughput_pct", "l2_throughput_pct", "sm_throughput_pct"}) {
            const auto found = m_metrics.find(name);
            if (found == m_metrics.end()) return set("primary_limiter_util", unknown);
            if (!(largestUse >= found->second)) largestUse = found->second;
        }
        set("primary_limiter_util", largestUse);
    }

    void memory()
    {
        set("dram_bytes", firstOf({total("dram__bytes"), total("dram__bytes_read") + total("dram__bytes_write"),
                                   total("dram__bytes_op_read") + total("dram__bytes_op_write")}));
        set("l2_bytes", total("lts__t_bytes"));
        set("l1_bytes", total("l1tex__t_bytes"));
        set("l1_hit_pct", value("l1tex__t_sector_hit_rate.pct"));
        const double hits = total("lts__t_sectors_lookup_hit"), misses = total("lts__t_sectors_lookup_miss");
        const double rate = value("lts__t_sector_hit_rate.pct");
        setWhere(!(hits + misses == 0), "l2_hit_pct", firstOf({rate, 100 * hits / (hits + misses)}));
        perRequest("sectors_per_request", "ld");
        perRequest("store_sectors_per_request", "st");
        set("l1_wavefronts", total("l1tex__data_pipe_lsu_wavefronts"));
        set("shared_bank_conflicts", total("l1tex__data_bank_conflicts_pipe_lsu_mem_shared"));
        // An atomic operation whose result nobody reads becomes a reduction, counted apart.
        set("atomic_requests", total("l1tex__t_requests_pipe_lsu_mem_global_op_atom") +
                                   firstOf({total("smsp__sass_inst_executed_op_global_red"),
                                            total("l1tex__t_requests_pipe_lsu_mem_global_op_red")}));
    }

    void perRequest(const char *name, const std::string &operation)
    {
        const std::string end = "_pipe_lsu_mem_global_op_" + operation;
        const double requests = sum(m_launch, "l1tex__t_requests" + end);
        const double ratio = counter(m_launch, "l1tex__average_t_sectors_per_request" + end + ".ratio");
        setWhere(!(requests == 0), name, firstOf({sum(m_launch, "l1tex__t_sectors" + end) / requests, ratio}));
    }

    void instructions()
    {
        const double executed = total("smsp__inst_executed");
        set("instructions", executed);
        set("fp32_flops", total("smsp__sass_thread_inst_executed_op_fadd_pred_on") +
                              total("smsp__sass_thread_inst_executed_op_fmul_pred_on") +
                              2 * total("smsp__sass_thread_inst_executed_op_ffma_pred_on"));
        set("tensor_instructions",
            total("sm__inst_executed_pipe_tensor") - firstOf({counter(m_launch, packedHalfOnTensorPipe()), 0}));
        const double divergent = total("smsp__sass_branch_targets_threads_divergent");
        const double uniform = total("smsp__sass_branch_targets_threads_uniform");
        set("branch_targets_divergent", divergent);
        set("branch_targets_uniform", uniform);
        set("branch_divergence_pct", 100 * divergent / std::fmax(1.0, divergent + uniform));
        const double lanes = firstOf({value("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"),
                                      total("smsp__sass_thread_inst_executed_pred_on") / executed});
        setWhere(!(executed == 0), "pred_on_threads_per_inst", lanes);
        setWhere(!(executed == 0), "pred_on_norm", lanes / 32);
    }

    void stalls()
    {
        const std::map<std::string, double> shares = stallsOf(m_launch, m_profile);
        if (shares.empty() && m_launch.counters.empty()) return;
        const auto share = [&](const std::string &reason) {
            const auto found = shares.find(reason);
            return found == shares.end() ? unknown : found->second;
        };
        for (const std::string &reason : stallReasons())
            set(("stall_" + reason).c_str(), share(reason));
        set("stall_selected", firstOf({issuingShare(m_launch), sampledIssuing()}));
        set("memory_stall", share("long_scoreboard") + share("short_scoreboard"));
    }

    double sampledIssuing() const
    {
        const FunctionSamples *function = samplesOf(m_launch, m_profile);
        if (!function) return unknown;
        const auto selected = function->stalls.find("selected");
        return selected == function->stalls.end() ? 0 : double(selected->second) / double(function->samples);
    }

    const LaunchRow &m_launch;
    const RawProfile &m_profile;
    std::vector<std::string> *m_missing;
    std::map<std::string, double> m_metrics;
};

// "38 % of stalls, long scoreboard"
std::string spotText(double share, std::string stall)
{
    std::ranges::replace(stall, '_', ' ');
    return std::to_string(std::lround(100 * share)) + " % of stalls, " + stall;
}

std::uint64_t waiting(std::uint64_t samples, const std::map<std::string, std::uint64_t> &stalls)
{
    const auto selected = stalls.find("selected");
    return selected == stalls.end() ? samples : samples - std::min(samples, selected->second);
}

Json hotSpots(const LaunchRow &launch, const RawProfile &profile)
{
    constexpr std::size_t most = 12;
    Json spots = Json::array();
    const FunctionSamples *function = samplesOf(launch, profile);
    if (!function) return spots;
    const double all = double(waiting(function->samples, function->stalls));
    std::vector<LineSamples> lines = function->lines;
    std::ranges::stable_sort(lines, std::ranges::greater{},
                             [](const LineSamples &line) { return waiting(line.samples, line.stalls); });
    for (const LineSamples &line : lines) {
        const std::uint64_t samples = waiting(line.samples, line.stalls);
        if (spots.size() == most || samples == 0) break;
        std::string mainStall;
        std::uint64_t largestStall = 0;
        for (const auto &[reason, count] : line.stalls) {
            if (reason != "selected" && count > largestStall) {
                mainStall = reason;
                largestStall = count;
            }
        }
        const double share = double(samples) / all;
        spots.push_back({{"file", line.file},
                         {"line", line.line},
                         {"share", share},
                         {"stall", mainStall},
                         {"text", spotText(share, mainStall)}});
    }
    return spots;
}

Json toJson(const Timeline &timeline)
{
    Json metrics = Json::object();
    for (const auto &[name, values] : timeline.metrics) {
        Json series = Json::array();
        for (const double value : values)
            series.push_back(std::isfinite(value) ? Json(value) : Json());
        metrics[name] = std::move(series);
    }
    return {{"interval_us", timeline.interval_us}, {"metrics", std::move(metrics)}};
}

// Of the launches of one name the longest speaks, but one with counters before one without.
bool tellsMore(const LaunchRow &a, const LaunchRow &b)
{
    if (a.counters.empty() != b.counters.empty()) return !a.counters.empty();
    return a.duration_ns > b.duration_ns;
}

struct KernelSum
{
    const LaunchRow *longest = nullptr;
    int launches = 0;
    double duration_us = 0, roofline_us = 0;
};

Json rowOf(const KernelSum &sum, const RawProfile &profile, double total_us)
{
    const LaunchRow &launch = *sum.longest;
    std::vector<std::string> missing;
    Json metrics = metricsOf(launch, profile, &missing);
    Json row{{"name", launch.name},
             {"grid", launch.grid},
             {"block", launch.block},
             {"launches", sum.launches},
             {"duration_us", sum.duration_us},
             {"share", total_us > 0 ? sum.duration_us / total_us : 0},
             {"roofline_us", sum.roofline_us},
             {"metrics", std::move(metrics)},
             {"stalls", stallsOf(launch, profile)},
             {"hot_spots", hotSpots(launch, profile)}};
    if (!missing.empty()) row["missing"] = missing;
    if (launch.graph) row["graph"] = true;
    if (!launch.timeline.metrics.empty()) row["timeline"] = toJson(launch.timeline);
    return row;
}

} // namespace

Ceilings Ceilings::from(const Json &gpu, const DeviceLimits &device)
{
    const auto member = [&](const char *name, double otherwise) {
        const auto found = gpu.is_object() ? gpu.find(name) : gpu.end();
        return gpu.is_object() && found != gpu.end() && found->is_number() ? found->get<double>() : otherwise;
    };
    // Two transfers a clock; 128 float multiply-adds a clock on every multiprocessor since compute capability 8.6.
    const double dram = device.memoryClock_khz * 1e3 * 2 * device.memoryBusBits / 8 / 1e9;
    const double fp32 = device.multiprocessors * 128.0 * 2 * device.clock_khz * 1e3 / 1e12;
    return {member("dram_gb_s", dram), member("fp32_tflops", fp32), member("fp64_tflops", 0)};
}

std::map<std::string, double> metricsOf(const LaunchRow &launch, const RawProfile &profile,
                                        std::vector<std::string> *missing)
{
    return MetricWriter(launch, profile, missing).write();
}

std::map<std::string, double> stallsOf(const LaunchRow &launch, const RawProfile &profile)
{
    std::map<std::string, double> counted = countedStalls(launch);
    if (!counted.empty()) return counted;
    const FunctionSamples *function = samplesOf(launch, profile);
    return function ? sampledStalls(*function) : std::map<std::string, double>();
}

double roofline_us(const LaunchRow &launch, const Ceilings &ceilings)
{
    const auto bound = [](double amount, double perMicrosecond) {
        return std::isfinite(amount) && perMicrosecond > 0 ? amount / perMicrosecond : 0.0;
    };
    const auto flops = [&](const char *type) {
        const std::string start = std::string("smsp__sass_thread_inst_executed_op_") + type;
        return sum(launch, start + "add_pred_on") + sum(launch, start + "mul_pred_on") +
               2 * sum(launch, start + "fma_pred_on");
    };
    const double bytes =
        launch.isKernel()
            ? firstOf({sum(launch, "dram__bytes"), sum(launch, "dram__bytes_read") + sum(launch, "dram__bytes_write"),
                       sum(launch, "dram__bytes_op_read") + sum(launch, "dram__bytes_op_write")})
            : launch.bytes;
    // The share of the tensor pipe's peak is already work over what could have been done.
    const double tensor = counter(launch, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed");
    return std::max({bound(bytes, ceilings.dram_gb_s * 1e3), bound(flops("f"), ceilings.fp32_tflops * 1e6),
                     bound(flops("d"), ceilings.fp64_tflops * 1e6),
                     std::isfinite(tensor) ? tensor / 100 * launch.duration_ns / 1e3 : 0.0});
}

Json kernelProfiles(const RawProfile &profile, const Ceilings &ceilings, bool withCounters)
{
    std::vector<KernelSum> sums;
    double total_us = 0;
    for (const LaunchRow &launch : profile.launches) {
        auto found = std::ranges::find_if(sums, [&](const KernelSum &s) { return s.longest->name == launch.name; });
        if (found == sums.end()) found = sums.insert(sums.end(), KernelSum{&launch, 0, 0, 0});
        ++found->launches;
        found->duration_us += launch.duration_ns / 1e3;
        found->roofline_us += roofline_us(launch, ceilings);
        if (tellsMore(launch, *found->longest)) found->longest = &launch;
        total_us += launch.duration_ns / 1e3;
    }
    Json kernels = Json::array();
    for (const KernelSum &sum : sums) {
        kernels.push_back(rowOf(sum, profile, total_us));
        for (const auto &[name, value] : sum.longest->counters)
            if (withCounters && std::isfinite(value)) kernels.back()["counters"][name] = value;
    }
    return kernels;
}

int launchCount(const RawProfile &profile)
{
    return int(std::ranges::count_if(profile.launches, &LaunchRow::isKernel));
}

std::vector<std::string> profileRemarks(const RawProfile &profile)
{
    std::vector<std::string> remarks;
    const auto add = [&](std::string sentence) {
        if (!sentence.empty() && std::ranges::find(remarks, sentence) == remarks.end())
            remarks.push_back(std::move(sentence));
    };
    for (const ProfilerProblem &problem : profile.problems)
        add(explainProfiler(1, problem.code + ": " + problem.text));
    std::set<std::string> nan;
    for (const LaunchRow &launch : profile.launches)
        for (const auto &[name, value] : launch.counters)
            if (!std::isfinite(value)) nan.insert(name);
    add(explainMissingCounters({nan.begin(), nan.end()}, profile.unknownCounters));
    return remarks;
}

} // namespace kernelskill::cuda
