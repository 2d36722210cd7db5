// SPDX-License-Identifier: Apache-2.0
// One call of the candidate, in a process of its own, as each profiler sees it.
#pragma once

#include "machine.h"
#include "toolkit.h"

#include "profiler/launch_row.h"

#include <string>

namespace kernelskill::cuda {

struct Profiled
{
    RawProfile profile; // without launches when nothing was seen
    std::string why;    // then a sentence; the profile's problems may say more
};

// By the library that cupti/build.sh makes, loaded by the host.
[[nodiscard]] Profiled profileByCupti(Machine &machine, const Request &request, HostCommand command,
                                      const Toolkit &toolkit, const std::string &programFolder);

// ncu runs the host. `full`: everything ncu has. `ncu` is its path.
[[nodiscard]] Profiled profileByNcu(Machine &machine, const Request &request, HostCommand command,
                                    const Toolkit &toolkit, const std::string &ncu, bool full);

} // namespace kernelskill::cuda
