// SPDX-License-Identifier: Apache-2.0
// The worker's two stages: is the candidate right, and how long would a GPU take for it.
#pragma once

#include "timing/gpu_model.h"
#include "worker/call_buffers.h"
#include "worker/candidate_session.h"
#include "worker/request.h"
#include "worker/work_result.h"

#include <functional>
#include <string>

namespace kernelskill::simulator {

// stage, done, total
using Progress = std::function<void(const std::string &, int, int)>;

void addNorms(const std::string &name, const std::vector<CallBuffers::ErrorNorm> &norms, WorkResult &result);

// Every block of every launch, every output, at every case. One process and one device serve all cases, so that what a
// candidate keeps from one call meets the other inputs of the next. `session` may be used further when all went well.
void checkCandidate(CandidateSession &session, const WorkRequest &request, const Progress &progress,
                    WorkResult &result);

// Modelled times at the time sizes. `session` is the one that was checked: it learns what blocks cost; each size is
// then timed on a device whose caches fit the sample, by a process that was never told it is not being checked.
// Learning goes one size after the other; the timing itself side by side, with as many threads as there are cores, which
// does not change results: sizes share nothing.
void timeCandidate(CandidateSession &session, const WorkRequest &request, const GpuModel &gpu, const Progress &progress,
                   WorkResult &result);

} // namespace kernelskill::simulator
