// SPDX-License-Identifier: Apache-2.0
// Nsight Compute as a source of rows: run on the candidate's process, or read from a report somebody brings.
#pragma once

#include "launch_row.h"

#include <string>
#include <string_view>
#include <vector>

namespace kernelskill::cuda {

enum class NcuSet {
    Policy, // policyCounters(), about 3 s a candidate
    Full    // all that ncu has, about 6 s and 38 passes a kernel
};

// ncu and its arguments before the program's own. The program must mark what to profile with cuProfilerStart() and
// cuProfilerStop(). Every kernel is repeated on its own with empty caches, so data that one kernel leaves in the L2 for
// the next is not found there, unlike with CUPTI; nodes of graphs are rows of their own.
[[nodiscard]] std::vector<std::string> ncuArguments(NcuSet set, const std::string &ncu = "ncu");

// "ncu 2025.3.1.0", by asking it; empty when it does not say.
[[nodiscard]] std::string ncuVersion(const std::string &ncu = "ncu");

// Of "--page raw --csv", in any units. What ncu printed around it is skipped; without a table there is a problem.
[[nodiscard]] RawProfile parseNcuCsv(std::string_view text);

// A ".ncu-rep" file through ncu where that is installed.
[[nodiscard]] RawProfile importReport(const std::string &path, const std::string &ncu = "ncu");

} // namespace kernelskill::cuda
