// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kernelskill::cuda {

// The program's, as in plugin/metadata.json. A worker on another machine may be older than the evaluator that asks it.
inline constexpr const char *workerVersion = "0.1.0";

} // namespace kernelskill::cuda
