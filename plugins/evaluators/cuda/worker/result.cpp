// SPDX-License-Identifier: Apache-2.0
#include "result.h"

#include <algorithm>

namespace kernelskill::cuda {

namespace {

using Json = nlohmann::json;
constexpr std::size_t mostLog = 64 * 1024;

Json toJson(const Timing &timing)
{
    return {{"name", timing.name},
            {"weight", timing.weight},
            {"time_us", timing.time_us},
            {"low_us", timing.low_us},
            {"high_us", timing.high_us},
            {"samples_us", timing.samples_us},
            {"over_baseline", timing.overBaseline},
            {"over_baseline_low", timing.overBaselineLow},
            {"over_baseline_high", timing.overBaselineHigh},
            {"host_us", timing.host_us}};
}

} // namespace

bool Result::hasFailed() const
{
    return status != "ok" || !trouble.empty() ||
           std::any_of(checks.begin(), checks.end(), [](const Check &check) { return check.outcome == "failed"; });
}

Json Result::toJson() const
{
    Json object{{"done", true},         {"status", status}, {"kernels", kernels}, {"launches", launches},
                {"evidence", evidence}, {"build", build},   {"device", device},   {"log", log.substr(0, mostLog)}};
    object["checks"] = Json::array();
    for (const Check &check : checks)
        object["checks"].push_back({{"name", check.name}, {"outcome", check.outcome}, {"detail", check.detail}});
    object["findings"] = Json::array();
    for (const Finding &finding : findings)
        object["findings"].push_back({{"kind", finding.kind}, {"message", finding.message}, {"fatal", true}});
    object["timings"] = Json::array();
    for (const Timing &timing : timings)
        object["timings"].push_back(cuda::toJson(timing));
    return object;
}

} // namespace kernelskill::cuda
