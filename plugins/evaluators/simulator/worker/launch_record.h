// SPDX-License-Identifier: Apache-2.0
// What one piece of device work of a call was and how long the model says it took.
#pragma once

#include "engine/launch_report.h"
#include "timing/time_model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernelskill::simulator {

struct LaunchRecord
{
    LaunchReport report;                // of the blocks that ran, all windows together
    ModelledLaunch modelled;            // of the whole grid
    std::vector<double> windowTimes_us; // the whole grid's time as each window alone would have it
    int repeats = 1;                    // launches of this shape, which are taken to cost the same
    double programTime_us = 0;          // of a program's launches of this shape, each modelled by itself
    int skipped = 0;                    // of these, not run even for what they write
    bool sampled = false;
};

// A copy or fill that a call asked for.
struct CopyRecord
{
    enum class Kind { Upload, Download, OnDevice, Fill, Allocation };
    Kind kind = Kind::Fill;
    std::uint64_t bytes = 0;
    double time_us = 0;
    std::uint64_t count = 1;
};

struct CallRecord
{
    std::vector<LaunchRecord> launches;
    std::vector<CopyRecord> copies;
    std::vector<Finding> findings;
    std::uint64_t launchCount = 0;
    bool failed = false;   // a fatal finding stopped a kernel
    double elapsed_us = 0; // of a program: its records are sums, so its clock is kept apart
    [[nodiscard]] double time_us() const;
    // Half width of the interval around time_us, from how far the windows disagree; at least a hundredth.
    [[nodiscard]] double uncertainty_us() const;
    [[nodiscard]] std::uint64_t bytes(CopyRecord::Kind kind) const;
};

} // namespace kernelskill::simulator
