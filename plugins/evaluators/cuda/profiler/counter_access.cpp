// SPDX-License-Identifier: Apache-2.0
#include "counter_access.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>

namespace kernelskill::cuda {

namespace {

constexpr int capabilitySysAdmin = 21; // linux/capability.h

// The word after "NAME:" at the start of a line; empty without that line.
std::string_view valueOf(std::string_view text, std::string_view name)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
        line.remove_prefix(name.size() + 1);
        const std::size_t start = std::min(line.find_first_not_of(" \t"), line.size());
        return line.substr(start, line.find_last_not_of(" \t\r") - start + 1);
    }
    return {};
}

std::string content(const char *path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

CounterAccess counterAccess(std::string_view driverParameters, std::string_view processStatus)
{
    const std::string_view only = valueOf(driverParameters, "RmProfilingAdminOnly");
    if (only.empty() || only == "0") return CounterAccess::Everybody;
    const std::string_view capabilities = valueOf(processStatus, "CapEff");
    std::uint64_t bits = 0;
    std::from_chars(capabilities.data(), capabilities.data() + capabilities.size(), bits, 16);
    return bits >> capabilitySysAdmin & 1 ? CounterAccess::Administrator : CounterAccess::AdministratorsButNotUs;
}

CounterAccess counterAccess()
{
    return counterAccess(content("/proc/driver/nvidia/params"), content("/proc/self/status"));
}

} // namespace kernelskill::cuda
