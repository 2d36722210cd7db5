// SPDX-License-Identifier: Apache-2.0
// Is the candidate right: every output, at every case, twice with different poison.
#pragma once

#include "call_tensors.h"
#include "machine.h"

#include <vector>

namespace kernelskill::cuda {

class CheckStage
{
public:
    CheckStage(Machine &machine, const Request &request, Side &candidate, Side &baseline);
    ~CheckStage();

    // All cases of the request. One process serves them all, so that what a candidate keeps from one call meets the
    // inputs of the next.
    void run(const Progress &progress, Result &result);
    // Cases it never saw, after it was timed.
    void runAfter(const Progress &progress, Result &result);

private:
    [[nodiscard]] bool share(Result &result);
    void runCases(const std::vector<kit::CheckCase> &cases, const std::string &text, const Progress &progress,
                  Result &result);
    [[nodiscard]] bool runCase(const kit::CheckCase &one, Result &result);
    [[nodiscard]] bool call(CheckTensors &tensors, Side &side, int attempt, Result &result);
    void watchCopies(const CheckTensors &tensors, Result &result);
    void measureBaseline(const kit::CheckCase &one, Result &result);
    void conclude(Result &result);
    void concludeFaults(Result &result);
    void concludePlace(Result &result) const;
    void concludePrecision(Result &result) const;

    Machine &m_machine;
    const Request &m_request;
    Side &m_candidate, &m_baseline;
    std::vector<int> m_slabs;
    bool m_complete = true; // the candidate's process survived
    bool m_worked = false, m_hostComputes = false;
    int m_cases = 0, m_baselineCases = 0;
    std::vector<kit::PooledError> m_errors, m_baselineErrors; // at random inputs, one a parameter
    std::string m_changedInput, m_brokenGuard, m_lateWork, m_refusedLaunch;
    nlohmann::json m_counts = nlohmann::json::object();
};

} // namespace kernelskill::cuda
