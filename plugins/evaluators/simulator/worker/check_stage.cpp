// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

#include "kit/usable_cores.h"
#include "worker/check_case.h"
#include "worker/check_chains.h"
#include "worker/report_merge.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace kernelskill::simulator {

namespace {

// Findings that no correct program shows even when its outputs are right.
bool isHazard(const Finding &finding)
{
    return finding.kind == "uninitialised_read" || finding.kind == "invalid_free" || finding.kind == "missing_syncwarp";
}

// All chains of one request. Each case and each chain is written to by the one thread that runs it, and read when all
// threads are through.
class CheckRun
{
public:
    CheckRun(const WorkRequest &request, const GpuModel &gpu, const Progress &progress);
    void run(std::unique_ptr<CandidateSession> &first);
    CheckLogs conclude(WorkResult &result);

private:
    using Clock = std::chrono::steady_clock;
    struct ChainState
    {
        bool runsAgain = false; // its share of the memory was too little
        bool workedOutside = false;
        std::string log;
    };

    void deal();
    void runChains(int share);
    // These are false when the chain must run again, with more room.
    bool runInOwnSession(std::size_t chain, int share);
    bool runCases(CandidateSession &session, CaseBuffers &buffers, std::size_t chain, std::size_t from, std::size_t to);
    void runAgain(std::unique_ptr<CandidateSession> &first);
    void notStarted(std::size_t chain, WorkResult &&why);
    void endAt(std::size_t number);
    void step(std::size_t number);
    void concludeWhole(const std::vector<Finding> &findings, WorkResult &result) const;
    [[nodiscard]] std::size_t count() const { return m_request.checks.size(); }

    const WorkRequest &m_request;
    const GpuModel &m_gpu;
    const Progress &m_progress;
    const Clock::time_point m_deadline = Clock::now() + std::chrono::milliseconds(m_request.stageLimit_ms);
    std::vector<CheckChain> m_chains = checkChains(m_request.checks, 1);
    std::vector<CaseOutcome> m_outcomes = std::vector<CaseOutcome>(m_request.checks.size());
    std::vector<ChainState> m_states = std::vector<ChainState>(m_chains.size());
    std::vector<std::size_t> m_order; // of all chains but the first, which is the caller's
    std::atomic<std::size_t> m_next = 0; // in that order
    // The first case, in the request's order, that ended its process; as many as there are: none.
    std::atomic<std::size_t> m_end = m_request.checks.size();
    std::mutex m_stepping;
    std::vector<bool> m_stepped = std::vector<bool>(m_request.checks.size());
    int m_steps = 0;
};

CheckRun::CheckRun(const WorkRequest &request, const GpuModel &gpu, const Progress &progress)
    : m_request(request), m_gpu(gpu), m_progress(progress)
{
}

void CheckRun::step(std::size_t number)
{
    const std::lock_guard lock(m_stepping);
    if (m_stepped[number]) return;
    m_stepped[number] = true;
    m_progress("checking", ++m_steps, static_cast<int>(count()));
}

void CheckRun::endAt(std::size_t number)
{
    std::size_t known = m_end;
    while (number < known && !m_end.compare_exchange_weak(known, number)) {
    }
}

// Those of the chain from the `from`-th up to the `to`-th.
bool CheckRun::runCases(CandidateSession &session, CaseBuffers &buffers, std::size_t chain, std::size_t from,
                        std::size_t to)
{
    for (std::size_t i = from; i < std::min(to, m_chains[chain].size()); ++i) {
        const std::size_t number = m_chains[chain][i];
        if (number > m_end) return true;
        const CheckCase &one = m_request.checks[number];
        CaseOutcome &outcome = m_outcomes[number];
        outcome = {};
        if (Clock::now() > m_deadline) {
            outcome.found.skip(one.name, "the time for checks was used up");
        } else {
            session.abandonWhen([this, number] { return number > m_end; });
            outcome = runCase(session, m_request, one, buffers);
            session.abandonWhen({});
            if (session.lacksRoom()) return false;
        }
        if (outcome.endedProcess) {
            endAt(number);
            return true;
        }
        step(number);
    }
    m_states[chain].workedOutside = session.workedOutside();
    return true;
}

// What its first case would have said had the process come up.
void CheckRun::notStarted(std::size_t chain, WorkResult &&why)
{
    const std::size_t number = m_chains[chain].front();
    CaseOutcome &outcome = m_outcomes[number];
    outcome = {};
    outcome.found = std::move(why);
    outcome.found.skip(m_request.checks[number].name, "the candidate did not start");
    outcome.endedProcess = true;
    endAt(number);
}

bool CheckRun::runInOwnSession(std::size_t chain, int share)
{
    if (m_chains[chain].front() > m_end) return true;
    CandidateSession session(m_request, m_gpu, m_gpu.executionModel(), share);
    WorkResult begun;
    if (!session.start(begun)) {
        // Others at work beside it may be why: nothing is said before it had the machine to itself.
        if (share > 1) return false;
        notStarted(chain, std::move(begun));
        return true;
    }
    CaseBuffers buffers(session);
    if (!runCases(session, buffers, chain, 0, count())) return false;
    WorkResult ended;
    session.finish(ended);
    m_states[chain].log = std::move(ended.log);
    return true;
}

void CheckRun::runChains(int share)
{
    for (std::size_t i = m_next++; i < m_order.size(); i = m_next++)
        m_states[m_order[i]].runsAgain = !runInOwnSession(m_order[i], share);
}

// The first case, which the first session has run alone, tells how many processes are worth their while.
void CheckRun::deal()
{
    const std::size_t most =
        worthwhileChains(m_request.checks, m_outcomes.front().threadInstructions, m_request.sessionWork);
    m_chains = checkChains(m_request.checks, most);
    m_states.resize(m_chains.size());
    m_order = orderOfStart(m_chains, m_request.checks);
}

void CheckRun::run(std::unique_ptr<CandidateSession> &first)
{
    m_progress("checking", 0, static_cast<int>(count()));
    if (count() == 0) return;
    {
        CaseBuffers buffers(*first);
        runCases(*first, buffers, 0, 0, 1);
        if (m_end == 0) return;
        deal();
        const int cores = m_request.cores > 0 ? m_request.cores : kit::usableCores();
        const int share = std::clamp(cores, 1, static_cast<int>(m_chains.size()));
        first->shareMemory(share);
        std::vector<std::jthread> threads;
        for (int i = 1; i < share; ++i)
            threads.emplace_back([this, share] { runChains(share); });
        // The first session's process ends with the thread that started it: that is the caller's.
        m_states.front().runsAgain = !runCases(*first, buffers, 0, 1, count());
        runChains(share);
    }
    runAgain(first);
    first->shareMemory(1);
}

void CheckRun::runAgain(std::unique_ptr<CandidateSession> &first)
{
    if (m_states.front().runsAgain) {
        first.reset(); // its memory first
        first = std::make_unique<CandidateSession>(m_request, m_gpu, m_gpu.executionModel());
        if (WorkResult begun; !first->start(begun)) {
            notStarted(0, std::move(begun));
        } else {
            CaseBuffers buffers(*first);
            runCases(*first, buffers, 0, 0, count());
        }
    }
    for (std::size_t chain = 1; chain < m_chains.size(); ++chain) {
        if (m_states[chain].runsAgain) runInOwnSession(chain, 1);
    }
}

CheckLogs CheckRun::conclude(WorkResult &result)
{
    const std::size_t end = m_end;
    std::vector<Finding> findings;
    for (std::size_t i = 0; i < count(); ++i) {
        step(i);
        if (i > end) {
            result.skip(m_request.checks[i].name, "an earlier failure ended the candidate's process");
            continue;
        }
        add(findings, m_outcomes[i].findings);
        result.log += m_outcomes[i].printed;
        result.append(std::move(m_outcomes[i].found));
    }
    add(result.findings, findings);
    if (end == count()) concludeWhole(findings, result);

    CheckLogs logs;
    for (std::size_t chain = 0; chain < m_chains.size(); ++chain) {
        // Of a run that was ended, other sessions got differently far each time.
        const bool counts = end == count() || std::ranges::contains(m_chains[chain], end);
        if (chain == 0)
            logs.firstCounts = counts;
        else if (counts)
            logs.others.push_back(std::move(m_states[chain].log));
    }
    return logs;
}

// What can be said of all cases together, when all were run.
void CheckRun::concludeWhole(const std::vector<Finding> &findings, WorkResult &result) const
{
    const auto changed = std::ranges::find_if(m_outcomes, [](const CaseOutcome &o) { return o.changedInput.has_value(); });
    if (changed != m_outcomes.end())
        result.fail("inputs unmodified", *changed->changedInput);
    else
        result.pass("inputs unmodified");
    if (std::ranges::all_of(m_outcomes, [](const CaseOutcome &o) { return o.launches == 0; }))
        result.fail("work on the device", "solve launched no kernel: the outputs came from elsewhere");
    else if (std::ranges::any_of(m_outcomes, &CaseOutcome::hostComputes))
        result.fail("work on the device",
                    "solve copied the inputs to the host and results back: the host did the work");
    else
        result.pass("work on the device");
    if (std::ranges::any_of(m_states, &ChainState::workedOutside))
        result.fail("work inside the call", "device work was asked for before solve was called or after it returned");
    else
        result.pass("work inside the call");
    const auto hazard = std::ranges::find_if(findings, isHazard);
    if (hazard != findings.end())
        result.fail("memory and synchronisation", place(*hazard));
    else if (std::ranges::none_of(findings, spoilsOutputs))
        result.pass("memory and synchronisation", "no access out of bounds, no uninitialised read, no race");
}

} // namespace

CheckLogs checkCandidate(std::unique_ptr<CandidateSession> &first, const WorkRequest &request, const GpuModel &gpu,
                         const Progress &progress, WorkResult &result)
{
    CheckRun run(request, gpu, progress);
    run.run(first);
    return run.conclude(result);
}

} // namespace kernelskill::simulator
