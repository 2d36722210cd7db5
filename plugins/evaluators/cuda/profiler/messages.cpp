// SPDX-License-Identifier: Apache-2.0
#include "messages.h"

#include <algorithm>
#include <cctype>

namespace kernelskill::cuda {

namespace {

struct Known
{
    std::string_view sign, sentence;
};

constexpr std::string_view noNcu = "ncu is not installed on the GPU machine or not on its PATH: install Nsight Compute "
                                   "(it comes with the CUDA toolkit) "
                                   "or choose the profiler cupti.";
constexpr std::string_view notAllowed =
    "This user may not read the GPU's counters (ERR_NVGPUCTRPERM): an administrator of the GPU machine can allow it by "
    "the module option \"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" in /etc/modprobe.d and a restart, or "
    "run "
    "the worker for you; times, launches and static analysis go on without counters.";
constexpr std::string_view mismatch =
    "CUPTI and the GPU driver do not fit together: use the CUDA toolkit that the driver supports (nvidia-smi shows its "
    "version), or a newer driver; times, launches and static analysis go on without counters.";
constexpr std::string_view busy =
    "Another tool holds the GPU's counters: stop it (DCGM lets go with \"dcgmi profile --pause\") and evaluate again.";

// In this order: the first sign found in the text decides.
constexpr Known known[] = {
    {"ERR_NVGPUCTRPERM", notAllowed},
    {"CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES",
     "The virtual GPU may not be profiled: whoever runs the hypervisor has to enable profiling for it; times, launches "
     "and static analysis go on without counters."},
    {"CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", notAllowed},
    {"no_ncu", noNcu},
    {"graph_launch",
     "CUPTI has no counters for the kernels of a CUDA graph: choose the profiler ncu, which sees every node; times and "
     "launches are complete."},
    {"launches_vary",
     "The candidate launches other kernels from call to call, so counters may be mixed up: choose the profiler ncu, or "
     "make the launches of a call depend on its arguments alone."},
    {"ranges_differ",
     "The counters do not match the kernels that were launched and are left out: choose the profiler ncu."},
    {"first_launches_only",
     "A call launches very many kernels, so counters are those of its first launches: a smaller size of the task shows "
     "all of them."},
    {"not compatible with Nsight Compute",
     "This ncu and the GPU driver do not fit together: install the Nsight Compute that comes with a CUDA toolkit which "
     "the driver supports, or a newer driver; the profiler cupti may work meanwhile."},
    {"CUPTI_ERROR_NOT_COMPATIBLE", mismatch},
    {"CUPTI_ERROR_NOT_INITIALIZED", mismatch},
    {"CUPTI_ERROR_INVALID_CHIP_NAME", "This CUPTI does not know the GPU, which is newer than it: install a newer CUDA "
                                      "toolkit; times, launches and static "
                                      "analysis go on without counters."},
    {"resource was unavailable", busy},
    {"CUPTI_ERROR_HARDWARE_BUSY", busy},
    {"CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
     "Another profiler is attached to the process: run the evaluation without it (look for CUDA_INJECTION64_PATH)."},
    {"InterprocessLockFailed",
     "Another user's ncu left its lock behind: remove /tmp/nsight-compute-lock or give TMPDIR a folder of your own."},
    {"CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED",
     "Counters cannot be read on a slice of a GPU (MIG): use a whole GPU; times and launches go on without counters."},
    {"CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED",
     "Counters cannot be read while confidential computing is on: an administrator can turn it off for this GPU; times "
     "and launches go on without counters."},
    {"CUPTI_ERROR_OUT_OF_MEMORY", "The profiler ran out of memory for its samples: fewer launches in a call or smaller "
                                  "sizes help; the other parts of "
                                  "the profile are complete."},
    {"device_unsupported",
     "This device's counters cannot be read by CUPTI in its present configuration (virtual GPU, WSL, confidential "
     "computing or too old): use ncu or another GPU; times and launches go on without counters."},
    {"too_many_counters",
     "The counters over time do not fit into one pass on this GPU, so there is no timeline; everything else is "
     "complete."},
    {"No kernels were profiled",
     "The profiler saw no kernel: the candidate launched none while it was watched; look at its log."},
    {"not an Nsight Compute profiler report",
     "The file is no report of ncu (.ncu-rep), or one of a newer ncu than this machine's."},
    {"Could not open report file",
     "The report cannot be opened: check that it exists, can be read and was written by ncu (.ncu-rep)."},
    {"Failed to find metric", "This ncu does not know one of the counters asked for: install the Nsight Compute of "
                              "CUDA 12.6 or newer, or choose "
                              "the profiler cupti."},
};

// The first line that says something, without ncu's own mark, cut to a readable length.
std::string firstLine(std::string_view text)
{
    std::string chosen;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const bool error = line.starts_with("==ERROR== ");
        if (error)
            chosen = line.substr(10);
        else if (chosen.empty() && !line.empty() && !line.starts_with("=="))
            chosen = line;
        if (error) break;
    }
    while (!chosen.empty() && (std::isspace(static_cast<unsigned char>(chosen.back())) || chosen.back() == '.'))
        chosen.pop_back();
    return chosen.size() <= 200 ? chosen : chosen.substr(0, 200) + "…";
}

std::string listed(const std::vector<std::string> &names)
{
    constexpr std::size_t most = 4;
    std::string result;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
        result += (i ? ", " : "") + names[i];
    if (names.size() > most) result += " and " + std::to_string(names.size() - most) + " more";
    return result;
}

} // namespace

std::string explainProfiler(int status, std::string_view text)
{
    for (const Known &one : known)
        if (text.find(one.sign) != std::string_view::npos) return std::string(one.sentence);
    if (status == 0) return {};
    if (status == 127) return std::string(noNcu);
    const std::string said = firstLine(text);
    if (text.find("cannot open shared object file") != std::string_view::npos ||
        text.find("undefined symbol") != std::string_view::npos)
        return "The profiling library cannot be loaded (" + said +
               "): empty its cache folder, so that it is built for the CUDA toolkit of now; the evaluation goes on "
               "without counters.";
    return "The profiler failed" + (status == 1 ? "" : " with status " + std::to_string(status)) +
           (said.empty() ? "" : ": " + said) + "; the evaluation goes on with times and static analysis.";
}

std::string explainMissingNcu()
{
    return std::string(noNcu);
}

std::string explainLibraryBuild(int status, std::string_view text)
{
    std::string said = firstLine(text);
    if (said.empty()) said = "status " + std::to_string(status);
    switch (status) {
    case 0:
        return {};
    case 10:
        return "CUPTI's headers are missing on the GPU machine (" + said +
               "): install the CUDA toolkit with CUPTI (package cuda-cupti-dev), set CUDA_HOME, or choose the profiler "
               "ncu.";
    case 11:
        return "CUPTI is too old on the GPU machine (" + said +
               "): install CUDA 12.6 or newer, or choose the profiler ncu.";
    case 12:
        return "CUPTI's library is missing on the GPU machine (" + said +
               "): install the CUDA toolkit with CUPTI, or choose the profiler ncu.";
    case 14:
        return "The GPU machine has no C++ compiler for the profiling library (" + said +
               "): install g++, set CXX, or choose the profiler ncu.";
    case 15:
        return "The profiling library cannot be stored on the GPU machine (" + said +
               "): make room or give the worker a cache folder that it may write.";
    default:
        return "The profiling library does not compile on the GPU machine (" + said +
               "): choose the profiler ncu and report which CUDA toolkit this is.";
    }
}

std::string explainMissingCounters(const std::vector<std::string> &withoutValue,
                                   const std::vector<std::string> &unknownNames)
{
    std::string said;
    if (!withoutValue.empty()) said = "the profiler gave no number (NaN) for " + listed(withoutValue);
    if (!unknownNames.empty())
        said += (said.empty() ? "" : "; ") + ("this GPU or profiler has no counter " + listed(unknownNames));
    if (said.empty()) return {};
    said[0] = char(std::toupper(static_cast<unsigned char>(said[0])));
    return said + ": what is made of them is shown as missing, and the profiler ncu may have it.";
}

} // namespace kernelskill::cuda
