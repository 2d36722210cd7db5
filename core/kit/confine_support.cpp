// SPDX-License-Identifier: Apache-2.0
#include "kit/confine.h"

#include <fstream>

namespace kernelskill::kit {

namespace {

std::string firstWord(const char *path)
{
    std::ifstream file(path);
    std::string word;
    file >> word;
    return word;
}

// Kernel settings that keep unprivileged users from making namespaces, with what an administrator does about each.
std::string remedyFromKernelSettings()
{
    if (firstWord("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1")
        return "This system lets only programs with an AppArmor profile make user namespaces. Install the profile for "
               "bubblewrap: save \"abi <abi/4.0>, include <tunables/global> profile bwrap /usr/bin/bwrap "
               "flags=(unconfined) { userns, }\" as /etc/apparmor.d/bwrap and run: sudo apparmor_parser -r "
               "/etc/apparmor.d/bwrap";
    if (firstWord("/proc/sys/kernel/unprivileged_userns_clone") == "0")
        return "Allow user namespaces: sudo sysctl kernel.unprivileged_userns_clone=1";
    if (firstWord("/proc/sys/user/max_user_namespaces") == "0")
        return "Allow user namespaces: sudo sysctl user.max_user_namespaces=10000";
    return "In a container, allow user namespaces and mounts (for Docker: --security-opt seccomp=unconfined "
           "--security-opt apparmor=unconfined), or run with --unconfined and accept that candidates are not isolated.";
}

ConfineSupport probe()
{
    if (bubblewrapProgram().empty())
        return {false, "bubblewrap (bwrap) is not installed", "Install the package bubblewrap."};
    ConfineCommand command;
    command.program = "true";
    command.limits.wallClock_ms = 10'000;
    ConfinedEnd end;
    std::string error;
    if (runConfined(command, end, error) && end.succeeded()) return {true, {}, {}};
    if (error.empty()) error = end.standardError.empty() ? "the probe did not end well" : end.standardError;
    return {false, "bubblewrap cannot make a sandbox here: " + error, remedyFromKernelSettings()};
}

} // namespace

const ConfineSupport &confineSupport()
{
    static const ConfineSupport support = probe();
    return support;
}

} // namespace kernelskill::kit
