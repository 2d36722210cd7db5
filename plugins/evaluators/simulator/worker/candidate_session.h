// SPDX-License-Identifier: Apache-2.0
// A candidate's process together with the simulated device it works on.
#pragma once

#include "worker/candidate_process.h"
#include "worker/device_server.h"
#include "worker/request.h"
#include "worker/work_result.h"

#include <functional>
#include <optional>

namespace kernelskill::simulator {

class CandidateSession
{
public:
    // The session's process and device may use one `share`-th of the memory that a candidate may have: as many sessions
    // are at work side by side.
    CandidateSession(const WorkRequest &request, const GpuModel &gpu, const ExecutionModel &execution, int share = 1);

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
    // A call that is waited for ends as soon as this says so; it then counts as one the process did not survive.
    void abandonWhen(std::function<bool()> unwanted) { m_process.unwanted = std::move(unwanted); }
    // Its share was too little: what it did since proves nothing, with all of the memory it may end otherwise.
    [[nodiscard]] bool lacksRoom() const { return m_share > 1 && (m_outOfMemory || m_server.lacksRoom()); }
    // From now on; see the constructor.
    void shareMemory(int share);
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
    int m_share;
    bool m_outOfMemory = false;
    bool m_finished = false;
};

} // namespace kernelskill::simulator
