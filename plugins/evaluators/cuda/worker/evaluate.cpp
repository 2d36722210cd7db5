// SPDX-License-Identifier: Apache-2.0
#include "evaluate.h"

#include "check_stage.h"
#include "lease.h"
#include "profile_stage.h"
#include "program_build.h"
#include "time_stage.h"
#include "toolkit.h"

#include "kit/confine.h"

namespace kernelskill::cuda {

namespace {

struct Built
{
    Toolkit toolkit;
    Build candidate, baseline;
    std::string tools; // cubin of the supervisor's kernels
};

// False when there is nothing to run: the result says why.
bool build(const Request &request, const DeviceFacts &device, const std::string &programFolder, Built &built,
           Result &result)
{
    Toolkit &toolkit = built.toolkit;
    if (!Toolkit::find(request.compiler, toolkit, result.trouble) ||
        !toolkit.fitsDriver(device.driverVersion, result.trouble))
        return false;
    Builder builder(toolkit, device.target(), programFolder, request.unconfined, request.limits.build_ms);
    // One after the other: a child dies with the thread that started it, and two compilers at once gain little.
    if (!builder.buildTools(built.tools, result.trouble) ||
        !builder.build(request.baseline, built.baseline, result.trouble) ||
        !builder.build(request.candidate, built.candidate, result.trouble))
        return false;
    if (!built.baseline.ok) {
        result.trouble = "The task's baseline does not compile: " + built.baseline.log;
        return false;
    }
    result.build = built.candidate.toJson();
    result.build["compiler"] = "nvcc " + toolkit.version;
    if (built.candidate.ok) return true;
    result.status = built.candidate.timedOut ? "timeout" : "build_failed";
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

} // namespace

void evaluate(const Request &request, const std::string &programFolder, const Progress &progress, Result &result)
{
    const Driver *driver = Driver::load(result.trouble);
    DeviceFacts device;
    if (!driver || !findDevice(*driver, request.device, device, result.trouble)) return;
    result.device = device.toJson();
    if (!request.unconfined && !kit::confineSupport().available) {
        result.trouble = "Candidates cannot be confined on this machine: " + kit::confineSupport().reason + ". " +
                         kit::confineSupport().remedy;
        return;
    }
    Built built;
    progress("building", 0, 1, {});
    if (!build(request, device, programFolder, built, result)) return;
    // Compilers need no GPU: the lease begins only now.
    Lease lease;
    const auto waiting = [&] { progress("waiting", 0, 1, "waiting for the GPU"); };
    if (!lease.take(device.uuid, request.limits.lease_ms, waiting, result.trouble)) return;
    if (!enterContext(*driver, device, result.trouble)) return;
    Machine machine(*driver, device);
    if (!machine.tools.load(built.tools)) {
        result.trouble = machine.tools.error();
        return;
    }
    runStages(request, programFolder, built, machine, progress, result);
    if (request.profile && !result.hasFailed())
        profileCandidate(machine, request, hostCommand(request, programFolder, built, built.candidate), built.toolkit,
                         programFolder, progress, result);
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
