// SPDX-License-Identifier: Apache-2.0
// What the worker found out about a candidate, on its way to the evaluator (core/evaluation/worker_answer.h).
#pragma once

#include "kit/work_answer.h"

#include <functional>
#include <string>
#include <vector>

namespace kernelskill::cuda {

// stage, done, total, and a sentence where there is more to say
using Progress = std::function<void(const std::string &, int, int, const std::string &)>;

struct Finding
{
    std::string kind, message;
};

struct Result : kit::WorkAnswer
{
    std::vector<Finding> findings;
    nlohmann::json build = nlohmann::json::object();
    nlohmann::json device = nlohmann::json::object();

    [[nodiscard]] nlohmann::json toJson() const;
};

} // namespace kernelskill::cuda
