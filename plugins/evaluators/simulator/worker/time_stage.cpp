// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

#include "kit/usable_cores.h"
#include "worker/check_case.h"
#include "worker/report_merge.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

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

int sessionsSideBySide(const WorkRequest &request)
{
    const int cores = request.cores > 0 ? request.cores : kit::usableCores();
    return std::clamp(cores, 1, std::max(1, static_cast<int>(request.times.size())));
}

// One size on its way: learnt one after the other with the checked process, then timed with a process of its own, which
// has nothing to do with the other sizes'.
struct TimedSize
{
    const TimeCase *one = nullptr;
    std::unique_ptr<CandidateSession> session;
    ServeMode mode = ServeMode::Sample;
    double residentShare = 1; // see GpuModel::executionModel
    bool runsAgain = false;   // its share of the memory was too little
    std::expected<CallRecord, std::string> call = std::unexpected(std::string());
    WorkResult result; // what there is to say about this size
};

std::unique_ptr<CandidateSession> newSession(const WorkRequest &request, const GpuModel &gpu, const TimedSize &size,
                                             const DeviceServer &learnt, int share)
{
    auto session =
        std::make_unique<CandidateSession>(request, gpu, gpu.executionModel(size.residentShare), share);
    session->server().adoptCosts(learnt);
    return session;
}

void learn(CandidateSession &checked, const WorkRequest &request, const GpuModel &gpu, TimedSize &size)
{
    CallBuffers buffers(checked.device(), checked.server());
    if (const auto ready = prepare(buffers, request, *size.one, false); !ready) {
        size.call = std::unexpected(ready.error());
        return;
    }
    const auto learnt = checked.call(buffers.arguments(), ServeMode::Pilot, size.result);
    if (!learnt) {
        size.call = std::unexpected("the candidate did not survive a call at this size");
        return;
    }
    size.residentShare = checked.server().leastResidentShare();
    // A kernel that stumbles over what sampled blocks left unwritten must see all of it.
    if (learnt->failed) size.mode = ServeMode::Full;
    size.session = newSession(request, gpu, size, checked.server(), sessionsSideBySide(request));
}

// The time model's record of a call, or a reason why there is none. Empty: another try, with all blocks, is due.
std::optional<std::expected<CallRecord, std::string>> timeOnce(const WorkRequest &request, TimedSize &size)
{
    CandidateSession &session = *size.session;
    WorkResult local;
    if (!session.start(local)) return std::unexpected("the candidate's process did not start a second time");
    const std::string workName = "work at size " + size.one->name;
    CallBuffers buffers(session.device(), session.server());
    if (const auto ready = prepare(buffers, request, *size.one, true); !ready) return std::unexpected(ready.error());
    auto call = session.call(buffers.arguments(), size.mode, local);
    WorkResult outputs;
    if (call && !call->failed) checkTimedOutputs(buffers, request, *size.one, workName, *call, outputs);
    CallBuffers others(session.device(), session.server());
    if (call && !call->failed && prepared(*call)) {
        if (const auto ready = prepareAnew(others, request, *size.one); !ready) return std::unexpected(ready.error());
        session.device().flushCaches();
        call = session.call(others.arguments(), size.mode, local);
        if (call && !call->failed) {
            TimeCase unknown = *size.one; // nobody made references for these inputs
            unknown.expectedFiles.clear();
            checkTimedOutputs(others, request, unknown, workName + ", prepared", *call, outputs);
        }
    }
    if (session.workedOutside())
        outputs.fail("work inside the timed call",
                     "device work was asked for before solve was called or after it returned");
    session.finish(local);
    if (call && !call->failed) {
        size.result.append(std::move(outputs));
        return std::move(*call);
    }
    if (size.mode != ServeMode::Full && !(call && std::ranges::none_of(call->launches, &LaunchRecord::sampled)))
        return std::nullopt;
    add(size.result.findings, call ? call->findings : local.findings);
    return std::unexpected(call && !call->findings.empty() ? call->findings.front().message
                                                           : std::string("the candidate did not survive a timed call"));
}

void timeSize(const WorkRequest &request, const GpuModel &gpu, TimedSize &size, int share)
{
    const WorkResult learnt = size.result;
    auto call = timeOnce(request, size);
    if (!call && !size.session->lacksRoom()) {
        size.mode = ServeMode::Full;
        size.residentShare = 1;
        size.session = newSession(request, gpu, size, size.session->server(), share);
        call = timeOnce(request, size);
    }
    size.runsAgain = size.session->lacksRoom();
    if (size.runsAgain) {
        size.result = learnt;
        size.session = newSession(request, gpu, size, size.session->server(), 1);
        return;
    }
    size.call = std::move(*call);
    size.session.reset();
}

// Side by side; `ended` is called as each is through, by one thread at a time.
template <class Ended>
void timeSizes(const WorkRequest &request, const GpuModel &gpu, std::vector<TimedSize> &sizes, Ended &&ended)
{
    const int share = sessionsSideBySide(request);
    std::atomic<std::size_t> next = 0;
    std::mutex ending;
    const auto work = [&] {
        for (std::size_t i = next++; i < sizes.size(); i = next++) {
            if (sizes[i].session) timeSize(request, gpu, sizes[i], share);
            if (sizes[i].runsAgain) continue;
            const std::lock_guard lock(ending);
            ended();
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int i = 1; i < share; ++i)
            threads.emplace_back(work);
        work();
    }
    for (TimedSize &size : sizes) {
        if (!size.runsAgain) continue;
        timeSize(request, gpu, size, 1);
        ended();
    }
}

} // namespace

void timeCandidate(CandidateSession &session, const WorkRequest &request, const GpuModel &gpu, const Progress &progress,
                   WorkResult &result)
{
    const int total = static_cast<int>(request.times.size());
    std::vector<TimedSize> sizes(request.times.size());
    progress("timing", 0, total);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        sizes[i].one = &request.times[i];
        learn(session, request, gpu, sizes[i]);
    }
    int done = 0;
    timeSizes(request, gpu, sizes, [&] { progress("timing", ++done, total); });
    for (TimedSize &size : sizes) {
        result.append(std::move(size.result));
        const auto &call = size.call;
        if (!call) {
            result.skip("timing " + size.one->name, call.error());
            continue;
        }
        TimingResult timing{size.one->name, size.one->weight, call->time_us(), 0, 0, {}};
        const double half = call->uncertainty_us();
        timing.low_us = timing.time_us - half;
        timing.high_us = timing.time_us + half;
        timing.samples_us = {timing.time_us};
        result.timings.push_back(std::move(timing));
        if (result.kernels.empty()) {
            result.kernels = kernelProfiles(*call);
            result.launches = call->launchCount;
        }
    }
}

} // namespace kernelskill::simulator
