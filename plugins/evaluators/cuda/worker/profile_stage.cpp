// SPDX-License-Identifier: Apache-2.0
#include "profile_stage.h"

#include "profilers.h"

#include "profiler/counter_access.h"
#include "profiler/messages.h"
#include "profiler/metrics.h"

#include <algorithm>

namespace kernelskill::cuda {

namespace {

// What was seen, by what, and why by that.
struct Seen
{
    Profiled by;
    std::string why;
    std::vector<std::string> remarks; // besides those of the profile itself
};

bool lacksCounters(const LaunchRow &launch)
{
    return launch.isKernel() && launch.counters.empty();
}

// Why CUPTI's profile is not all there is to see; empty when it is. It ends a sentence.
std::string lackOf(const Profiled &cupti)
{
    const std::vector<LaunchRow> &launches = cupti.profile.launches;
    const auto inGraph = [](const LaunchRow &launch) { return launch.graph && lacksCounters(launch); };
    if (launches.empty()) return "CUPTI saw nothing";
    if (std::ranges::any_of(launches, inGraph))
        return "the candidate launches a CUDA graph, whose kernels have no counters by CUPTI";
    if (std::ranges::all_of(launches, [](const LaunchRow &one) { return !one.isKernel() || lacksCounters(one); }))
        return "CUPTI gave no counters";
    return {};
}

std::string leftOf(const Profiled &cupti)
{
    const std::vector<LaunchRow> &launches = cupti.profile.launches;
    if (launches.empty()) return "No profile";
    const bool none = std::ranges::none_of(launches, [](const LaunchRow &one) { return !one.counters.empty(); });
    return none ? "Times by CUPTI and no counters" : "Counters by CUPTI alone";
}

// Nobody without the right gets counters, by whichever profiler.
bool isForbidden(const Profiled &seen)
{
    const auto tells = [](const std::string &text) {
        return text.find("ERR_NVGPUCTRPERM") != std::string::npos ||
               text.find("INSUFFICIENT_PRIVILEGES") != std::string::npos;
    };
    return counterAccess() == CounterAccess::AdministratorsButNotUs || tells(seen.why) ||
           std::ranges::any_of(seen.profile.problems,
                               [&](const ProfilerProblem &one) { return tells(one.code + one.text); });
}

Profiled missingNcu()
{
    Profiled nothing;
    nothing.profile.source = "ncu";
    nothing.why = explainMissingNcu();
    return nothing;
}

// CUPTI's profile with ncu's counters, or ncu's where CUPTI saw nothing.
void complete(Seen &seen, const Profiled &ncu, const std::string &lack)
{
    if (ncu.profile.launches.empty()) {
        seen.why = leftOf(seen.by) + ": " + lack + ". " + ncu.why;
        return;
    }
    RawProfile &profile = seen.by.profile;
    seen.why = "Counters by ncu: " + lack + ".";
    if (profile.launches.empty()) {
        const std::string before = seen.by.why;
        seen.by = ncu;
        if (!before.empty()) seen.remarks.push_back(before);
    } else if (addCounters(profile, ncu.profile)) {
        profile.source = "cupti, ncu";
        profile.version += (profile.version.empty() ? "" : ", ") + ncu.profile.version;
        seen.why = "Times by CUPTI, counters by ncu: " + lack + ".";
    } else {
        seen.why = leftOf(seen.by) + ": " + lack + ", and ncu saw other kernels than CUPTI.";
    }
}

// A kernel from elsewhere is another's work: of a library that was loaded, or compiled at run time.
void checkKernels(const RawProfile &profile, const Request &request, const Build &candidate, Result &result)
{
    if (request.mode == "paper" || !request.candidate.libraries.empty() || candidate.resources.empty()) return;
    bool told = false;
    for (const LaunchRow &launch : profile.launches) {
        if (!launch.isKernel() || launch.mangled.empty()) continue;
        told = true;
        if (std::ranges::find(candidate.resources, launch.mangled, &KernelResources::symbol) !=
            candidate.resources.end())
            continue;
        return result.fail("kernels of its own", "it launched " + launch.name +
                                                     ", which its code does not define: the work of a library, or of "
                                                     "code compiled at run time, does not count in the mode " +
                                                     request.mode);
    }
    if (told) result.pass("kernels of its own");
}

} // namespace

void profileCandidate(Machine &machine, const Request &request, HostCommand command, const Build &candidate,
                      const Toolkit &toolkit, const std::string &programFolder, const Progress &progress,
                      Result &result)
{
    if (request.times.empty()) return result.skip("profile", "there is no size to profile at");
    const std::string &wanted = request.profiler;
    const bool full = wanted == "ncu-full", byNcu = full || wanted == "ncu";
    if (!byNcu && wanted != "cupti" && wanted != "auto")
        return result.skip("profile", "there is no profiler \"" + wanted + "\"");
    const std::string ncu = findNcu(toolkit.nvcc.substr(0, toolkit.nvcc.rfind('/')));
    const auto askNcu = [&] {
        if (ncu.empty()) return missingNcu();
        progress("profiling", 0, 1, "by ncu");
        return profileByNcu(machine, request, command, toolkit, ncu, full);
    };
    Seen seen;
    if (byNcu) {
        seen = {askNcu(), "Counters by ncu, as asked for.", {}};
    } else {
        progress("profiling", 0, 1, "by CUPTI");
        seen = {
            profileByCupti(machine, request, command, toolkit, programFolder), "Counters by CUPTI, as asked for.", {}};
        const std::string lack = wanted == "auto" ? lackOf(seen.by) : std::string();
        if (wanted == "auto" && lack.empty())
            seen.why = "Counters by CUPTI: it is quick, and had them all.";
        else if (wanted == "auto" && isForbidden(seen.by))
            seen.why = leftOf(seen.by) + ": " + lack + ", and ncu would not be allowed to read counters either.";
        else if (wanted == "auto")
            complete(seen, askNcu(), lack);
    }
    const RawProfile &profile = seen.by.profile;
    for (std::string &remark : profileRemarks(profile))
        if (std::ranges::find(seen.remarks, remark) == seen.remarks.end()) seen.remarks.push_back(std::move(remark));
    result.evidence["profile"] = {{"source", profile.source}, {"version", profile.version}, {"why", seen.why},
                                  {"passes", profile.passes}, {"seconds", profile.seconds}, {"remarks", seen.remarks}};
    if (profile.launches.empty()) {
        const std::string &own = seen.by.why;
        return result.skip("profile", !own.empty()           ? own
                                      : seen.remarks.empty() ? "no kernel was seen"
                                                             : seen.remarks.front());
    }
    result.kernels = kernelProfiles(profile, Ceilings::from(request.ceilings, profile.device), full);
    result.launches = std::uint64_t(launchCount(profile));
    result.pass("profile", std::to_string(result.launches) + " kernels a call. " + seen.why);
    checkKernels(profile, request, candidate, result);
    progress("profiling", 1, 1, {});
}

} // namespace kernelskill::cuda
