// SPDX-License-Identifier: Apache-2.0
// kernelskill-sim-worker: one request on stdin, messages on stdout (core/worker/worker_process.h). Holds the simulated device
// and the protocol; the candidate runs in a confined process of its own, whose output is only ever a log.
#include "worker/stages.h"

#include <cstdio>
#include <iostream>
#include <string>

using namespace kernelskill::simulator;
using Json = nlohmann::json;

namespace {

void emitMessage(const Json &message)
{
    // Text of a candidate may hold anything; what is not UTF-8 is replaced.
    const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
}

int refuse(const std::string &why)
{
    emitMessage({{"done", true}, {"error", why}});
    return 2;
}

void work(const WorkRequest &request, const GpuModel &gpu, WorkResult &result)
{
    const Progress progress = [](const std::string &stage, int done, int total) {
        emitMessage({{"stage", stage}, {"progress", done}, {"total", total}});
    };
    CandidateSession session(request, gpu, gpu.executionModel());
    if (session.start(result)) {
        checkCandidate(session, request, progress, result);
        if (!result.hasFailed() && !session.server().isPoisoned())
            timeCandidate(session, request, gpu, progress, result);
    } else {
        for (const CheckCase &one : request.checks)
            result.skip(one.name, "the candidate did not start");
    }
    session.finish(result);
}

} // namespace

int main()
{
    emitMessage({{"hello", "kernelskill-sim-worker"}, {"protocol", 1}});
    std::string line;
    if (!std::getline(std::cin, line))
        return 1;
    const Json object = Json::parse(line, nullptr, false);
    if (object.is_discarded())
        return refuse("the request is no JSON");
    const auto request = WorkRequest::parse(object);
    if (!request)
        return refuse(request.error());
    const auto gpu = GpuModel::read(request->gpuFile);
    if (!gpu)
        return refuse(gpu.error());
    WorkResult result;
    work(*request, *gpu, result);
    if (!result.trouble.empty())
        return refuse(result.trouble);
    emitMessage(result.toJson());
    return 0;
}
