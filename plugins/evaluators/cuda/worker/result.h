// SPDX-License-Identifier: Apache-2.0
// What the worker found out about a candidate, on its way to the evaluator (core/evaluation/worker_answer.h).
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace kernelskill::cuda {

// stage, done, total, and a sentence where there is more to say
using Progress = std::function<void(const std::string &, int, int, const std::string &)>;

struct Check
{
    std::string name, outcome, detail; // outcome: "passed", "failed", "not made"
};

struct Finding
{
    std::string kind, message;
};

struct Timing
{
    std::string name;
    double weight = 1, time_us = 0, low_us = 0, high_us = 0;
    std::vector<double> samples_us;
    double overBaseline = 0, overBaselineLow = 0, overBaselineHigh = 0;
    double host_us = 0;
};

struct Result
{
    std::string status = "ok"; // "build_failed", "timeout", "crashed"
    std::vector<Check> checks;
    std::vector<Finding> findings;
    std::vector<Timing> timings;
    nlohmann::json kernels = nlohmann::json::array();
    std::uint64_t launches = 0;
    nlohmann::json evidence = nlohmann::json::object();
    nlohmann::json build = nlohmann::json::object();
    nlohmann::json device = nlohmann::json::object();
    std::string log;
    std::string trouble; // of the surroundings, not the candidate: the evaluation is void

    void pass(const std::string &name, const std::string &detail = {}) { checks.push_back({name, "passed", detail}); }
    void fail(const std::string &name, const std::string &detail) { checks.push_back({name, "failed", detail}); }
    void skip(const std::string &name, const std::string &why) { checks.push_back({name, "not made", why}); }
    [[nodiscard]] bool hasFailed() const;
    [[nodiscard]] nlohmann::json toJson() const;
};

} // namespace kernelskill::cuda
