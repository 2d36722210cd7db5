// SPDX-License-Identifier: Apache-2.0
// Shared by the files that implement confine.h; nobody else includes it.
#pragma once

#include <string>

namespace kernelskill::kit::internal {

// "socket" for a system call's number on this architecture.
[[nodiscard]] std::string systemCallName(int number);

// The program as the child will find it: absolute, or looked up in the child's PATH. Empty when there is none.
[[nodiscard]] std::string findProgram(const std::string &program);

inline constexpr char childPath[] = "/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

} // namespace kernelskill::kit::internal
