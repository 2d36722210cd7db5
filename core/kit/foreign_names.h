// SPDX-License-Identifier: Apache-2.0
// Whether a candidate's library or object file defines functions that belong to others: the CUDA run time, clocks,
// comparisons. No kernel needs to; a program that does wants somebody to call them in its process.
#pragma once

#include <string>
#include <vector>

namespace kernelskill::kit {

// Names of such functions that the shared library defines for others to use, or that the object file defines for
// whatever it is linked with, sorted. False with `error` set when the file cannot be read. A library that was linked
// with a static CUDA run time defines that one's functions: ask of the candidate's object file or link the shared one.
[[nodiscard]] bool foreignNames(const std::string &path, std::vector<std::string> &names, std::string &error);

// "cudaEventRecord", "cuLaunchKernel", "clock_gettime", "memcmp": taken by the CUDA run time, the driver or the C
// library.
[[nodiscard]] bool isForeignName(const std::string &name);

} // namespace kernelskill::kit
