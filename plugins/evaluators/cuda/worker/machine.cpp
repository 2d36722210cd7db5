// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include "fault.h"

#include <unistd.h>

namespace kernelskill::cuda {

namespace {

constexpr int housekeeping_ms = 20'000; // for what needs no work of the candidate

void take(std::string &log, const std::string &text)
{
    if (!text.empty()) log += text + (text.back() == '\n' ? "" : "\n");
}

} // namespace

int Machine::addSlab(std::uint64_t bytes, std::string &error)
{
    Slab slab;
    if (!slab.create(driver, device.ordinal, bytes, error)) return -1;
    m_slabs[m_nextSlab] = std::move(slab);
    return m_nextSlab++;
}

bool Machine::share(int number, bool writable, Side &side, Result &result)
{
    std::string error;
    const int descriptor = slab(number).share(error);
    if (descriptor < 0) {
        result.giveUp(trouble::device, "GPU memory cannot be shared with the candidate's process: " + error);
        return false;
    }
    nlohmann::json reply;
    const bool mapped =
        ask(side, {{"do", "map"}, {"slab", number}, {"bytes", slab(number).bytes()}, {"writable", writable}}, reply,
            housekeeping_ms, result, descriptor);
    close(descriptor);
    if (mapped) side.mapped.insert(number);
    return mapped;
}

void Machine::removeSlab(int number, std::initializer_list<Side *> sides)
{
    for (Side *side : sides) {
        Result ignored; // a host that died meanwhile has nothing mapped
        nlohmann::json reply;
        if (side->mapped.erase(number) > 0 && side->process.isRunning()) [[maybe_unused]]
            const bool gone = ask(*side, {{"do", "unmap"}, {"slab", number}}, reply, housekeeping_ms, ignored);
    }
    m_slabs.erase(number);
}

bool Machine::ask(Side &side, nlohmann::json request, nlohmann::json &reply, int limit_ms, Result &result,
                  int descriptor)
{
    const auto sent = side.process.post(std::move(request), descriptor);
    if (sent == HostProcess::Outcome::Answered) return await(side, reply, limit_ms, result);
    blame(side, sent, reply, limit_ms, result);
    return false;
}

bool Machine::await(Side &side, nlohmann::json &reply, int limit_ms, Result &result)
{
    const auto outcome = side.process.await(reply, limit_ms);
    if (outcome == HostProcess::Outcome::Answered) return true;
    blame(side, outcome, reply, limit_ms, result);
    return false;
}

bool Machine::start(const std::vector<std::pair<Side *, HostCommand>> &hosts, int limit_ms, Result &result)
{
    for (const auto &[side, command] : hosts) {
        std::string error;
        if (!side->process.start(command, driver, device, error)) {
            result.giveUp(trouble::sandbox, "The process of " + side->name + " could not be started: " + error);
            return false;
        }
        const auto sent = side->process.post({{"do", "load"}, {"library", command.library}, {"tools", command.tools}});
        if (sent == HostProcess::Outcome::Answered) continue;
        blame(*side, sent, {}, limit_ms, result);
        return false;
    }
    for (const auto &[side, command] : hosts)
        if (!await(*side, side->state, limit_ms + housekeeping_ms, result)) return false;
    return true;
}

void Machine::blame(Side &side, HostProcess::Outcome outcome, const nlohmann::json &reply, int limit_ms, Result &result)
{
    Finding finding;
    result.status = "crashed";
    if (outcome == HostProcess::Outcome::TimedOut) {
        result.status = "timeout";
        finding = {"timeout",
                   side.name + " did not finish a call within " + std::to_string(limit_ms / 1000) + " seconds"};
    } else if (outcome == HostProcess::Outcome::Misbehaved) {
        finding = {"sandbox", side.name + " wrote into the supervisor's own channel"};
    } else if (outcome == HostProcess::Outcome::Refused) {
        finding = deviceFault(side.name, Status(numberIn(reply, "error", -1)), textIn(reply, "text"));
        if (numberIn(reply, "machine") != 0)
            result.giveUp(trouble::device, "The process of " + side.name + ": " + finding.message);
        if (finding.kind == "timeout") result.status = "timeout";
    }
    const kit::ConfinedEnd &end = side.process.finish();
    take(result.log, end.standardOutput);
    take(result.log, end.standardError);
    if (!end.startError.empty()) result.giveUp(trouble::sandbox, "The sandbox did not come up: " + end.startError);
    if (outcome == HostProcess::Outcome::Died) finding = processFault(side.name, end, result);
    if (side.name == "the baseline")
        result.giveUp(trouble::baseline, "The task's baseline does not run: " + finding.message + ".");
    result.findings.push_back(std::move(finding));
}

void Machine::finish(Side &side, Result &result)
{
    if (!side.process.isRunning()) return;
    const kit::ConfinedEnd &end = side.process.finish();
    take(result.log, end.standardOutput);
    take(result.log, end.standardError);
}

} // namespace kernelskill::cuda
