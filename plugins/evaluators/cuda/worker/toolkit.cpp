// SPDX-License-Identifier: Apache-2.0
#include "toolkit.h"

#include "kit/confine.h"

#include "profiler/counter_access.h"
#include "profiler/messages.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace kernelskill::cuda {

namespace fs = std::filesystem;

namespace {

constexpr const char *usualFolder = "/usr/local/cuda/bin";

// "Cuda compilation tools, release 13.0, V13.0.88"
std::string releaseIn(const std::string &text)
{
    const std::size_t place = text.find("release ");
    if (place == std::string::npos) return {};
    const std::size_t begin = place + 8;
    return text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
}

std::string usualCompiler()
{
    const char *chosen = std::getenv("KERNELSKILL_NVCC");
    return chosen && *chosen ? chosen : findTool("nvcc");
}

std::string orNull(const std::string &path, nlohmann::json &value)
{
    value = path.empty() ? nlohmann::json() : nlohmann::json(path);
    return path;
}

// Whether counters may be read here, known without trying.
nlohmann::json countersFound()
{
    switch (counterAccess()) {
    case CounterAccess::Everybody:
        return {{"ok", true}, {"text", "may be read"}};
    case CounterAccess::Administrator:
        return {{"ok", true}, {"text", "may be read by administrators, as this user is one"}};
    case CounterAccess::AdministratorsButNotUs:
        break;
    }
    return {{"ok", false},
            {"text", "only administrators may read them"},
            {"remedy", explainProfiler(1, "ERR_NVGPUCTRPERM")}};
}

} // namespace

std::string findTool(const std::string &name, const std::string &besides)
{
    std::string folders = besides.empty() ? "" : besides + ":";
    if (const char *path = std::getenv("PATH")) folders += path;
    std::istringstream list(folders + ":" + usualFolder);
    for (std::string folder; std::getline(list, folder, ':');) {
        const std::string candidate = folder + "/" + name;
        if (!folder.empty() && access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
    }
    return {};
}

std::string findNcu(const std::string &nvccFolder)
{
    const char *chosen = std::getenv("KERNELSKILL_NCU");
    if (!chosen || !*chosen) return findTool("ncu", nvccFolder);
    return access(chosen, X_OK) == 0 ? chosen : std::string();
}

bool Toolkit::find(const std::string &wanted, Toolkit &toolkit, std::string &error)
{
    const std::string found = wanted.empty() ? usualCompiler() : wanted;
    std::error_code code;
    const fs::path resolved = fs::canonical(found, code);
    if (found.empty() || code) {
        error = "NVIDIA's compiler nvcc is not on this machine" + (wanted.empty() ? "" : " at " + wanted) +
                ". Install the CUDA toolkit, or put nvcc into PATH.";
        return false;
    }
    toolkit.nvcc = resolved.string();
    toolkit.folder = resolved.parent_path().parent_path().string();
    kit::ConfineCommand command;
    command.program = toolkit.nvcc;
    command.arguments = {"--version"};
    command.unconfined = true; // the machine's own compiler, with no input
    kit::ConfinedEnd end;
    if (!kit::runConfined(command, end, error) || !end.succeeded()) {
        error = "nvcc (" + toolkit.nvcc + ") does not run: " + (error.empty() ? end.standardError : error);
        return false;
    }
    toolkit.version = releaseIn(end.standardOutput);
    toolkit.major = std::atoi(toolkit.version.c_str());
    toolkit.cuobjdump = findTool("cuobjdump", resolved.parent_path().string());
    return true;
}

bool Toolkit::fitsDriver(int driverVersion, std::string &error) const
{
    if (major <= driverVersion / 1000) return true;
    error = "The NVIDIA driver (CUDA " + std::to_string(driverVersion / 1000) + "." +
            std::to_string(driverVersion % 1000 / 10) + ") is too old for this toolkit (CUDA " + version +
            "). Update the driver, or install a toolkit of CUDA " + std::to_string(driverVersion / 1000) + ".";
    return false;
}

nlohmann::json toolsFound()
{
    nlohmann::json tools;
    const std::string nvcc = orNull(usualCompiler(), tools["nvcc"]);
    std::error_code code;
    const std::string folder = nvcc.empty() ? "" : fs::canonical(nvcc, code).parent_path().string();
    orNull(findTool("cuobjdump", folder), tools["cuobjdump"]);
    orNull(findNcu(folder), tools["ncu"]);
    orNull(kit::bubblewrapProgram(), tools["bubblewrap"]);
    const fs::path root = fs::path(folder).parent_path();
    for (const char *place : {"extras/CUPTI/include/cupti.h", "include/cupti.h"})
        if (tools["cupti"].is_null() && fs::exists(root / place, code)) tools["cupti"] = (root / place).string();
    Toolkit toolkit;
    std::string error;
    tools["nvcc_version"] = Toolkit::find({}, toolkit, error) ? nlohmann::json(toolkit.version) : nlohmann::json();
    tools["counters"] = countersFound();
    tools["sandbox"] = kit::confineSupport().available ? "" : kit::confineSupport().reason;
    return tools;
}

} // namespace kernelskill::cuda
