// SPDX-License-Identifier: Apache-2.0
// What went wrong with a profiler, in one sentence with its remedy. The evaluation goes on with what there is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelskill::cuda {

// Of a profiler's exit status (127: no such program) and what it printed, or of CUPTI's error name. Empty when nothing
// went wrong.
[[nodiscard]] std::string explainProfiler(int status, std::string_view text);

// There is no such program where the candidate runs.
[[nodiscard]] std::string explainMissingNcu();

// Of cupti/build.sh.
[[nodiscard]] std::string explainLibraryBuild(int status, std::string_view text);

// Names at most four of each; empty when nothing is missing.
[[nodiscard]] std::string explainMissingCounters(const std::vector<std::string> &withoutValue,
                                                 const std::vector<std::string> &unknownNames);

} // namespace kernelskill::cuda
