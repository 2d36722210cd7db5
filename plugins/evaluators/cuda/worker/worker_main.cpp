// SPDX-License-Identifier: Apache-2.0
// kernelskill-cuda-worker: one request on stdin, messages on stdout (core/worker/worker_process.h). Owns the device's
// memory, the clock and the protocol; candidate and baseline run in confined processes of their own, whose output is
// only ever a log.
#include "evaluate.h"
#include "report_import.h"
#include "version.h"

#include "kit/group_keeper.h"
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

} // namespace

int main()
{
    const kit::GroupKeeper keeper; // before any thread
    kit::JsonLineChannel channel(STDIN_FILENO, STDOUT_FILENO);
    channel.send({{"hello", "kernelskill-cuda-worker"},
                  {"protocol", kit::protocolVersion},
                  {"version", cuda::workerVersion},
                  {"filters_system_calls", filtersSystemCalls}});
    const auto object = channel.receive();
    if (!object) return 1;
    const kit::Lifeline lifeline(STDIN_FILENO, object->value("silence_s", 0.0));
    if (object->contains("list_devices")) {
        channel.send(cuda::listMachine());
        return 0;
    }
    if (object->contains("import_report")) {
        const cuda::Result imported = cuda::importedReport(object->value("import_report", std::string()));
        channel.send(imported.toJson());
        return imported.trouble.empty() ? 0 : 2;
    }
    std::string error;
    cuda::Request request;
    cuda::Result result;
    const cuda::Progress progress = [&](const std::string &stage, int done, int total, const std::string &text) {
        channel.send({{"stage", stage}, {"progress", done}, {"total", total}, {"text", text}});
    };
    if (cuda::Request::parse(*object, request, error))
        cuda::evaluate(request, kit::programFolder(), progress, result);
    else
        result.giveUp(cuda::trouble::request, error);
    channel.send(result.toJson());
    return result.trouble.empty() ? 0 : 2;
}
