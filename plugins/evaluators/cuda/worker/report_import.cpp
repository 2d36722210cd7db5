// SPDX-License-Identifier: Apache-2.0
#include "report_import.h"

#include "profiler/metrics.h"
#include "profiler/ncu_report.h"
#include "toolkit.h"

namespace kernelskill::cuda {

Result importedReport(const std::string &path)
{
    Result result;
    Toolkit toolkit;
    std::string error;
    const bool hasToolkit = Toolkit::find({}, toolkit, error);
    const std::string ncu = findNcu(hasToolkit ? toolkit.nvcc.substr(0, toolkit.nvcc.rfind('/')) : std::string());
    if (ncu.empty()) {
        result.giveUp(trouble::profiler, path + ": only ncu reads such a report, and this machine has none: install "
                                                "Nsight Compute or put ncu into PATH.");
        return result;
    }
    const RawProfile profile = importReport(path, ncu);
    const std::vector<std::string> remarks = profileRemarks(profile);
    if (profile.launches.empty()) {
        result.giveUp(trouble::report, path + ": " + (remarks.empty() ? "holds no kernel." : remarks.front()));
        return result;
    }
    result.kernels = kernelProfiles(profile, Ceilings::from({}, profile.device), true);
    result.launches = std::uint64_t(launchCount(profile));
    result.evidence["profile"] = {{"source", "ncu"},
                                  {"version", ncuVersion(ncu)},
                                  {"why", "From the report " + path + "."},
                                  {"remarks", remarks}};
    return result;
}

} // namespace kernelskill::cuda
