// SPDX-License-Identifier: Apache-2.0
#include "library_build.h"

#include "messages.h"
#include "run_tool.h"

namespace kernelskill::cuda {

ProfilingLibrary profilingLibrary(const std::string &sources, const std::string &cache, const std::string &cuda)
{
    constexpr int limit_s = 300;
    std::vector<std::string> arguments{"sh", sources + "/build.sh", cache};
    if (!cuda.empty()) arguments.push_back(cuda);
    const ToolRun run = runTool(arguments, limit_s);
    if (run.status != 0) return {{}, explainLibraryBuild(run.status, run.errors)};
    return {run.output.substr(0, run.output.find('\n')), {}};
}

} // namespace kernelskill::cuda
