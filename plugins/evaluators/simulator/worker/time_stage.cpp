// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

#include "worker/call_buffers.h"
#include "worker/report_merge.h"

#include <algorithm>
#include <chrono>

namespace kernelskill::simulator {

namespace {

// A call's one-time preparations (workspace, tables) are not what repeated use would cost.
bool prepared(const CallRecord &call)
{
    return call.bytes(CopyRecord::Kind::Upload) > 0 ||
           std::ranges::any_of(call.copies, [](const CopyRecord &c) { return c.kind == CopyRecord::Kind::Allocation; });
}

std::expected<void, std::string> prepare(CallBuffers &buffers, const WorkRequest &request, const TimeCase &one,
                                         bool poisoned)
{
    return one.inputFiles.empty() ? buffers.prepare(request, one.binding, one.seeds, poisoned)
                                  : buffers.prepare(request, one.binding, one.inputFiles, poisoned);
}

// Other inputs than the call before had, where there can be any: what was kept of it must be of no use.
std::expected<void, std::string> prepareAnew(CallBuffers &buffers, const WorkRequest &request, const TimeCase &one)
{
    return one.freshSeeds.empty() ? prepare(buffers, request, one, true)
                                  : buffers.prepare(request, one.binding, one.freshSeeds);
}

// Whether the work was done at the timed size too, as far as the blocks that ran can show it.
void checkTimedOutputs(const CallBuffers &buffers, const WorkRequest &request, const TimeCase &one,
                       const std::string &workName, const CallRecord &call, WorkResult &result)
{
    const bool sampled = std::ranges::any_of(call.launches, &LaunchRecord::sampled);
    double share = 1; // of the blocks that ran
    for (const LaunchRecord &launch : call.launches)
        share = std::min(share, static_cast<double>(launch.report.counters.blocks) *
                                    static_cast<double>(launch.repeats - launch.skipped) /
                                    static_cast<double>(std::max<std::uint64_t>(launch.report.blocksTotal, 1)) /
                                    static_cast<double>(launch.repeats));
    const bool skipped =
        std::ranges::any_of(call.launches, [](const LaunchRecord &launch) { return launch.skipped > 0; });
    // Where several launches ran in part, a later one read what an earlier one left out; where blocks add up with
    // atomics, those that did not run are missing from the sum: values prove nothing then.
    const bool adds = std::ranges::any_of(call.launches, [](const LaunchRecord &launch) {
        return launch.sampled && launch.report.counters.globalAtomic.requests > 0;
    });
    const bool comparable = !skipped && !adds && (!sampled || call.launchCount == 1);
    const auto written = buffers.compareWritten(request, comparable ? one.expectedFiles : std::vector<std::string>());
    if (!written) {
        result.skip(workName, written.error());
        return;
    }
    if (written->wrong)
        result.fail("outputs at size " + one.name, *written->wrong);
    else if (comparable && !one.expectedFiles.empty()) {
        result.pass("outputs at size " + one.name, sampled ? "of the blocks that ran" : "");
        addNorms("size " + one.name, written->norms, result);
    }
    const std::string shares = std::to_string(static_cast<int>(written->share * 100)) +
                               " % of the outputs were written by " + std::to_string(static_cast<int>(share * 100)) +
                               " % of the blocks";
    if (written->share < 0.3 * share)
        result.fail(workName, shares);
    else
        result.pass(workName, shares);
}

// One size: the time model's record of a call, or a reason why there is none.
std::expected<CallRecord, std::string> timeSize(CandidateSession &checked, const WorkRequest &request,
                                                const GpuModel &gpu, const TimeCase &one, WorkResult &result)
{
    ExecutionModel execution;
    ServeMode mode = ServeMode::Sample;
    {
        CallBuffers buffers(checked.device(), checked.server());
        if (const auto ready = prepare(buffers, request, one, false); !ready) return std::unexpected(ready.error());
        const auto learnt = checked.call(buffers.arguments(), ServeMode::Pilot, result);
        if (!learnt) return std::unexpected("the candidate did not survive a call at this size");
        // A kernel that stumbles over what sampled blocks left unwritten must see all of it.
        if (learnt->failed) mode = ServeMode::Full;
        execution = gpu.executionModel(checked.server().leastResidentShare());
    }
    for (;;) {
        CandidateSession session(request, gpu, execution);
        session.server().adoptCosts(checked.server());
        WorkResult local;
        if (!session.start(local)) return std::unexpected("the candidate's process did not start a second time");
        CallBuffers buffers(session.device(), session.server());
        if (const auto ready = prepare(buffers, request, one, true); !ready) return std::unexpected(ready.error());
        auto call = session.call(buffers.arguments(), mode, local);
        WorkResult outputs;
        if (call && !call->failed) checkTimedOutputs(buffers, request, one, "work at size " + one.name, *call, outputs);
        CallBuffers others(session.device(), session.server());
        if (call && !call->failed && prepared(*call)) {
            if (const auto ready = prepareAnew(others, request, one); !ready) return std::unexpected(ready.error());
            session.device().flushCaches();
            call = session.call(others.arguments(), mode, local);
            if (call && !call->failed) {
                TimeCase unknown = one; // nobody made references for these inputs
                unknown.expectedFiles.clear();
                checkTimedOutputs(others, request, unknown, "work at size " + one.name + ", prepared", *call, outputs);
            }
        }
        if (session.workedOutside())
            outputs.fail("work inside the timed call",
                         "device work was asked for before solve was called or after it returned");
        session.finish(local);
        if (call && !call->failed) {
            result.take(std::move(outputs));
            return std::move(*call);
        }
        if (mode == ServeMode::Full || (call && std::ranges::any_of(call->launches, &LaunchRecord::sampled) == false)) {
            add(result.findings, call ? call->findings : local.findings);
            return std::unexpected(call && !call->findings.empty()
                                       ? call->findings.front().message
                                       : std::string("the candidate did not survive a timed call"));
        }
        mode = ServeMode::Full;
        execution = gpu.executionModel();
    }
}

} // namespace

void timeCandidate(CandidateSession &session, const WorkRequest &request, const GpuModel &gpu, const Progress &progress,
                   WorkResult &result)
{
    const int total = static_cast<int>(request.times.size());
    for (int i = 0; i < total; ++i) {
        const TimeCase &one = request.times[static_cast<std::size_t>(i)];
        progress("timing", i, total);
        const auto call = timeSize(session, request, gpu, one, result);
        if (!call) {
            result.skip("timing " + one.name, call.error());
            continue;
        }
        TimingResult timing{one.name, one.weight, call->time_us(), 0, 0, {}};
        const double half = call->uncertainty_us();
        timing.low_us = timing.time_us - half;
        timing.high_us = timing.time_us + half;
        timing.samples_us = {timing.time_us};
        result.timings.push_back(std::move(timing));
        if (result.kernels.empty()) {
            result.kernels = kernelProfiles(*call);
            result.launchCount = call->launchCount;
        }
    }
    progress("timing", total, total);
}

} // namespace kernelskill::simulator
