// SPDX-License-Identifier: Apache-2.0
// kernelskill-cuda-worker: one request on stdin, messages on stdout (core/worker/worker_process.h). Owns the device's
// memory, the clock and the protocol; candidate and baseline run in confined processes of their own, whose output is
// only ever a log.
#include "evaluate.h"

#include "kit/json_lines.h"
#include "kit/lifeline.h"
#include "kit/program_folder.h"

#include <nlohmann/json.hpp>

#include <string>
#include <unistd.h>

using namespace kernelskill;

namespace {

#ifdef KERNELSKILL_WITHOUT_SECCOMP
constexpr bool filtersSystemCalls = false;
#else
constexpr bool filtersSystemCalls = true;
#endif

int refuse(kit::JsonLineChannel &channel, const std::string &why)
{
    channel.send({{"done", true}, {"error", why}});
    return 2;
}

} // namespace

int main()
{
    kit::JsonLineChannel channel(STDIN_FILENO, STDOUT_FILENO);
    channel.send({{"hello", "kernelskill-cuda-worker"},
                  {"protocol", kit::protocolVersion},
                  {"filters_system_calls", filtersSystemCalls}});
    const auto object = channel.receive();
    if (!object) return 1;
    const kit::Lifeline lifeline(STDIN_FILENO, object->value("silence_s", 0.0));
    if (object->contains("list_devices")) {
        channel.send(cuda::listMachine());
        return 0;
    }
    std::string error;
    cuda::Request request;
    if (!cuda::Request::parse(*object, request, error)) return refuse(channel, error);
    const cuda::Progress progress = [&](const std::string &stage, int done, int total, const std::string &text) {
        channel.send({{"stage", stage}, {"progress", done}, {"total", total}, {"text", text}});
    };
    cuda::Result result;
    cuda::evaluate(request, kit::programFolder(), progress, result);
    if (!result.trouble.empty()) return refuse(channel, result.trouble);
    channel.send(result.toJson());
    return 0;
}
