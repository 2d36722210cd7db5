// SPDX-License-Identifier: Apache-2.0
#include "kit/program_folder.h"

#include <algorithm>
#include <cerrno> // program_invocation_name
#include <filesystem>

namespace kernelskill::kit {

namespace fs = std::filesystem;

namespace {

// <bundle>/lib/ld-linux-x86-64.so.2, ld-linux-aarch64.so.1
bool isLinker(const fs::path &executable)
{
    return executable.filename().string().starts_with("ld-linux") && executable.parent_path().filename() == "lib";
}

std::string executable()
{
    std::error_code code;
    return fs::read_symlink("/proc/self/exe", code).string();
}

// As main() got it: what `--argv0` of the linker said, which /proc/self/cmdline does not show.
std::string firstArgument()
{
    std::error_code code;
    const fs::path named = program_invocation_name;
    return named.is_absolute() ? fs::weakly_canonical(named, code).string() : named.string();
}

} // namespace

std::string programFolder(const std::string &executable, const std::string &firstArgument)
{
    const fs::path path = executable, named = firstArgument;
    return (isLinker(path) && named.is_absolute() ? named : path).parent_path().string();
}

std::string bundleFolder(const std::string &executable, const std::string &firstArgument)
{
    const fs::path path = executable, named = firstArgument;
    if (!isLinker(path) || !named.is_absolute()) return {};
    const fs::path root = path.parent_path().parent_path();
    const auto [at, unused] = std::mismatch(root.begin(), root.end(), named.begin(), named.end());
    return at == root.end() ? root.string() : std::string();
}

std::string programFolder()
{
    return programFolder(executable(), firstArgument());
}

std::string bundleFolder()
{
    return bundleFolder(executable(), firstArgument());
}

} // namespace kernelskill::kit
