// SPDX-License-Identifier: Apache-2.0
#include "check_case.h"

#include "worker/report_merge.h"

#include <algorithm>
#include <numeric>

namespace kernelskill::simulator {

namespace {

bool hasFatal(const CallRecord &call, std::string_view kind)
{
    return std::ranges::any_of(call.findings, [&](const Finding &f) { return f.fatal && f.kind == kind; });
}

void judgeOutputs(const CallBuffers &buffers, const WorkRequest &request, const CheckCase &one, const CallRecord &call,
                  WorkResult &result)
{
    const auto outputs = buffers.compareOutputs(request, one.expectedFiles);
    if (!outputs)
        result.skip(one.name, outputs.error());
    else if (outputs->wrong) {
        // outputs are wrong because a launch was refused: the candidate failed, it did not compute something wrong
        const auto refused =
            std::ranges::find_if(call.findings, [](const Finding &f) { return f.kind == "illegal_launch"; });
        if (refused != call.findings.end()) result.status = "crashed";
        result.fail(one.name, refused != call.findings.end() ? place(*refused) : *outputs->wrong);
    } else {
        result.pass(one.name);
        if (one.variant == "random") addNorms(one.name, outputs->norms, result);
    }
}

void judgeCall(const CallBuffers &buffers, const WorkRequest &request, const CheckCase &one, const CallRecord &call,
               CaseOutcome &outcome)
{
    WorkResult &result = outcome.found;
    if (call.failed && hasFatal(call, "endless_loop")) result.status = "timeout";
    if (call.failed && hasFatal(call, "unsupported_instruction")) result.status = "crashed";
    const auto spoiling = std::ranges::find_if(call.findings, spoilsOutputs);
    if (spoiling != call.findings.end()) {
        result.fail(one.name, place(*spoiling));
        outcome.endedProcess = call.failed;
        return;
    }
    if (const auto changed = buffers.changedInput()) outcome.changedInput = one.name + ": " + *changed;
    if (one.outputFiles.empty()) {
        judgeOutputs(buffers, request, one, call, result);
        return;
    }
    // whoever asked for the files judges them
    if (const auto saved = buffers.save(one.outputFiles); !saved) result.skip(one.name, saved.error());
}

} // namespace

bool spoilsOutputs(const Finding &finding)
{
    return finding.fatal || finding.kind == "out_of_bounds" || finding.kind == "misaligned" || finding.kind == "race" ||
           finding.kind == "divergent_barrier";
}

std::string place(const Finding &finding)
{
    std::string text = finding.kind;
    if (!finding.kernel.empty()) text += " in " + finding.kernel;
    if (finding.line > 0) text += " at line " + std::to_string(finding.line);
    return text + ": " + finding.message;
}

void addNorms(const std::string &name, const std::vector<CallBuffers::ErrorNorm> &norms, WorkResult &result)
{
    for (const CallBuffers::ErrorNorm &norm : norms)
        result.precision.add(name, *kit::findDtype(norm.dtype), norm.value);
}

std::expected<CallBuffers *, std::string> CaseBuffers::prepare(const WorkRequest &request, const CheckCase &one)
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

CaseOutcome runCase(CandidateSession &session, const WorkRequest &request, const CheckCase &one, CaseBuffers &prepared)
{
    CaseOutcome outcome;
    const auto ready = prepared.prepare(request, one);
    if (!ready) {
        outcome.found.skip(one.name, ready.error());
        return outcome;
    }
    const CallBuffers &buffers = **ready;
    if (session.worksOn()) {
        outcome.found.fail(one.name, "a thread of the candidate was still at work after the call before had returned");
        outcome.endedProcess = true;
        return outcome;
    }
    const std::optional<CallRecord> call = session.call(buffers.arguments(), ServeMode::Check, outcome.found);
    outcome.printed = session.device().takeOutput();
    if (!call) {
        const std::vector<Finding> &findings = outcome.found.findings;
        outcome.found.fail(one.name, findings.empty() ? "the call did not return" : findings.back().message);
        outcome.endedProcess = true;
        return outcome;
    }
    outcome.launches = call->launchCount;
    for (const LaunchRecord &launch : call->launches) {
        const auto &counts = launch.report.counters.threadInstructions;
        outcome.threadInstructions += std::accumulate(counts.begin(), counts.end(), std::uint64_t(0));
    }
    outcome.findings = call->findings;
    // Inputs came to the host and as much as the outputs went back: the host did the work.
    outcome.hostComputes = call->bytes(CopyRecord::Kind::Upload) >= buffers.outputBytes() &&
                           call->bytes(CopyRecord::Kind::Download) >= buffers.inputBytes() &&
                           buffers.outputBytes() > 64;
    judgeCall(buffers, request, one, *call, outcome);
    return outcome;
}

} // namespace kernelskill::simulator
