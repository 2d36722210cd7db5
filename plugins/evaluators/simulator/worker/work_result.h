// SPDX-License-Identifier: Apache-2.0
// What the worker found out about a candidate, on its way to the evaluator.
#pragma once

#include "kit/precision.h"
#include "kit/work_answer.h"
#include "timing/hot_spots.h"
#include "worker/launch_record.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace kernelskill::simulator {

using kit::TimingResult;

struct WorkResult : kit::WorkAnswer
{
    std::vector<Finding> findings;
    kit::PrecisionRecord precision;

    void append(WorkResult &&part); // what a part of the work found out, other than timings and kernels
    // Adds the check "precision", for a candidate whose outputs were right.
    void concludePrecision(const std::string &mode);
    [[nodiscard]] nlohmann::json toJson() const;
};

// One row a kernel, in the order of first launch, with the metrics of its longest launch.
[[nodiscard]] nlohmann::json kernelProfiles(const CallRecord &call);

} // namespace kernelskill::simulator
