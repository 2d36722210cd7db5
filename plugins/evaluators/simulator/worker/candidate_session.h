// SPDX-License-Identifier: Apache-2.0
// A candidate's process together with the simulated device it works on.
#pragma once

#include "worker/candidate_process.h"
#include "worker/device_server.h"
#include "worker/request.h"
#include "worker/work_result.h"

#include <memory>

namespace kernelskill::simulator {

class CandidateSession
{
public:
    CandidateSession(const WorkRequest &request, const GpuModel &gpu, const ExecutionModel &execution);

    // Loads the modules and starts the process. False when the candidate (or its surroundings) did not come up;
    // `result` then says why.
    [[nodiscard]] bool start(WorkResult &result);
    // One call of the entry point. Empty when the process did not survive it: `result` then has the status and a
    // finding.
    [[nodiscard]] std::optional<CallRecord> call(const std::vector<std::vector<std::byte>> &arguments, ServeMode mode,
                                                 WorkResult &result);
    // Ends the process; what it printed goes to the result's log.
    void finish(WorkResult &result);

    [[nodiscard]] Device &device() { return m_device; }
    [[nodiscard]] DeviceServer &server() { return m_server; }
    // Something is asked for while no call is active: a thread of the candidate is still at work.
    [[nodiscard]] bool worksOn() { return !m_finished && m_process.hasUnaskedInput(); }
    // Device work, or requests, outside any call.
    [[nodiscard]] bool workedOutside();

private:
    void explain(CandidateProcess::Outcome outcome, WorkResult &result);
    void explainDeath(WorkResult &result);

    const WorkRequest &m_request;
    Device m_device;
    DeviceServer m_server;
    CandidateProcess m_process;
    bool m_finished = false;
};

} // namespace kernelskill::simulator
