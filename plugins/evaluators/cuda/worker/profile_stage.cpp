// SPDX-License-Identifier: Apache-2.0
#include "profile_stage.h"

#include "build_cache.h"
#include "timed_sets.h"

#include "profiler/counters.h"
#include "profiler/library_build.h"
#include "profiler/messages.h"
#include "profiler/metrics.h"

#include <cstdlib>

namespace kernelskill::cuda {

namespace {

constexpr int profileLimit_ms = 90'000; // some twenty calls, and what the profiler does between them

// The text of the profiling library's file; empty with `why`.
std::string profileText(Machine &machine, const Request &request, const HostCommand &command, std::string &why)
{
    Side side("the candidate under the profiler");
    Result own; // what goes wrong here is no fault of the candidate's
    const auto explain = [&] {
        why = !own.trouble.empty()   ? own.trouble
              : own.findings.empty() ? "nothing was seen"
                                     : own.findings.front().message;
        return std::string();
    };
    if (!machine.start({{&side, command}}, request.limits.call_ms, own)) return explain();
    nlohmann::json reply;
    {
        TimedSets sets(machine, request, 1);
        if (!sets.create(request.times.front(), side, side, own)) return explain();
        sets.refresh(0, 0);
        machine.tools.settle();
        const nlohmann::json ask{{"do", "profile"}, {"slots", sets.slots(0)}, {"options", profileOptions()}};
        if (!machine.ask(side, ask, reply, profileLimit_ms, own)) return explain();
    }
    machine.finish(side, own);
    const std::string text = textIn(reply, "profile");
    if (text.empty()) why = explainProfiler(1, textIn(reply, "problem"));
    return text;
}

} // namespace

void profileCandidate(Machine &machine, const Request &request, HostCommand command, const Toolkit &toolkit,
                      const std::string &programFolder, const Progress &progress, Result &result)
{
    if (request.profiler != "cupti")
        return result.skip("profile", "the profiler \"" + request.profiler + "\" is not used here");
    if (request.times.empty()) return result.skip("profile", "there is no size to profile at");
    progress("profiling", 0, 1, {});
    const char *chosen = std::getenv(profileVariable); // another library than the one built here
    const ProfilingLibrary library =
        chosen ? ProfilingLibrary{chosen, {}}
               : profilingLibrary(programFolder + "/profiler", BuildCache::standardFolder(), toolkit.folder);
    if (library.path.empty()) return result.skip("profile", library.problem);
    command.profileLibrary = library.path;
    command.readable = {toolkit.folder};
    std::string why;
    const std::string text = profileText(machine, request, command, why);
    const RawProfile profile = text.empty() ? RawProfile() : parseLibraryProfile(text);
    result.evidence["profile"] = {{"source", profile.source},
                                  {"passes", profile.passes},
                                  {"seconds", profile.seconds},
                                  {"remarks", profileRemarks(profile)}};
    if (profile.launches.empty()) {
        const std::vector<std::string> remarks = profileRemarks(profile);
        return result.skip("profile", !why.empty() ? why : remarks.empty() ? "no kernel was seen" : remarks.front());
    }
    result.kernels = kernelProfiles(profile, Ceilings::from(request.ceilings, profile.device));
    result.launches = std::uint64_t(launchCount(profile));
    result.pass("profile", std::to_string(result.launches) + " kernels a call");
    progress("profiling", 1, 1, {});
}

} // namespace kernelskill::cuda
