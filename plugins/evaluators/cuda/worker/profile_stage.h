// SPDX-License-Identifier: Apache-2.0
// What the candidate's kernels do, by counters. A process of its own runs it, so that nothing a profiler does touches
// what was checked and timed; and whatever goes wrong here says nothing against the candidate.
#pragma once

#include "machine.h"
#include "program_build.h"
#include "toolkit.h"

#include <string>

namespace kernelskill::cuda {

// At the first time size. Fills the result's kernels and launches, the check "profile", and the evidence "profile":
// {"source": "cupti", "ncu" or "cupti, ncu", "version", "why": a sentence, "remarks": [sentences], "passes", "seconds":
// {part: …}}. The request's profiler "auto" is CUPTI, and ncu for what CUPTI cannot see. Where the profiler tells
// kernels as binaries name them, there is also the check "kernels of its own": in every mode but "paper", `candidate`
// must define them all.
void profileCandidate(Machine &machine, const Request &request, HostCommand command, const Build &candidate,
                      const Toolkit &toolkit, const std::string &programFolder, const Progress &progress,
                      Result &result);

} // namespace kernelskill::cuda
