// SPDX-License-Identifier: Apache-2.0
// One check case in one session: every block of every launch, every output.
#pragma once

#include "worker/call_buffers.h"
#include "worker/candidate_session.h"
#include "worker/request.h"
#include "worker/work_result.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kernelskill::simulator {

// The buffers of a session's successive cases: every second one finds the addresses of the one before with other
// contents, every other finds new addresses (see checkChains).
class CaseBuffers
{
public:
    explicit CaseBuffers(CandidateSession &session) : m_session(session) {}
    std::expected<CallBuffers *, std::string> prepare(const WorkRequest &request, const CheckCase &one);

private:
    CandidateSession &m_session;
    std::unique_ptr<CallBuffers> m_buffers;
    Binding m_binding;
    bool m_reused = false;
};

struct CaseOutcome
{
    WorkResult found;              // the case's own check, and why the process ended where it did
    std::vector<Finding> findings; // of its launches
    std::string printed;           // by its kernels
    std::uint64_t launches = 0, threadInstructions = 0;
    bool hostComputes = false;
    std::optional<std::string> changedInput;
    bool endedProcess = false; // no further case can be run in this session
};

[[nodiscard]] CaseOutcome runCase(CandidateSession &session, const WorkRequest &request, const CheckCase &one,
                                  CaseBuffers &prepared);

void addNorms(const std::string &name, const std::vector<CallBuffers::ErrorNorm> &norms, WorkResult &result);

// Findings after which the outputs prove nothing, however right they look: another schedule would give others.
[[nodiscard]] bool spoilsOutputs(const Finding &finding);
// Kind, kernel, line and message in one sentence.
[[nodiscard]] std::string place(const Finding &finding);

} // namespace kernelskill::simulator
