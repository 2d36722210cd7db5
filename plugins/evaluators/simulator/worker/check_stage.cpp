// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

#include "worker/call_buffers.h"
#include "worker/report_merge.h"

#include <algorithm>
#include <chrono>

namespace kernelskill::simulator {

namespace {

// Findings after which the outputs prove nothing, however right they look: another schedule would give others.
bool spoilsOutputs(const Finding &finding)
{
    return finding.fatal || finding.kind == "out_of_bounds" || finding.kind == "misaligned" || finding.kind == "race" ||
           finding.kind == "divergent_barrier";
}

// Findings that no correct program shows even when its outputs are right.
bool isHazard(const Finding &finding)
{
    return finding.kind == "uninitialised_read" || finding.kind == "invalid_free" || finding.kind == "missing_syncwarp";
}

std::string place(const Finding &finding)
{
    std::string text = finding.kind;
    if (!finding.kernel.empty()) text += " in " + finding.kernel;
    if (finding.line > 0) text += " at line " + std::to_string(finding.line);
    return text + ": " + finding.message;
}

struct Totals
{
    std::uint64_t launches = 0;
    bool hostComputes = false;
    std::optional<std::string> changedInput;
    std::vector<Finding> findings;
};

// The buffers of successive cases: every second one finds the addresses of the one before with other contents, every
// other finds new addresses. What is kept by address, and what remembers addresses, both give wrong outputs.
class CaseBuffers
{
public:
    explicit CaseBuffers(CandidateSession &session) : m_session(session) {}
    std::expected<CallBuffers *, std::string> prepare(const WorkRequest &request, const CheckCase &one)
    {
        if (m_buffers && !m_reused && m_binding == one.binding) {
            m_reused = true;
            if (const auto ready = m_buffers->refill(one.inputFiles); !ready) return std::unexpected(ready.error());
            return m_buffers.get();
        }
        auto fresh = std::make_unique<CallBuffers>(m_session.device(), m_session.server());
        if (const auto ready = fresh->prepare(request, one.binding, one.inputFiles); !ready)
            return std::unexpected(ready.error());
        m_buffers = std::move(fresh);
        m_binding = one.binding;
        m_reused = false;
        return m_buffers.get();
    }

private:
    CandidateSession &m_session;
    std::unique_ptr<CallBuffers> m_buffers;
    Binding m_binding;
    bool m_reused = false;
};

// False when no further case can be run.
bool runCase(CandidateSession &session, const WorkRequest &request, const CheckCase &one, CaseBuffers &prepared,
             Totals &totals, WorkResult &result)
{
    const auto ready = prepared.prepare(request, one);
    if (!ready) {
        result.skip(one.name, ready.error());
        return true;
    }
    const CallBuffers &buffers = **ready;
    if (session.worksOn()) {
        result.fail(one.name, "a thread of the candidate was still at work after the call before had returned");
        return false;
    }
    const std::optional<CallRecord> call = session.call(buffers.arguments(), ServeMode::Check, result);
    if (!call) {
        result.fail(one.name, result.findings.empty() ? "the call did not return" : result.findings.back().message);
        return false;
    }
    totals.launches += call->launchCount;
    add(totals.findings, call->findings);
    // Inputs came to the host and as much as the outputs went back: the host did the work.
    totals.hostComputes = totals.hostComputes || (call->bytes(CopyRecord::Kind::Upload) >= buffers.outputBytes() &&
                                                  call->bytes(CopyRecord::Kind::Download) >= buffers.inputBytes() &&
                                                  buffers.outputBytes() > 64);
    const auto spoiling = std::ranges::find_if(call->findings, spoilsOutputs);
    if (call->failed) {
        if (std::ranges::any_of(call->findings, [](const Finding &f) { return f.fatal && f.kind == "endless_loop"; }))
            result.status = "timeout";
        if (std::ranges::any_of(call->findings,
                                [](const Finding &f) { return f.fatal && f.kind == "unsupported_instruction"; }))
            result.status = "crashed";
    }
    if (spoiling != call->findings.end()) {
        result.fail(one.name, place(*spoiling));
        return !call->failed;
    }
    if (!totals.changedInput) {
        if (const auto changed = buffers.changedInput()) totals.changedInput = one.name + ": " + *changed;
    }
    if (!one.outputFiles.empty()) {
        if (const auto saved = buffers.save(one.outputFiles); !saved) result.skip(one.name, saved.error());
        return true; // whoever asked for the files judges them
    }
    const auto outputs = buffers.compareOutputs(request, one.expectedFiles);
    if (!outputs)
        result.skip(one.name, outputs.error());
    else if (outputs->wrong) {
        // outputs are wrong because a launch was refused: the candidate failed, it did not compute something wrong
        const auto refused =
            std::ranges::find_if(call->findings, [](const Finding &f) { return f.kind == "illegal_launch"; });
        if (refused != call->findings.end()) result.status = "crashed";
        result.fail(one.name, refused != call->findings.end() ? place(*refused) : *outputs->wrong);
    } else {
        result.pass(one.name);
        if (one.variant == "random") addNorms(one.name, outputs->norms, result);
    }
    return true;
}

void conclude(CandidateSession &session, const Totals &totals, bool complete, WorkResult &result)
{
    add(result.findings, totals.findings);
    if (!complete) return;
    if (totals.changedInput)
        result.fail("inputs unmodified", *totals.changedInput);
    else
        result.pass("inputs unmodified");
    if (totals.launches == 0)
        result.fail("work on the device", "solve launched no kernel: the outputs came from elsewhere");
    else if (totals.hostComputes)
        result.fail("work on the device",
                    "solve copied the inputs to the host and results back: the host did the work");
    else
        result.pass("work on the device");
    if (session.workedOutside())
        result.fail("work inside the call", "device work was asked for before solve was called or after it returned");
    else
        result.pass("work inside the call");
    const auto hazard = std::ranges::find_if(totals.findings, isHazard);
    if (hazard != totals.findings.end())
        result.fail("memory and synchronisation", place(*hazard));
    else if (std::ranges::none_of(totals.findings, spoilsOutputs))
        result.pass("memory and synchronisation", "no access out of bounds, no uninitialised read, no race");
}

} // namespace

void addNorms(const std::string &name, const std::vector<CallBuffers::ErrorNorm> &norms, WorkResult &result)
{
    for (const CallBuffers::ErrorNorm &norm : norms)
        result.precision.add(name, *kit::findDtype(norm.dtype), norm.value);
}

void checkCandidate(CandidateSession &session, const WorkRequest &request, const Progress &progress, WorkResult &result)
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(request.stageLimit_ms);
    const int total = static_cast<int>(request.checks.size());
    Totals totals;
    bool complete = true;
    CaseBuffers buffers(session);
    for (int i = 0; i < total; ++i) {
        const CheckCase &one = request.checks[static_cast<std::size_t>(i)];
        progress("checking", i, total);
        if (!complete) {
            result.skip(one.name, "an earlier failure ended the candidate's process");
        } else if (Clock::now() > deadline) {
            result.skip(one.name, "the time for checks was used up");
        } else {
            complete = runCase(session, request, one, buffers, totals, result);
        }
    }
    conclude(session, totals, complete, result);
    progress("checking", total, total);
}

} // namespace kernelskill::simulator
