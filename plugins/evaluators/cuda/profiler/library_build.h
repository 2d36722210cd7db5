// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kernelskill::cuda {

struct ProfilingLibrary
{
    std::string path;    // for KERNELSKILL_PROFILE_LIBRARY; empty when there is none
    std::string problem; // why, in a sentence
};

// Built by cupti/build.sh in `sources` unless the cache has it: 2 s with 16 cores, and then at once. Without `cuda` the
// toolkit is that of CUDA_HOME or /usr/local/cuda. Whoever runs in a sandbox must see the library and the toolkit.
[[nodiscard]] ProfilingLibrary profilingLibrary(const std::string &sources, const std::string &cache,
                                                const std::string &cuda = {});

} // namespace kernelskill::cuda
