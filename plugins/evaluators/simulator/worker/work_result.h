// SPDX-License-Identifier: Apache-2.0
// What the worker found out about a candidate, on its way to the evaluator.
#pragma once

#include "kit/precision.h"
#include "timing/hot_spots.h"
#include "worker/launch_record.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace kernelskill::simulator {

struct CheckResult
{
    std::string name, outcome, detail; // outcome: "passed", "failed", "not made"
};

struct TimingResult
{
    std::string name;
    double weight = 1, time_us = 0, low_us = 0, high_us = 0;
    std::vector<double> samples_us;
};

struct WorkResult
{
    std::string status = "ok"; // "timeout", "crashed"
    std::vector<CheckResult> checks;
    std::vector<Finding> findings;
    std::vector<TimingResult> timings;
    nlohmann::json kernels = nlohmann::json::array(); // of the first time size
    std::uint64_t launchCount = 0;
    kit::PrecisionRecord precision;
    nlohmann::json evidence = nlohmann::json::object();
    std::string log;
    std::string trouble; // of the surroundings, not the candidate: the evaluation is void

    void pass(const std::string &name, const std::string &detail = {}) { checks.push_back({name, "passed", detail}); }
    void fail(const std::string &name, const std::string &detail) { checks.push_back({name, "failed", detail}); }
    void skip(const std::string &name, const std::string &why) { checks.push_back({name, "not made", why}); }
    [[nodiscard]] bool hasFailed() const;
    void append(WorkResult &&part); // what a part of the work found out, other than timings and kernels
    // Adds the check "precision", for a candidate whose outputs were right.
    void concludePrecision(const std::string &mode);
    [[nodiscard]] nlohmann::json toJson() const;
};

// One row a kernel, in the order of first launch, with the metrics of its longest launch.
[[nodiscard]] nlohmann::json kernelProfiles(const CallRecord &call);

} // namespace kernelskill::simulator
