// SPDX-License-Identifier: Apache-2.0
#include "kit/confine.h"
#include "kit/confine_internal.h"
#include "kit/program_folder.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace kernelskill::kit {

namespace fs = std::filesystem;

namespace {

std::string searchPath(const std::string &name, const std::string &path)
{
    std::size_t start = 0;
    while (start <= path.size()) {
        const std::size_t end = std::min(path.find(':', start), path.size());
        const std::string candidate = path.substr(start, end - start) + "/" + name;
        if (candidate.front() == '/' && access(candidate.c_str(), X_OK) == 0) return candidate;
        start = end + 1;
    }
    return {};
}

void append(std::vector<std::string> &target, std::initializer_list<std::string> words)
{
    target.insert(target.end(), words);
}

// Merged-usr systems have /bin and its kin as links into /usr, older ones as folders.
void addSystemFolders(std::vector<std::string> &arguments)
{
    append(arguments, {"--ro-bind", "/usr", "/usr"});
    for (const char *path : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
        std::error_code code;
        if (fs::is_symlink(path, code))
            append(arguments, {"--symlink", fs::read_symlink(path, code).string(), path});
        else if (fs::is_directory(path, code))
            append(arguments, {"--ro-bind", path, path});
    }
    // Of /etc only what the dynamic linker and the alternatives need: no accounts, no keys, no host's name.
    for (const char *path : {"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"})
        append(arguments, {"--ro-bind-try", path, path});
    std::error_code code;
    const std::string cuda = fs::canonical("/usr/local/cuda", code).string();
    if (!code && !cuda.starts_with("/usr/")) append(arguments, {"--ro-bind", cuda, cuda});
}

void addPrivateFolders(std::vector<std::string> &arguments, std::int64_t bytes)
{
    const std::string size = std::to_string(std::max<std::int64_t>(bytes, 4096));
    append(arguments, {"--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm"});
    append(arguments, {"--size", size, "--tmpfs", "/tmp", "--dir", "/tmp/home"});
}

std::vector<std::pair<std::string, std::string>> childEnvironment(const ConfineCommand &command)
{
    std::vector<std::pair<std::string, std::string>> result{
        {"PATH", internal::childPath}, {"LANG", "C.UTF-8"}, {"HOME", "/tmp/home"}, {"TMPDIR", "/tmp"}};
    result.insert(result.end(), command.environment.begin(), command.environment.end());
    return result;
}

} // namespace

namespace internal {

std::string findProgram(const std::string &program)
{
    if (program.find('/') == std::string::npos) return searchPath(program, childPath);
    return access(program.c_str(), X_OK) == 0 && !fs::is_directory(program) ? fs::absolute(program).string()
                                                                            : std::string();
}

} // namespace internal

std::string bubblewrapProgram()
{
    const char *path = std::getenv("PATH");
    const std::string found = searchPath("bwrap", path ? path : "");
    if (!found.empty()) return found;
    if (std::string usual = searchPath("bwrap", internal::childPath); !usual.empty()) return usual;
    // A bundle carries one. The system's own comes first: it may be the only one that has leave to make namespaces.
    const std::string bundle = bundleFolder();
    return bundle.empty() ? std::string() : searchPath("bwrap", bundle + "/lib/start");
}

std::vector<std::string> confineArguments(const ConfineCommand &command, int filterDescriptor, int statusDescriptor)
{
    std::vector<std::string> arguments{bubblewrapProgram(), "--unshare-all", "--die-with-parent", "--new-session",
                                       "--cap-drop",        "ALL",           "--clearenv",        "--hostname",
                                       "sandbox"};
    for (const auto &[name, value] : childEnvironment(command)) append(arguments, {"--setenv", name, value});
    addSystemFolders(arguments);
    addPrivateFolders(arguments, command.limits.fileBytes);
    // Before what the caller wants seen, which may lie inside it.
    if (const std::string bundle = bundleFolder(); !bundle.empty()) append(arguments, {"--ro-bind", bundle, bundle});
    for (const std::string &path : command.devices) append(arguments, {"--dev-bind", path, path});
    for (const std::string &path : command.readable) append(arguments, {"--ro-bind", path, path});
    for (const std::string &path : command.writable) append(arguments, {"--bind", path, path});
    const std::string &folder = command.workingFolder;
    if (!folder.empty()) append(arguments, {"--bind", folder, folder});
    append(arguments, {"--chdir", folder.empty() ? "/tmp" : folder});
    // The new root and /dev are memory without a limit: nobody may fill them.
    append(arguments, {"--remount-ro", "/dev", "--remount-ro", "/"});
    if (filterDescriptor >= 0) append(arguments, {"--seccomp", std::to_string(filterDescriptor)});
    if (statusDescriptor >= 0) append(arguments, {"--json-status-fd", std::to_string(statusDescriptor)});
    arguments.push_back("--");
    // The limit on processes counts within the new user namespace only once it is inside: set outside, it would count
    // everything else the person runs.
    if (const std::string limiter = searchPath("prlimit", "/usr/bin:/bin"); !limiter.empty()) {
        const std::string count = std::to_string(command.limits.processes);
        append(arguments, {limiter, "--nproc=" + count + ":" + count, "--"});
    }
    const std::string program = internal::findProgram(command.program);
    arguments.push_back(program.empty() ? command.program : program);
    arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
    return arguments;
}

} // namespace kernelskill::kit
