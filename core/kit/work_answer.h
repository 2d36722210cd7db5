// SPDX-License-Identifier: Apache-2.0
// What a worker found out about a candidate: the part of its last message that is the same for every worker. Read by
// core/evaluation/worker_answer.cpp.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace kernelskill::kit {

struct CheckResult
{
    std::string name, outcome, detail; // outcome: "passed", "failed", "not made"
};

struct TimingResult
{
    std::string name;
    double weight = 1, time_us = 0, low_us = 0, high_us = 0;
    std::vector<double> samples_us;
    double overBaseline = 0, overBaselineLow = 0, overBaselineHigh = 0; // 0: not timed in turn with the baseline
    double host_us = 0;                                                 // 0: not measured
};

struct WorkAnswer
{
    std::string status = "ok"; // "build_failed", "timeout", "crashed"
    std::vector<CheckResult> checks;
    std::vector<TimingResult> timings;
    nlohmann::json kernels = nlohmann::json::array(); // of the first time size
    std::uint64_t launches = 0;
    nlohmann::json evidence = nlohmann::json::object();
    std::string log;
    std::string trouble; // of the surroundings, not the candidate: the evaluation is void

    void pass(const std::string &name, const std::string &detail = {}) { checks.push_back({name, "passed", detail}); }
    void fail(const std::string &name, const std::string &detail) { checks.push_back({name, "failed", detail}); }
    void skip(const std::string &name, const std::string &why) { checks.push_back({name, "not made", why}); }
    [[nodiscard]] bool hasFailed() const;
    // {"done": true, …} without what only one kind of worker has: its findings among it.
    [[nodiscard]] nlohmann::json toJson() const;
};

} // namespace kernelskill::kit
