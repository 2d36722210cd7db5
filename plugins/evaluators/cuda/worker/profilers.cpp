// SPDX-License-Identifier: Apache-2.0
#include "profilers.h"

#include "build_cache.h"
#include "timed_sets.h"

#include "profiler/counters.h"
#include "profiler/library_build.h"
#include "profiler/messages.h"
#include "profiler/ncu_report.h"

#include <cstdlib>
#include <filesystem>

namespace kernelskill::cuda {

namespace fs = std::filesystem;

namespace {

constexpr int profileLimit_ms = 90'000;                 // some twenty calls, and what the profiler does between them
constexpr int ncuCall_ms = 30'000, ncuMark_ms = 80'000; // every kernel up to forty times, its memory restored between

std::string faultIn(const Result &own)
{
    return !own.trouble.empty()   ? own.trouble
           : own.findings.empty() ? "nothing was seen"
                                  : own.findings.front().message;
}

// The text of the profiling library's file; empty with `why`.
std::string libraryText(Machine &machine, const Request &request, const HostCommand &command, std::string &why)
{
    Side side("the candidate under the profiler");
    Result own; // what goes wrong here is no fault of the candidate's
    nlohmann::json reply;
    const auto ask = [&] {
        if (!machine.start({{&side, command}}, request.limits.call_ms, own)) return false;
        TimedSets sets(machine, request, 1);
        if (!sets.create(request.times.front(), side, side, own)) return false;
        sets.refresh(0, 0);
        const nlohmann::json what{{"do", "profile"}, {"slots", sets.slots(0)}, {"options", profileOptions()}};
        return machine.ask(side, what, reply, profileLimit_ms, own);
    };
    if (!ask()) {
        why = faultIn(own);
        return {};
    }
    machine.finish(side, own);
    const std::string text = textIn(reply, "profile");
    if (text.empty()) why = explainProfiler(1, textIn(reply, "problem"));
    return text;
}

// What ncu needs to see of itself: its own folder, and where its start script may find the rest.
std::vector<std::string> foldersOf(const std::string &ncu, const Toolkit &toolkit)
{
    std::error_code code;
    std::vector<std::string> folders{toolkit.folder, fs::canonical(ncu, code).parent_path().string()};
    if (const fs::path usual = "/opt/nvidia"; fs::is_directory(usual, code)) folders.push_back(usual.string());
    return folders;
}

// The first call loads code and records graphs and is not looked at.
bool markCall(Machine &machine, const Request &request, Side &side, Result &own)
{
    TimedSets sets(machine, request, 1);
    if (!sets.create(request.times.front(), side, side, own)) return false;
    const auto ask = [&](const char *what, int limit_ms) {
        nlohmann::json reply;
        sets.refresh(0, 0);
        return machine.ask(side, {{"do", what}, {"slots", sets.slots(0)}}, reply, limit_ms, own);
    };
    return ask("call", ncuCall_ms) && ask("mark", ncuMark_ms);
}

// From the driver, where a table has no columns for it.
DeviceLimits limitsOf(const Driver &driver, const DeviceFacts &device)
{
    const auto attribute = [&](int number) {
        int value = 0;
        return driver.deviceGetAttribute(&value, number, device.handle) == 0 ? value : 0;
    };
    constexpr int threads = 39, shared = 81, registers = 82, blocks = 106, reserved = 111;
    return {device.multiprocessors,
            attribute(threads),
            attribute(blocks),
            attribute(registers),
            attribute(shared),
            attribute(reserved),
            device.clock_mhz * 1e3,
            device.memoryClock_mhz * 1e3,
            double(device.memoryBus_bits)};
}

} // namespace

Profiled profileByCupti(Machine &machine, const Request &request, HostCommand command, const Toolkit &toolkit,
                        const std::string &programFolder)
{
    Profiled seen;
    seen.profile.source = "cupti";
    const char *chosen = std::getenv(profileVariable); // another library than the one built here
    const ProfilingLibrary library =
        chosen ? ProfilingLibrary{chosen, {}}
               : profilingLibrary(programFolder + "/profiler", BuildCache::standardFolder(), toolkit.folder);
    seen.why = library.problem;
    if (library.path.empty()) return seen;
    command.profileLibrary = library.path;
    command.readable = {toolkit.folder};
    const std::string text = libraryText(machine, request, command, seen.why);
    if (!text.empty()) seen.profile = parseLibraryProfile(text);
    return seen;
}

Profiled profileByNcu(Machine &machine, const Request &request, HostCommand command, const Toolkit &toolkit,
                      const std::string &ncu, bool full)
{
    command.through = ncuArguments(full ? NcuSet::Full : NcuSet::Policy, ncu);
    command.readable = foldersOf(ncu, toolkit);
    Profiled seen;
    seen.profile.source = "ncu";
    Side side("the candidate under ncu");
    Result own; // what goes wrong here is no fault of the candidate's
    const bool called =
        machine.start({{&side, command}}, request.limits.call_ms, own) && markCall(machine, request, side, own);
    const kit::ConfinedEnd &end = side.process.finish(); // ncu prints its table when the host has gone
    const std::string said = end.standardOutput + end.standardError;
    if (called) seen.profile = parseNcuCsv(said);
    seen.profile.version = ncuVersion(ncu);
    if (seen.profile.device.multiprocessors == 0) seen.profile.device = limitsOf(machine.driver, machine.device);
    if (!seen.profile.launches.empty()) return seen;
    // What ncu said of itself says more than that the host did not come up.
    const bool told = said.find("==ERROR==") != std::string::npos || end.exitCode != 0;
    if (told || called) seen.why = explainProfiler(end.exitCode == 0 ? 1 : end.exitCode, said);
    if (seen.why.empty()) seen.why = explainProfiler(1, faultIn(own));
    return seen;
}

} // namespace kernelskill::cuda
