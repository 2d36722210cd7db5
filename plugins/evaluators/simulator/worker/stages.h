// SPDX-License-Identifier: Apache-2.0
// The worker's two stages: is the candidate right, and how long would a GPU take for it.
#pragma once

#include "timing/gpu_model.h"
#include "worker/candidate_session.h"
#include "worker/request.h"
#include "worker/work_result.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kernelskill::simulator {

// stage, done, total
using Progress = std::function<void(const std::string &, int, int)>;

// What the sessions' processes wrote to their standard outputs and errors.
struct CheckLogs
{
    bool firstCounts = true;         // the first session's belongs into the log, with what it still writes
    std::vector<std::string> others; // in the order of their first cases
};

// Every block of every launch, every output, at every case. Cases are dealt to chains (checkChains) once the first one has
// shown how much work there is; one process and one device serve all cases of a chain, so that what a candidate keeps from
// one call meets the other inputs of the next. Sessions run chains side by side, as many as there are cores for, and share
// the memory that a candidate may have. `first` has been started; it runs the first chain and may be used further when all
// went well, and is another session then where its share was too little.
//
// The answer is that of one session after the other: of a case that ended its process nothing later counts, however far
// other sessions have come, and those are stopped. A chain for which its share of memory is too little runs again, alone
// and with all of it, when the others are through.
CheckLogs checkCandidate(std::unique_ptr<CandidateSession> &first, const WorkRequest &request, const GpuModel &gpu,
                         const Progress &progress, WorkResult &result);

// Modelled times at the time sizes. `session` is one that was checked: it learns what blocks cost; each size is then
// timed on a device whose caches fit the sample, by a process that was never told it is not being checked.
// Learning goes one size after the other; the timing itself side by side, which does not change results: sizes share
// nothing. Again, a size for which its share of memory is too little is timed alone when the others are through.
void timeCandidate(CandidateSession &session, const WorkRequest &request, const GpuModel &gpu, const Progress &progress,
                   WorkResult &result);

} // namespace kernelskill::simulator
