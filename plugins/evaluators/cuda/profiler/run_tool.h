// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kernelskill::cuda {

struct ToolRun
{
    int status = -1; // as a shell has it: 127 for no such program, 128 + n for signal n
    std::string output, errors;
};

// Runs a program to its end without a shell. It is killed when it takes longer.
[[nodiscard]] ToolRun runTool(const std::vector<std::string> &arguments, int limit_s);

} // namespace kernelskill::cuda
