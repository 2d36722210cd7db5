// SPDX-License-Identifier: Apache-2.0
#include "candidate_session.h"

#include "worker/process_end.h"
#include "worker/report_merge.h"

#include <fstream>
#include <iterator>

namespace kernelskill::simulator {

namespace {

std::string readText(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

CandidateSession::CandidateSession(const WorkRequest &request, const GpuModel &gpu, const ExecutionModel &execution,
                                   int share)
    : m_request(request), m_device(execution), m_server(m_device, gpu), m_share(share)
{
    m_server.shareMemory(share);
    m_process.hostLimit = std::chrono::milliseconds(request.hostLimit_ms);
    if (request.sampleBudget > 0) {
        m_server.sampleBudget = request.sampleBudget;
        m_server.fullBudget = std::max(m_server.fullBudget, request.sampleBudget);
    }
}

bool CandidateSession::start(WorkResult &result)
{
    for (const std::string &path : m_request.ptx) {
        const std::string text = readText(path);
        result.precision.addCode(text);
        if (const auto loaded = m_server.load(text); !loaded) {
            Finding finding = processFinding("unsupported_instruction", loaded.error().message);
            finding.file = loaded.error().file;
            finding.line = loaded.error().line;
            result.findings.push_back(finding);
            result.status = "crashed";
            return false;
        }
    }
    CandidateCommand command;
    command.host = m_request.host;
    command.library = m_request.library;
    command.readable = m_request.readable;
    command.unconfined = m_request.unconfined;
    command.memoryBytes /= m_share;
    std::string error;
    if (!m_process.start(command, error)) {
        result.trouble = "the candidate's process could not be started: " + error;
        return false;
    }
    const auto outcome = m_process.waitReady([this](wire::Kind kind, wire::Reader &reader, wire::Writer &reply) {
        return m_server.handle(kind, reader, reply);
    });
    if (outcome == CandidateProcess::Outcome::Returned) return true;
    explain(outcome, result);
    return false;
}

std::optional<CallRecord> CandidateSession::call(const std::vector<std::vector<std::byte>> &arguments, ServeMode mode,
                                                 WorkResult &result)
{
    m_server.begin(mode);
    const auto outcome = m_process.call(arguments, [this](wire::Kind kind, wire::Reader &reader, wire::Writer &reply) {
        return m_server.handle(kind, reader, reply);
    });
    CallRecord record = m_server.end();
    if (outcome == CandidateProcess::Outcome::Returned) return record;
    add(result.findings, record.findings);
    explain(outcome, result);
    return std::nullopt;
}

bool CandidateSession::workedOutside()
{
    return m_server.outsideWork() > 0 || worksOn();
}

void CandidateSession::explain(CandidateProcess::Outcome outcome, WorkResult &result)
{
    switch (outcome) {
    case CandidateProcess::Outcome::Returned:
    case CandidateProcess::Outcome::Unwanted:
        return;
    case CandidateProcess::Outcome::Died:
        explainDeath(result);
        return;
    case CandidateProcess::Outcome::TimedOut:
        result.status = "timeout";
        result.findings.push_back(processFinding("timeout", "the candidate's host code did not return within " +
                                                                std::to_string(m_request.hostLimit_ms / 1000) +
                                                                " seconds of its own computing"));
        return;
    case CandidateProcess::Outcome::Misbehaved:
        result.status = "crashed";
        result.findings.push_back(processFinding("sandbox", "the candidate wrote into the simulator's own channel"));
        return;
    }
}

void CandidateSession::explainDeath(WorkResult &result)
{
    const kit::ConfinedEnd &end = m_process.finish();
    m_outOfMemory = end.kind == kit::ConfinedEnd::Kind::OutOfMemory;
    if (!end.startError.empty()) {
        result.trouble = "the sandbox did not come up: " + end.startError;
        return;
    }
    simulator::explainDeath(end, "the candidate", result);
}

void CandidateSession::shareMemory(int share)
{
    m_share = share;
    m_server.shareMemory(share);
    m_process.limitMemory(CandidateCommand().memoryBytes / share);
}

void CandidateSession::finish(WorkResult &result)
{
    if (m_finished) return;
    m_finished = true;
    const kit::ConfinedEnd &end = m_process.finish();
    const std::string printed = m_device.takeOutput();
    for (const std::string *text : {&printed, &end.standardOutput, &end.standardError}) {
        if (!text->empty()) result.log += *text + (text->back() == '\n' ? "" : "\n");
    }
    if (end.outputTruncated) result.log += "(the candidate printed more than 1 MiB; the rest was left out)\n";
}

} // namespace kernelskill::simulator
