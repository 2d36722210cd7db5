// SPDX-License-Identifier: Apache-2.0
// kernelskill-sim-worker: one request on stdin, messages on stdout (core/worker/worker_process.h). Holds the simulated
// device and the protocol; the candidate runs in a confined process of its own, whose output is only ever a log.
#include "kit/foreign_names.h"
#include "kit/json_lines.h"
#include "worker/program_run.h"
#include "worker/stages.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unistd.h>

using namespace kernelskill::simulator;

namespace {

int refuse(kernelskill::kit::JsonLineChannel &channel, const std::string &why)
{
    channel.send({{"done", true}, {"error", why}});
    return 2;
}

void checkNames(const WorkRequest &request, WorkResult &result)
{
    std::vector<std::string> names;
    std::string error;
    if (!kernelskill::kit::foreignNames(request.library, names, error))
        result.skip("names", error);
    else if (!names.empty())
        result.fail("names", "the candidate defines " + names.front() +
                                 ", which belongs to the run time: other code in its process would call it");
    else
        result.pass("names");
}

// What several processes of the candidate wrote alike is wanted once.
void addLogs(CandidateSession &first, const CheckLogs &logs, WorkResult &result)
{
    WorkResult ended;
    first.finish(ended);
    std::set<std::string_view> known;
    if (logs.firstCounts) result.log += *known.insert(ended.log).first;
    for (const std::string &log : logs.others) {
        if (known.insert(log).second) result.log += log;
    }
}

void work(const WorkRequest &request, const GpuModel &gpu, kernelskill::kit::JsonLineChannel &channel,
          WorkResult &result)
{
    const Progress progress = [&](const std::string &stage, int done, int total) {
        channel.send({{"stage", stage}, {"progress", done}, {"total", total}});
    };
    auto session = std::make_unique<CandidateSession>(request, gpu, gpu.executionModel());
    checkNames(request, result);
    CheckLogs logs;
    if (session->start(result)) {
        logs = checkCandidate(session, request, gpu, progress, result);
        if (!result.hasFailed() && !session->server().isPoisoned())
            timeCandidate(*session, request, gpu, progress, result);
        if (!result.hasFailed()) result.concludePrecision(request.mode);
    } else {
        for (const CheckCase &one : request.checks)
            result.skip(one.name, "the candidate did not start");
    }
    addLogs(*session, logs, result);
}

// Bytes as the code points of the same numbers: any output survives the trip through JSON.
std::string latin(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            result += c;
        } else {
            result += static_cast<char>(0xc0 | byte >> 6);
            result += static_cast<char>(0x80 | (byte & 0x3f));
        }
    }
    return result;
}

int serveProgram(const nlohmann::json &object, kernelskill::kit::JsonLineChannel &channel)
{
    const auto request = ProgramRequest::parse(object);
    if (!request) return refuse(channel, request.error());
    const auto gpu = GpuModel::read(request->gpuFile);
    if (!gpu) return refuse(channel, gpu.error());
    const ProgramResult result = runProgram(*request, *gpu, [&](bool isError, std::string_view text) {
        channel.send({{isError ? "stderr" : "stdout", latin(text)}});
    });
    if (!result.work.trouble.empty()) return refuse(channel, result.work.trouble);
    channel.send(result.toJson());
    return 0;
}

} // namespace

int main()
{
    kernelskill::kit::JsonLineChannel channel(STDIN_FILENO, STDOUT_FILENO);
    channel.sendHello("kernelskill-sim-worker");
    const auto object = channel.receive();
    if (!object) return 1;
    if (object->contains("program")) return serveProgram(object->at("program"), channel);
    const auto request = WorkRequest::parse(*object);
    if (!request) return refuse(channel, request.error());
    const auto gpu = GpuModel::read(request->gpuFile);
    if (!gpu) return refuse(channel, gpu.error());
    WorkResult result;
    work(*request, *gpu, channel, result);
    if (!result.trouble.empty()) return refuse(channel, result.trouble);
    channel.send(result.toJson());
    return 0;
}
