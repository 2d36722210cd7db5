// SPDX-License-Identifier: Apache-2.0
// Fork and exec with everything prepared beforehand: what runs between the two is safe in a program with threads.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kernelskill::kit::internal {

struct ChildStart
{
    std::vector<std::string> arguments; // the first is the program's path
    std::vector<std::string> environment; // NAME=value
    std::vector<std::pair<int, int>> descriptors; // (ours, theirs); everything else is closed
    std::string workingFolder; // empty: unchanged
    std::uint64_t cpu_s = 0, fileBytes = 0, openFiles = 0; // rlimits; core files are always off
};

// The child's id, in a process group of its own; −1 with `error` set. The child dies with the calling thread.
[[nodiscard]] pid_t startChild(const ChildStart &start, std::string &error);

} // namespace kernelskill::kit::internal
