// SPDX-License-Identifier: Apache-2.0
// The supervisor's kernels (plugins/evaluators/cuda/worker/supervisor_kernels.cu) as host functions.
#pragma once

namespace kernelskill::standin {

using Kernel = void (*)(void **arguments);          // pointers at the values, as cuLaunchKernel takes them
[[nodiscard]] Kernel kernelNamed(const char *name); // null when there is none

} // namespace kernelskill::standin
