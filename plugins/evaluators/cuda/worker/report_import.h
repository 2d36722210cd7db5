// SPDX-License-Identifier: Apache-2.0
// A profile that somebody made elsewhere, as one of our own.
#pragma once

#include "result.h"

namespace kernelskill::cuda {

// The kernels of a ".ncu-rep" file (an absolute path) with all their counters, through this machine's ncu. Gives up with a sentence and its
// remedy where there is no ncu, or no report it can read.
[[nodiscard]] Result importedReport(const std::string &path);

} // namespace kernelskill::cuda
