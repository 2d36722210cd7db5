// SPDX-License-Identifier: Apache-2.0
// What the evaluator asks the worker to do.
#pragma once

#include "kit/work_order.h"

#include <nlohmann/json.hpp>

#include <expected>
#include <string>
#include <vector>

namespace kernelskill::simulator {

using kit::Binding;
using kit::CheckCase;
using kit::ParameterSpec;
using kit::TimeCase;

struct WorkRequest : kit::WorkOrder
{
    std::string gpuFile;
    std::vector<std::string> ptx;
    std::string host, library;
    std::vector<std::string> readable;
    bool unconfined = false;
    std::string mode = "strict"; // or "kernelbench", "paper": whether fewer bits than promised are allowed
    double sessionWork = 30e6;   // thread instructions of checks that are worth one more session
    double sampleBudget = 0;     // thread instructions of a timed launch's blocks; 0: the worker's own figure
    int hostLimit_ms = 10'000;   // of one call, the candidate's own computing
    int stageLimit_ms = 60'000;  // all checks; and again all timings
    int cores = 0;               // sessions at work side by side, at most; 0: as many as the process may use cores

    [[nodiscard]] static std::expected<WorkRequest, std::string> parse(const nlohmann::json &object);
};

} // namespace kernelskill::simulator
