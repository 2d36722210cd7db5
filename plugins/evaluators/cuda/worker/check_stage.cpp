// SPDX-License-Identifier: Apache-2.0
#include "check_stage.h"

#include "kit/dtypes.h"
#include "kit/precision.h"

#include <algorithm>
#include <chrono>

namespace kernelskill::cuda {

namespace {

constexpr int housekeeping_ms = 20'000;
constexpr int baselineCases = 2;             // enough to know how precise the baseline is
constexpr std::uint64_t tooSmallToTell = 64; // bytes

bool isRandom(const kit::CheckCase &one)
{
    return one.variant == "random";
}

double largestNorm(const std::vector<kit::PooledError> &errors)
{
    double largest = 0;
    for (const kit::PooledError &error : errors)
        largest = std::max(largest, error.relativeNorm());
    return largest;
}

} // namespace

CheckStage::CheckStage(Machine &machine, const Request &request, Side &candidate, Side &baseline)
    : m_machine(machine), m_request(request), m_candidate(candidate), m_baseline(baseline)
{
}

CheckStage::~CheckStage()
{
    for (const int slab : m_slabs)
        if (slab >= 0) m_machine.removeSlab(slab, {&m_candidate, &m_baseline});
}

// One piece of memory a tensor, large enough for every case.
bool CheckStage::share(Result &result)
{
    std::vector<std::uint64_t> rooms(m_request.parameters.size(), 0);
    for (const auto *cases : {&m_request.checks, &m_request.after}) {
        for (const kit::CheckCase &one : *cases) {
            std::vector<Argument> arguments;
            std::string error;
            if (!bindArguments(m_request, one.binding, arguments, error)) {
                result.giveUp(trouble::request, error);
                return false;
            }
            for (std::size_t i = 0; i < arguments.size(); ++i)
                rooms[i] = std::max(rooms[i], roomOf(arguments[i].bytes));
        }
    }
    m_slabs.assign(rooms.size(), -1);
    for (std::size_t i = 0; i < rooms.size(); ++i) {
        if (!m_request.parameters[i].isTensor) continue;
        std::string error;
        m_slabs[i] = m_machine.addSlab(rooms[i] + 1, error); // one more: there is always room for a guard before it
        if (m_slabs[i] < 0) {
            result.giveUp(trouble::memory, "The GPU has no room for the checks' tensors: " + error);
            return false;
        }
        // Writable for all: a candidate that writes to its inputs is to be found out, not stopped.
        if (!m_machine.share(m_slabs[i], true, m_candidate, result) ||
            !m_machine.share(m_slabs[i], true, m_baseline, result))
            return false;
    }
    return true;
}

void CheckStage::run(const Progress &progress, Result &result)
{
    if (!share(result)) {
        m_complete = false;
        for (const kit::CheckCase &one : m_request.checks)
            result.skip(one.name, "an earlier failure ended the candidate's process");
        return;
    }
    m_counts = m_candidate.state;
    runCases(m_request.checks, {}, progress, result);
    conclude(result);
}

void CheckStage::runAfter(const Progress &progress, Result &result)
{
    runCases(m_request.after, "with inputs never seen before", progress, result);
    concludeFaults(result);
}

void CheckStage::runCases(const std::vector<kit::CheckCase> &cases, const std::string &text, const Progress &progress,
                          Result &result)
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(m_request.limits.stage_ms);
    const int total = int(cases.size());
    for (int i = 0; i < total; ++i) {
        const kit::CheckCase &one = cases[std::size_t(i)];
        progress("checking", i, total, text);
        if (!m_complete || !result.trouble.empty())
            result.skip(one.name, "an earlier failure ended the candidate's process");
        else if (Clock::now() > deadline)
            result.skip(one.name, "the time for checks was used up");
        else
            m_complete = runCase(one, result);
    }
    if (total > 0) progress("checking", total, total, text);
}

// A call and everything that has to be looked at right after it.
bool CheckStage::call(CheckTensors &tensors, Side &side, int attempt, Result &result)
{
    tensors.prepare(attempt);
    nlohmann::json reply;
    if (!m_machine.ask(side, {{"do", "call"}, {"slots", tensors.slots()}}, reply, m_request.limits.call_ms, result))
        return false;
    tensors.readOutputs(attempt);
    return true;
}

// False when no further case can be run.
bool CheckStage::runCase(const kit::CheckCase &one, Result &result)
{
    std::vector<Argument> arguments;
    std::string error;
    if (!bindArguments(m_request, one.binding, arguments, error)) {
        result.skip(one.name, error);
        return true;
    }
    CheckTensors tensors(m_machine, std::move(arguments), m_slabs);
    if (!tensors.open(one, error)) {
        result.skip(one.name, error);
        return true;
    }
    ++m_cases;
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (!call(tensors, m_candidate, attempt, result)) {
            result.fail(one.name, result.findings.empty() ? "the call did not return" : result.findings.back().message);
            return false;
        }
        if (const auto changed = tensors.changedInput(); changed && m_changedInput.empty())
            m_changedInput = one.name + ": " + *changed;
        if (const auto broken = tensors.brokenGuard(attempt); broken && m_brokenGuard.empty())
            m_brokenGuard = one.name + ": " + *broken;
    }
    watchCopies(tensors, result);
    if (!one.outputFiles.empty()) {
        if (!tensors.save(one.outputFiles, error)) result.skip(one.name, error);
    } else {
        std::optional<std::string> wrong;
        if (!tensors.wrongOutput(m_request, wrong, isRandom(one) ? &m_errors : nullptr, error))
            result.skip(one.name, error);
        else if (wrong)
            result.fail(one.name, *wrong);
        else
            result.pass(one.name);
    }
    if (!tensors.outputsStayed(1) && m_lateWork.empty())
        m_lateWork = one.name + ": outputs changed after solve returned";
    if (isRandom(one) && one.outputFiles.empty() && m_baselineCases < baselineCases) measureBaseline(one, result);
    if (m_machine.tools.error().empty()) return true;
    result.giveUp(trouble::device, m_machine.tools.error());
    return false;
}

// How much went to the host and back during this case.
void CheckStage::watchCopies(const CheckTensors &tensors, Result &result)
{
    nlohmann::json now;
    if (!m_machine.ask(m_candidate, {{"do", "state"}}, now, housekeeping_ms, result)) {
        m_complete = false;
        return;
    }
    const auto grown = [&](const char *key) { return numberIn(now, key) - numberIn(m_counts, key); };
    m_worked = m_worked || grown("launches") > 0;
    m_hostComputes = m_hostComputes || (grown("to_host") >= 2 * double(tensors.inputBytes()) &&
                                        grown("to_device") >= 2 * double(tensors.outputBytes()) &&
                                        tensors.outputBytes() > tooSmallToTell);
    if (const int status = int(numberIn(now, "launch_error")); status != 0 && m_refusedLaunch.empty())
        m_refusedLaunch = "a launch was refused: " + m_machine.driver.text(status);
    result.launches = std::uint64_t(std::max(0.0, grown("launches") / 2));
    m_counts = std::move(now);
}

void CheckStage::measureBaseline(const kit::CheckCase &one, Result &result)
{
    std::vector<Argument> arguments;
    std::string error;
    if (!bindArguments(m_request, one.binding, arguments, error)) return;
    CheckTensors tensors(m_machine, std::move(arguments), m_slabs);
    if (!tensors.open(one, error) || !call(tensors, m_baseline, 0, result)) return;
    std::optional<std::string> wrong;
    if (!tensors.wrongOutput(m_request, wrong, &m_baselineErrors, error)) return;
    ++m_baselineCases;
    if (wrong) result.giveUp(trouble::baseline, "The task's baseline is wrong at " + one.name + ": " + *wrong + ".");
}

void CheckStage::concludePlace(Result &result) const
{
    if (!m_refusedLaunch.empty()) {
        result.findings.push_back({"illegal_launch", m_refusedLaunch});
        result.fail("work on the device", m_refusedLaunch);
    } else if (!m_worked && !m_request.candidate.libraries.empty()) {
        result.workUnseen = true;
    } else if (!m_worked) {
        result.fail("work on the device", "solve launched no kernel: the outputs came from elsewhere");
    } else if (m_hostComputes) {
        result.fail("work on the device",
                    "solve copied the inputs to the host and results back: the host did the work");
    } else {
        result.pass("work on the device");
    }
}

// Says each only once.
void CheckStage::concludeFaults(Result &result)
{
    const auto tell = [&](const char *name, std::string &what) {
        if (!what.empty()) result.fail(name, what);
        what.clear();
    };
    tell("inputs unmodified", m_changedInput);
    tell("nothing but outputs written", m_brokenGuard);
    tell("work inside the call", m_lateWork);
}

// By the worst output over all random cases, next to the baseline's.
void CheckStage::concludePrecision(Result &result) const
{
    const kit::Dtype *least = nullptr; // of the floating outputs, the one that promises least
    for (const kit::ParameterSpec &parameter : m_request.parameters) {
        const kit::Dtype *dtype = kit::findDtype(parameter.dtype);
        if (!parameter.isTensor || !parameter.written || !dtype || !dtype->isFloating) continue;
        if (!least || kit::promisedBy(*dtype) > kit::promisedBy(*least)) least = dtype;
    }
    if (!least) return;
    kit::PrecisionRecord record;
    record.add("random inputs", *least, largestNorm(m_errors), largestNorm(m_baselineErrors));
    const kit::PrecisionOutcome outcome = record.conclude(m_request.mode);
    result.checks.push_back({"precision", outcome.outcome, outcome.detail});
    if (outcome.known) result.evidence["precision"] = outcome.toJson();
}

// What all cases together tell.
void CheckStage::conclude(Result &result)
{
    if (m_cases == 0) return;
    if (m_complete) {
        if (m_changedInput.empty()) result.pass("inputs unmodified");
        if (m_brokenGuard.empty()) result.pass("nothing but outputs written");
        if (m_lateWork.empty()) result.pass("work inside the call");
        concludePlace(result);
        if (m_baselineCases > 0) concludePrecision(result);
    }
    concludeFaults(result);
}

} // namespace kernelskill::cuda
