// SPDX-License-Identifier: Apache-2.0
#include "process_end.h"

#include "runtime/wire.h"

#include <cstring>

namespace kernelskill::simulator {

namespace {

std::string signalText(int signal)
{
    const char *name = ::sigabbrev_np(signal);
    return "signal " + std::to_string(signal) + (name ? std::string(" (SIG") + name + ")" : std::string());
}

} // namespace

Finding processFinding(std::string kind, std::string message)
{
    Finding finding;
    finding.kind = std::move(kind);
    finding.fatal = true;
    finding.message = std::move(message);
    return finding;
}

void explainDeath(const kit::ConfinedEnd &end, const std::string &whose, WorkResult &result)
{
    result.status = "crashed";
    const auto add = [&](const char *kind, const std::string &what) {
        result.findings.push_back(processFinding(kind, whose + what));
    };
    if (!end.refusedCall.empty()) {
        add("sandbox",
            "'s host code used the system call " + end.refusedCall + ", which is not allowed; its process was ended");
        return;
    }
    const auto addClosed = [&] { add("crash", "'s host code closed the simulator's own channel, descriptor 3"); };
    switch (end.kind) {
    case kit::ConfinedEnd::Kind::Exited:
        if (end.exitCode == wire::lostChannel) {
            addClosed();
            break;
        }
        add("crash", "'s process ended with exit status " + std::to_string(end.exitCode) + " before solve returned");
        break;
    case kit::ConfinedEnd::Kind::Signalled:
        add("crash", "'s host code was ended by " + signalText(end.signal));
        break;
    case kit::ConfinedEnd::Kind::TimedOut:
        result.status = "timeout";
        add("timeout", "'s process was ended by its time limit");
        break;
    case kit::ConfinedEnd::Kind::OutOfMemory:
        add("memory", "'s host code used more memory than it may");
        break;
    case kit::ConfinedEnd::Kind::Stopped: // it lived on, and was ended for it
        addClosed();
        break;
    }
}

} // namespace kernelskill::simulator
