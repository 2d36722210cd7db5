// SPDX-License-Identifier: Apache-2.0
#include "program_run.h"

#include "worker/candidate_process.h"
#include "worker/device_server.h"
#include "worker/process_end.h"
#include "worker/report_merge.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace kernelskill::simulator {

namespace {

using Json = nlohmann::json;

// Warp instructions a core runs in a second when all goes well, several times over: a kernel that uses up so many in
// the time the program has will not end.
constexpr std::uint64_t mostInstructionsPerSecond = 200'000'000;
constexpr std::int64_t mostOutput = std::int64_t(64) << 20;
constexpr std::string_view outputCut = "\nkernelskill: the program printed more than 64 MiB; the rest was left out\n";

std::string readText(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string name(CopyRecord::Kind kind)
{
    switch (kind) {
    case CopyRecord::Kind::Upload:
        return "host to device";
    case CopyRecord::Kind::Download:
        return "device to host";
    case CopyRecord::Kind::OnDevice:
        return "on the device";
    case CopyRecord::Kind::Fill:
        return "fills";
    case CopyRecord::Kind::Allocation:
        return "allocations";
    }
    return {};
}

bool load(DeviceServer &server, const ProgramRequest &request, ProgramResult &result)
{
    for (const std::string &path : request.ptx) {
        if (const auto loaded = server.load(readText(path)); !loaded) {
            Finding finding = processFinding("unsupported_instruction", loaded.error().message);
            finding.file = loaded.error().file;
            finding.line = loaded.error().line;
            result.work.findings.push_back(finding);
            result.work.status = "crashed";
            return false;
        }
    }
    return true;
}

CandidateCommand commandOf(const ProgramRequest &request)
{
    CandidateCommand command;
    command.host = request.host;
    command.library = request.library;
    command.programArguments = request.arguments;
    command.folder = request.folder;
    command.readable = request.readable;
    command.writable = request.writable;
    command.unconfined = request.unconfined;
    command.wallClock_ms = request.timeout_ms;
    command.cpu_s = std::max(1, request.timeout_ms / 1000);
    command.outputBytes = mostOutput;
    return command;
}

void explainEnd(CandidateProcess::Outcome outcome, const kit::ConfinedEnd &end, const ProgramRequest &request,
                ProgramResult &result)
{
    if (outcome == CandidateProcess::Outcome::TimedOut || end.kind == kit::ConfinedEnd::Kind::TimedOut) {
        result.work.status = "timeout";
        result.work.findings.push_back(processFinding("timeout", "the program did not end within " +
                                                                     std::to_string(request.timeout_ms / 1000) +
                                                                     " seconds (--timeout sets the limit)"));
    } else if (outcome == CandidateProcess::Outcome::Misbehaved) {
        result.work.status = "crashed";
        result.work.findings.push_back(processFinding("sandbox", "the program wrote into the simulator's own channel"));
    } else if (!end.startError.empty()) {
        result.work.trouble = "the sandbox did not come up: " + end.startError;
    } else if (end.kind == kit::ConfinedEnd::Kind::Exited && end.refusedCall.empty()) {
        result.ended = true;
        result.exitCode = end.exitCode;
    } else {
        explainDeath(end, "the program", result.work);
    }
}

} // namespace

std::expected<ProgramRequest, std::string> ProgramRequest::parse(const Json &object)
{
    // The library's exceptions stop here.
    try {
        ProgramRequest request;
        request.gpuFile = object.at("gpu");
        request.ptx = object.at("ptx").get<std::vector<std::string>>();
        request.host = object.at("host");
        request.library = object.at("library");
        request.folder = object.at("folder");
        request.arguments = object.at("arguments").get<std::vector<std::string>>();
        request.readable = object.at("readable").get<std::vector<std::string>>();
        request.writable = object.at("writable").get<std::vector<std::string>>();
        request.unconfined = object.at("unconfined");
        request.timeout_ms = object.at("timeout_ms");
        if (request.arguments.empty()) return std::unexpected("the program has no name");
        return request;
    } catch (const Json::exception &error) {
        return std::unexpected(std::string("the request is not understood: ") + error.what());
    }
}

Json ProgramResult::toJson() const
{
    Json object = work.toJson();
    object["ended"] = ended;
    object["exit"] = exitCode;
    object["elapsed_us"] = elapsed_us;
    object["copies"] = copies;
    return object;
}

ProgramResult runProgram(const ProgramRequest &request, const GpuModel &gpu,
                         const std::function<void(bool isError, std::string_view text)> &printed)
{
    ProgramResult result;
    Device device(gpu.executionModel());
    DeviceServer server(device, gpu);
    server.checkLaunchBudget = server.checkBlockBudget =
        mostInstructionsPerSecond * static_cast<std::uint64_t>(std::max(1, request.timeout_ms / 1000));
    if (!load(server, request, result)) return result;
    CandidateProcess process;
    process.hostLimit = std::chrono::milliseconds(request.timeout_ms);
    std::string error;
    if (!process.start(commandOf(request), error)) {
        result.work.trouble = "the program's process could not be started: " + error;
        return result;
    }
    server.begin(ServeMode::Program);
    const auto outcome = process.runProgram(
        [&](wire::Kind kind, wire::Reader &reader, wire::Writer &reply) { return server.handle(kind, reader, reply); },
        printed);
    const kit::ConfinedEnd &end = process.finish();
    const CallRecord call = server.end();
    result.work.log = device.takeOutput();
    add(result.work.findings, call.findings);
    result.work.kernels = kernelProfiles(call);
    result.work.launches = call.launchCount;
    result.elapsed_us = call.elapsed_us;
    for (const CopyRecord &copy : call.copies)
        result.copies.push_back(
            {{"kind", name(copy.kind)}, {"count", copy.count}, {"bytes", copy.bytes}, {"time_us", copy.time_us}});
    if (end.outputTruncated) printed(true, outputCut);
    explainEnd(outcome, end, request, result);
    // A program that was ended, or whose device was lost, had no chance to free anything.
    if (result.ended && !server.isPoisoned()) add(result.work.findings, server.leaks());
    return result;
}

} // namespace kernelskill::simulator
