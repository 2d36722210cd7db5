// SPDX-License-Identifier: Apache-2.0
#include "evaluate.h"

#include "check_stage.h"
#include "lease.h"
#include "profile_stage.h"
#include "program_build.h"
#include "time_stage.h"
#include "toolkit.h"

#include "kit/confine.h"
#include "kit/foreign_names.h"

#include <thread>

namespace kernelskill::cuda {

namespace {

struct Built
{
    Toolkit toolkit;
    Build candidate, baseline;
    std::string tools; // cubin of the supervisor's kernels
};

// Side by side, each compiler waited for in a thread of its own. A candidate that is the baseline is built once.
bool buildAll(Builder &builder, const Request &request, Built &built, Result &result)
{
    const bool same = request.candidate == request.baseline;
    std::string errors[3];
    bool done[3] = {false, false, true};
    std::thread tools([&] { done[0] = builder.buildTools(built.tools, errors[0]); });
    std::thread baseline([&] { done[1] = builder.build(request.baseline, built.baseline, errors[1]); });
    if (!same) done[2] = builder.build(request.candidate, built.candidate, errors[2]);
    tools.join();
    baseline.join();
    if (same) built.candidate = built.baseline;
    for (const int i : {0, 1, 2})
        if (!done[i]) result.giveUp(trouble::build, errors[i]);
    return result.trouble.empty();
}

// A candidate has no business with names that the run time, the driver or the C library go by.
void checkNames(const Build &candidate, Result &result)
{
    std::vector<std::string> names;
    std::string error;
    if (candidate.object.empty())
        result.skip("names", "the compiler kept no object file to look at");
    else if (!kit::foreignNames(candidate.object, names, error))
        result.skip("names", error);
    else if (!names.empty())
        result.fail("names", "the candidate defines " + names.front() +
                                 ", which belongs to the run time: other code in its process would call it");
    else
        result.pass("names");
}

// False when there is nothing to run: the result says why.
bool build(const Request &request, const DeviceFacts &device, const std::string &programFolder, Built &built,
           Result &result)
{
    Toolkit &toolkit = built.toolkit;
    std::string error;
    if (!Toolkit::find(request.compiler, toolkit, error) || !toolkit.fitsDriver(device.driverVersion, error)) {
        result.giveUp(trouble::compiler, error);
        return false;
    }
    Builder builder(toolkit, device.target(), programFolder, request.unconfined, request.limits.build_ms);
    if (!buildAll(builder, request, built, result)) return false;
    if (!built.baseline.ok) {
        result.giveUp(trouble::baseline, "The task's baseline does not compile: " + built.baseline.log);
        return false;
    }
    result.build = built.candidate.toJson();
    result.build["compiler"] = "nvcc " + toolkit.version;
    if (built.candidate.ok) return true;
    result.status = built.candidate.timedOut ? "timeout" : "build_failed";
    // What does not link may clash with the names that it took.
    if (!built.candidate.object.empty()) checkNames(built.candidate, result);
    return false;
}

HostCommand hostCommand(const Request &request, const std::string &programFolder, const Built &built, const Build &one)
{
    HostCommand command;
    command.program = programFolder + "/kernelskill-cuda-host";
    command.library = one.library;
    command.tools = built.tools;
    command.unconfined = request.unconfined;
    command.memoryBytes = request.limits.hostMemoryBytes;
    return command;
}

void runStages(const Request &request, const std::string &programFolder, const Built &built, Machine &machine,
               const Progress &progress, Result &result)
{
    Side baseline("the baseline"), candidate("the candidate");
    progress("checking", 0, 1, "starting the candidate");
    const bool started = machine.start({{&baseline, hostCommand(request, programFolder, built, built.baseline)},
                                        {&candidate, hostCommand(request, programFolder, built, built.candidate)}},
                                       request.limits.call_ms, result);
    if (!started) {
        for (const kit::CheckCase &one : request.checks)
            result.skip(one.name, "the candidate did not start");
        return;
    }
    {
        CheckStage checks(machine, request, candidate, baseline);
        checks.run(progress, result);
        if (!result.hasFailed() && !request.times.empty())
            TimeStage(machine, request, candidate, baseline).run(progress, result);
        if (!result.hasFailed()) checks.runAfter(progress, result);
    }
    machine.finish(candidate, result);
    machine.finish(baseline, result);
}

// Launches are counted in the candidate's own code only.
void concludeLibraryWork(Result &result)
{
    if (result.workUnseen && result.launches > 0)
        result.pass("work on the device", "kernels of a library, as the profiler saw");
    else if (result.workUnseen)
        result.skip("work on the device", "only a profiler sees the kernels of a library, and none did");
}

} // namespace

void evaluate(const Request &request, const std::string &programFolder, const Progress &progress, Result &result)
{
    std::string error;
    const Driver *driver = Driver::load(error);
    if (!driver) return result.giveUp(trouble::driver, error);
    DeviceFacts device;
    if (!findDevice(*driver, request.device, device, error)) return result.giveUp(trouble::device, error);
    result.device = device.toJson();
    if (!request.unconfined && !kit::confineSupport().available)
        return result.giveUp(trouble::sandbox, "Candidates cannot be confined on this machine: " +
                                                   kit::confineSupport().reason + ". " + kit::confineSupport().remedy);
    Built built;
    progress("building", 0, 1, {});
    if (!build(request, device, programFolder, built, result) || request.buildOnly) return;
    checkNames(built.candidate, result);
    // Compilers need no GPU: the lease begins only now.
    Lease lease;
    const auto waiting = [&] { progress("waiting", 0, 1, "waiting for the GPU"); };
    if (!lease.take(device.uuid, request.limits.lease_ms, waiting, error)) return result.giveUp(trouble::busy, error);
    if (!enterContext(*driver, device, error)) return result.giveUp(trouble::device, error);
    Machine machine(*driver, device);
    if (!machine.tools.load(built.tools)) return result.giveUp(trouble::device, machine.tools.error());
    runStages(request, programFolder, built, machine, progress, result);
    if (request.profile && !result.hasFailed())
        profileCandidate(machine, request, hostCommand(request, programFolder, built, built.candidate), built.candidate,
                         built.toolkit, programFolder, progress, result);
    concludeLibraryWork(result);
}

nlohmann::json listMachine()
{
    nlohmann::json answer{{"done", true}, {"devices", nlohmann::json::array()}, {"tools", toolsFound()}};
    std::string reason;
    if (const Driver *driver = Driver::load(reason)) {
        for (const DeviceFacts &device : listDevices(*driver))
            answer["devices"].push_back(device.toJson());
    }
    answer["reason"] = reason; // why there are no devices
    return answer;
}

} // namespace kernelskill::cuda
