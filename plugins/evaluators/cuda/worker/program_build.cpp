// SPDX-License-Identifier: Apache-2.0
#include "program_build.h"

#include "kit/confine.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace kernelskill::cuda {

namespace fs = std::filesystem;

namespace {

constexpr const char *libraryFile = "candidate.so";
constexpr const char *objectFile = "unit.o"; // left by --keep
constexpr const char *logFile = "compiler.log";
constexpr const char *wrapped = "--wrap=cudaLaunchKernel,--wrap=__cudaLaunchKernel,--wrap=cudaLaunchKernelExC,"
                                "--wrap=cudaLaunchCooperativeKernel,--wrap=cudaGraphLaunch,--wrap=cudaMemcpy,"
                                "--wrap=cudaMemcpyAsync";

std::vector<std::string> libraryArguments(const std::string &architecture)
{
    return {"-shared",
            "-Xcompiler",
            "-fPIC",
            "-Xcompiler",
            "-fvisibility=hidden",
            "-O3",
            "-lineinfo",
            "-std=c++17",
            "-cudart",
            "static",
            "-arch=" + architecture,
            "-Xptxas",
            "-v",
            "--keep",
            "-Xlinker",
            wrapped,
            "-o",
            libraryFile,
            "unit.cu",
            "counter.cpp"};
}

// A candidate's own paths stay below src/.
bool staysInside(const std::string &path)
{
    const fs::path normal = fs::path(path).lexically_normal();
    return !path.empty() && normal.is_relative() && *normal.begin() != "..";
}

// The first file in a folder whose name ends so: nvcc's intermediate files carry the architecture in theirs.
std::string fileEnding(const std::string &folder, const std::string &ending)
{
    std::error_code code;
    for (const auto &entry : fs::directory_iterator(folder, code))
        if (entry.path().filename().string().ends_with(ending)) return entry.path().string();
    return {};
}

} // namespace

struct Builder::Job
{
    std::vector<SourceFile> files;
    std::vector<std::string> arguments;
    std::string made; // what must be there at the end
    bool unconfined = false;
};

Builder::Builder(Toolkit toolkit, std::string architecture, std::string dataFolder, bool unconfined, int limit_ms)
    : m_toolkit(std::move(toolkit)), m_architecture(std::move(architecture)), m_dataFolder(std::move(dataFolder)),
      m_unconfined(unconfined), m_limit_ms(limit_ms), m_cache(BuildCache::standardFolder())
{
}

bool Builder::build(const Program &program, Build &result, std::string &error)
{
    Job job{{{"unit.cu", program.unit}, {"counter.cpp", readFile(m_dataFolder + "/counter.cpp")}},
            libraryArguments(m_architecture),
            libraryFile,
            m_unconfined};
    for (const std::string &library : program.libraries) {
        if (library.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != std::string::npos) {
            error = "\"" + library + "\" is no name of a library.";
            return false;
        }
        job.arguments.push_back("-l" + library);
    }
    if (!program.libraries.empty()) // where the system's loader does not look by itself
        job.arguments.insert(job.arguments.end(), {"-Xlinker", "-rpath=" + m_toolkit.folder + "/lib64"});
    for (const SourceFile &file : program.files) {
        if (!staysInside(file.path)) {
            error = "The file name \"" + file.path + "\" leads out of the candidate's folder.";
            return false;
        }
        job.files.push_back({"src/" + file.path, file.text});
    }
    if (!run(job, result, error)) return false;
    describe(result);
    return true;
}

bool Builder::buildTools(std::string &cubin, std::string &error)
{
    const std::string source = m_dataFolder + "/supervisor_kernels.cu", text = readFile(source);
    if (text.empty()) {
        error = "The worker is not complete: " + source + " is missing. Install it again.";
        return false;
    }
    const Job job{{{"tools.cu", text}},
                  {"-cubin", "-O3", "-std=c++17", "-arch=" + m_architecture, "-o", "tools.cubin", "tools.cu"},
                  "tools.cubin",
                  true};
    Build result;
    if (!run(job, result, error)) return false;
    cubin = result.folder + "/" + job.made;
    if (!result.ok)
        error = "nvcc " + m_toolkit.version + " does not compile the supervisor's own kernels: " + result.log;
    return result.ok;
}

bool Builder::run(const Job &job, Build &result, std::string &error)
{
    std::string key = m_toolkit.nvcc + " " + m_toolkit.version + "\n";
    for (const std::string &argument : job.arguments)
        key += argument + "\n";
    for (const SourceFile &file : job.files)
        key += file.path + " " + std::to_string(file.text.size()) + "\n" + file.text + "\n";
    const auto begin = std::chrono::steady_clock::now();
    result.folder = m_cache.find(key);
    result.cached = !result.folder.empty();
    if (!result.cached) {
        const std::string folder = m_cache.makeWorkFolder(error);
        if (folder.empty()) return false;
        if (!compile(job, folder, result, error)) return false;
        if (result.timedOut) {
            std::error_code code;
            fs::remove_all(folder, code);
            return true;
        }
        result.folder = m_cache.keep(folder, key, error);
        if (result.folder.empty()) return false;
        m_cache.prune();
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.log = readFile(result.folder + "/" + logFile);
    std::error_code code;
    result.ok = fs::exists(result.folder + "/" + job.made, code);
    return true;
}

bool Builder::compile(const Job &job, const std::string &folder, Build &result, std::string &error)
{
    std::error_code code;
    for (const SourceFile &file : job.files) {
        const fs::path path = fs::path(folder) / file.path;
        fs::create_directories(path.parent_path(), code);
        if (!writeFile(path.string(), file.text)) {
            error = "There is no place to build in: " + path.string() + " cannot be written.";
            return false;
        }
    }
    kit::ConfineCommand command;
    command.program = m_toolkit.nvcc;
    command.arguments = job.arguments;
    command.workingFolder = folder;
    command.readable = {m_toolkit.folder};
    command.unconfined = job.unconfined;
    command.limits.wallClock_ms = m_limit_ms;
    command.limits.cpu_s = m_limit_ms / 1000;
    command.limits.memoryBytes = std::int64_t(16) << 30;
    kit::ConfinedEnd end;
    if (!kit::runConfined(command, end, error)) {
        error = "The compiler's sandbox does not come up: " + error;
        return false;
    }
    result.timedOut = end.kind == kit::ConfinedEnd::Kind::TimedOut;
    if (result.timedOut)
        result.log = "nvcc did not finish within " + std::to_string(m_limit_ms / 1000) + " seconds";
    else if (!end.succeeded())
        fs::remove(fs::path(folder) / job.made, code);
    return result.timedOut || writeFile(folder + "/" + logFile, end.standardOutput + end.standardError);
}

// What a person reads about it: PTX, SASS, resources.
void Builder::describe(Build &result) const
{
    result.object = fileEnding(result.folder, objectFile);
    if (!result.ok) return;
    result.library = result.folder + "/" + libraryFile;
    result.resources = resourcesIn(result.log);
    // Some releases leave that of the plain architecture as well.
    const std::string ptx = fileEnding(result.folder, m_architecture.substr(3) + ".ptx");
    result.ptx = readFile(ptx.empty() ? fileEnding(result.folder, ".ptx") : ptx);
    const std::string listing = result.folder + "/candidate.sass";
    std::error_code code;
    if (!m_toolkit.cuobjdump.empty() && !fs::exists(listing, code)) {
        kit::ConfineCommand command;
        command.program = m_toolkit.cuobjdump;
        command.arguments = {"-sass", result.library};
        command.readable = {m_toolkit.folder, result.folder};
        command.unconfined = m_unconfined;
        command.limits.outputBytes = std::int64_t(16) << 20;
        kit::ConfinedEnd end;
        std::string error;
        if (kit::runConfined(command, end, error) && end.succeeded()) [[maybe_unused]]
            const bool written = writeFile(listing, end.standardOutput);
    }
    result.sass = readFile(listing);
}

nlohmann::json Build::toJson() const
{
    nlohmann::json rows = nlohmann::json::array();
    for (const KernelResources &one : resources)
        rows.push_back({{"kernel", one.kernel},
                        {"registers", one.registers},
                        {"spill_bytes", one.spillBytes},
                        {"shared", one.sharedBytes}});
    return {{"ok", ok},   {"cached", cached}, {"seconds", seconds}, {"log", log},
            {"ptx", ptx}, {"sass", sass},     {"resources", rows}};
}

} // namespace kernelskill::cuda
