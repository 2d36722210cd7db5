// SPDX-License-Identifier: Apache-2.0
#include "work_result.h"

#include "worker/report_merge.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace kernelskill::simulator {

namespace {

using Json = nlohmann::json;

constexpr std::size_t mostFindings = 100;

Json toJson(const Dim3 &d)
{
    return {d.x, d.y, d.z};
}

Json toJson(const Finding &finding)
{
    return {{"kind", finding.kind},       {"kernel", finding.kernel},       {"file", finding.file},
            {"line", finding.line},       {"block", toJson(finding.block)}, {"thread", toJson(finding.thread)},
            {"address", finding.address}, {"message", finding.message},     {"occurrences", finding.occurrences},
            {"fatal", finding.fatal}};
}

struct KernelSum
{
    std::string name;
    const LaunchRecord *longest = nullptr;
    int launches = 0;
    double time_us = 0, duration_us = 0, roofline_us = 0;
};

Json profileOf(const KernelSum &sum, double total_us)
{
    const LaunchRecord &record = *sum.longest;
    Json metrics = Json::object();
    for (const auto &[name, value] : record.modelled.metrics) {
        if (std::isfinite(value)) metrics[name] = value;
    }
    Json spots = Json::array();
    for (const HotSpotLine &spot : hotSpots(record.report))
        spots.push_back({{"file", spot.file},
                         {"line", spot.line},
                         {"share", spot.stallShare},
                         {"stall", spot.mainStall},
                         {"text", spot.text}});
    return {{"name", sum.name},
            {"grid", toJson(record.report.grid)},
            {"block", toJson(record.report.block)},
            {"launches", sum.launches},
            {"duration_us", sum.duration_us},
            {"time_us", sum.time_us},
            {"share", total_us > 0 ? sum.time_us / total_us : 0},
            {"roofline_us", sum.roofline_us},
            {"metrics", std::move(metrics)},
            {"stalls", record.modelled.stalls},
            {"hot_spots", std::move(spots)},
            {"sentence", record.modelled.sentence},
            {"sampled", record.sampled},
            {"blocks_run", record.report.counters.blocks}};
}

} // namespace

Json kernelProfiles(const CallRecord &call)
{
    std::vector<KernelSum> sums;
    double total_us = 0;
    for (const LaunchRecord &record : call.launches) {
        auto found = std::ranges::find(sums, record.report.kernel, &KernelSum::name);
        if (found == sums.end()) found = sums.insert(sums.end(), KernelSum{record.report.kernel, &record, 0, 0, 0, 0});
        found->launches += record.repeats;
        const double time_us =
            record.programTime_us > 0 ? record.programTime_us : record.modelled.time_us * record.repeats;
        found->time_us += time_us;
        found->duration_us += record.modelled.duration_us * record.repeats;
        found->roofline_us += record.modelled.roofline_us * record.repeats;
        total_us += time_us;
        if (record.modelled.duration_us > found->longest->modelled.duration_us) found->longest = &record;
    }
    Json kernels = Json::array();
    for (const KernelSum &sum : sums)
        kernels.push_back(profileOf(sum, total_us));
    return kernels;
}

void WorkResult::append(WorkResult &&part)
{
    if (part.status != "ok") status = part.status;
    std::ranges::move(part.checks, std::back_inserter(checks));
    precision.add(part.precision);
    add(findings, part.findings);
    log += part.log;
    if (trouble.empty()) trouble = std::move(part.trouble);
}

void WorkResult::concludePrecision(const std::string &mode)
{
    const kit::PrecisionOutcome outcome = precision.conclude(mode);
    checks.push_back({"precision", outcome.outcome, outcome.detail});
    if (outcome.known) evidence["precision"] = outcome.toJson();
}

Json WorkResult::toJson() const
{
    Json object = WorkAnswer::toJson();
    object["findings"] = Json::array();
    for (std::size_t i = 0; i < std::min(findings.size(), mostFindings); ++i)
        object["findings"].push_back(simulator::toJson(findings[i]));
    return object;
}

} // namespace kernelskill::simulator
