// SPDX-License-Identifier: Apache-2.0
#include "work_answer.h"

#include <algorithm>

namespace kernelskill::kit {

namespace {

using Json = nlohmann::json;
constexpr std::size_t mostLog = 64 * 1024;

// The beginning and the end, where most is said.
std::string shortened(const std::string &log)
{
    if (log.size() <= mostLog) return log;
    constexpr std::size_t kept = mostLog / 2;
    return log.substr(0, kept) + "\n(" + std::to_string(log.size() - 2 * kept) + " bytes are left out here)\n" +
           log.substr(log.size() - kept);
}

Json toJson(const TimingResult &timing)
{
    Json object{{"name", timing.name},     {"weight", timing.weight},   {"time_us", timing.time_us},
                {"low_us", timing.low_us}, {"high_us", timing.high_us}, {"samples_us", timing.samples_us}};
    if (timing.overBaseline > 0) {
        object["over_baseline"] = timing.overBaseline;
        object["over_baseline_low"] = timing.overBaselineLow;
        object["over_baseline_high"] = timing.overBaselineHigh;
    }
    if (timing.host_us > 0) object["host_us"] = timing.host_us;
    return object;
}

} // namespace

bool WorkAnswer::hasFailed() const
{
    return status != "ok" || !trouble.empty() ||
           std::any_of(checks.begin(), checks.end(), [](const CheckResult &c) { return c.outcome == "failed"; });
}

Json WorkAnswer::toJson() const
{
    Json object{{"done", true},         {"status", status},     {"kernels", kernels},
                {"launches", launches}, {"evidence", evidence}, {"log", shortened(log)}};
    object["checks"] = Json::array();
    for (const CheckResult &check : checks)
        object["checks"].push_back({{"name", check.name}, {"outcome", check.outcome}, {"detail", check.detail}});
    object["timings"] = Json::array();
    for (const TimingResult &timing : timings)
        object["timings"].push_back(kit::toJson(timing));
    return object;
}

} // namespace kernelskill::kit
