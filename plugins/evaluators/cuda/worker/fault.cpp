// SPDX-License-Identifier: Apache-2.0
#include "fault.h"

#include <cstring>

namespace kernelskill::cuda {

namespace {

struct KnownFault
{
    Status status;
    const char *kind, *what;
};

constexpr KnownFault knownFaults[] = {
    {illegalAddress, "out_of_bounds", "a kernel accessed memory that is not its own, or wrote to an input"},
    {misalignedAddress, "misaligned", "a kernel accessed an address that is not a multiple of the access's size"},
    {deviceAssert, "assert", "an assertion in a kernel failed"},
    {illegalInstruction, "illegal_instruction", "a kernel executed an illegal instruction or a trap"},
    {invalidAddressSpace, "out_of_bounds", "a kernel used an address of the wrong memory space"},
    {invalidProgramCounter, "out_of_bounds", "a kernel jumped out of its code"},
    {stackError, "out_of_bounds", "a kernel overran its stack"},
    {launchTimeout, "timeout", "a kernel ran longer than the driver allows"},
    {launchFailed, "out_of_bounds", "a kernel failed, most often by an access out of bounds of shared or local memory"},
    {outOfMemory, "memory", "the GPU has no memory left"},
    {outOfResources, "illegal_launch", "a launch needs more registers or threads than there are"},
};

std::string signalText(int signal)
{
    return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

} // namespace

Finding deviceFault(const std::string &whose, Status status, const std::string &text)
{
    for (const KnownFault &known : knownFaults)
        if (known.status == status) return {known.kind, whose + ": " + known.what + " (" + text + ")"};
    return {"crash", whose + ": " + text};
}

Finding processFault(const std::string &whose, const kit::ConfinedEnd &end, Result &result)
{
    result.status = "crashed";
    // The C library blocks signals while it starts a program, and what cannot be reported kills at once.
    if (end.refusedCall == "unknown")
        return {"sandbox", whose +
                               "'s host code asked for something that is not allowed, most likely to start a program; "
                               "its process was ended"};
    if (!end.refusedCall.empty())
        return {"sandbox", whose + "'s host code used the system call " + end.refusedCall +
                               ", which is not allowed; its process was ended"};
    switch (end.kind) {
    case kit::ConfinedEnd::Kind::Signalled:
        return {"crash", whose + "'s host code was ended by " + signalText(end.signal)};
    case kit::ConfinedEnd::Kind::TimedOut:
        result.status = "timeout";
        return {"timeout", whose + "'s process was ended by its time limit"};
    case kit::ConfinedEnd::Kind::OutOfMemory:
        return {"memory", whose + "'s host code used more memory than it may"};
    case kit::ConfinedEnd::Kind::Exited:
    case kit::ConfinedEnd::Kind::Stopped:
        break;
    }
    return {"crash",
            whose + "'s process ended with exit status " + std::to_string(end.exitCode) + " before solve returned"};
}

} // namespace kernelskill::cuda
