// SPDX-License-Identifier: Apache-2.0
// Reads what `ptxas -v` prints:
//   ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90a'
//   ptxas info    : Function properties for _Z1kPf
//       0 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
//   ptxas info    : Used 32 registers, used 1 barriers, 4096 bytes smem
#include "program_build.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <sstream>

namespace kernelskill::cuda {

namespace {

// "name(parameters)" without the parameters; what is no mangled name stays.
std::string readable(const std::string &symbol)
{
    int status = 0;
    const std::unique_ptr<char, void (*)(void *)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                       std::free);
    if (status != 0 || !text) return symbol;
    const std::string name = text.get();
    return name.substr(0, name.find('('));
}

// The number before a word: 8 for "8 bytes spill stores". 0 when it is not there.
std::int64_t numberBefore(const std::string &line, const std::string &words)
{
    const std::size_t place = line.find(words);
    if (place == std::string::npos || place < 2) return 0;
    std::size_t begin = place - 1;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9')
        --begin;
    return std::atoll(line.c_str() + begin);
}

} // namespace

std::vector<KernelResources> resourcesIn(const std::string &compilerOutput)
{
    std::vector<KernelResources> found;
    std::istringstream lines(compilerOutput);
    bool open = false; // within an entry: device functions have properties too
    for (std::string line; std::getline(lines, line);) {
        const std::size_t entry = line.find("Compiling entry function '");
        if (entry != std::string::npos) {
            const std::size_t begin = entry + 26;
            const std::string symbol = line.substr(begin, line.find('\'', begin) - begin);
            found.push_back({readable(symbol), 0, 0, 0, symbol});
            open = true;
        } else if (open && line.find("bytes spill stores") != std::string::npos) {
            found.back().spillBytes =
                numberBefore(line, " bytes spill stores") + numberBefore(line, " bytes spill loads");
        } else if (open && line.find("Used ") != std::string::npos) {
            found.back().registers = int(numberBefore(line, " registers"));
            found.back().sharedBytes = numberBefore(line, " bytes smem");
            open = false;
        }
    }
    return found;
}

} // namespace kernelskill::cuda
