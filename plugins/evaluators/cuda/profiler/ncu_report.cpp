// SPDX-License-Identifier: Apache-2.0
#include "ncu_report.h"

#include "counters.h"
#include "run_tool.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace kernelskill::cuda {

namespace {

constexpr int importLimit_s = 120;

// One line of a table; quotes may hold commas, doubled quotes and line ends.
std::vector<std::string> takeLine(std::string_view &text)
{
    std::vector<std::string> fields(1);
    bool quoted = false;
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted && c == '"' && at + 1 < text.size() && text[at + 1] == '"') {
            fields.back() += '"';
            ++at;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && c == ',') {
            fields.emplace_back();
        } else if (!quoted && c == '\n') {
            ++at;
            break;
        } else if (quoted || c != '\r') {
            fields.back() += c;
        }
    }
    text.remove_prefix(at);
    return fields;
}

double prefixFactor(std::string_view &unit)
{
    constexpr std::pair<char, double> prefixes[] = {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
    for (const auto &[letter, factor] : prefixes) {
        if (unit.size() > 1 && unit[0] == letter && std::islower(static_cast<unsigned char>(unit[1]))) {
            unit.remove_prefix(1);
            return factor;
        }
    }
    return 1;
}

// Nanoseconds in a unit of time; empty for another unit.
std::optional<double> nanoseconds(std::string_view unit)
{
    constexpr std::pair<std::string_view, double> times[] = {{"ns", 1},        {"nsecond", 1}, {"us", 1e3},
                                                             {"usecond", 1e3}, {"ms", 1e6},    {"msecond", 1e6},
                                                             {"s", 1e9},       {"second", 1e9}};
    for (const auto &[name, factor] : times)
        if (unit == name) return factor;
    return std::nullopt;
}

// What a value in this unit must be multiplied by: bytes, hertz, nanoseconds, per second; "Kbyte/block" → 1000.
double baseFactor(std::string_view unit)
{
    const std::size_t slash = unit.find('/');
    std::string_view amount = unit.substr(0, slash);
    if (const auto time = nanoseconds(amount)) return *time;
    double factor = prefixFactor(amount);
    if (slash != std::string_view::npos)
        if (const auto time = nanoseconds(unit.substr(slash + 1))) factor *= 1e9 / *time;
    return factor;
}

// "17,864.15" → 17864.15, "nan" → NaN, anything else is no number.
std::optional<double> numberOf(std::string text)
{
    std::erase(text, ',');
    if (text == "nan" || text == "-nan" || text == "NaN" || text == "n/a")
        return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// "(64, 32, 1)"
std::array<int, 3> extent(const std::string &text)
{
    std::array<int, 3> result{1, 1, 1};
    std::size_t which = 0;
    for (const char *at = text.data(), *end = at + text.size(); at < end && which < 3;) {
        int value = 0;
        const auto [next, error] = std::from_chars(at, end, value);
        if (error == std::errc()) result[which++] = value;
        at = error == std::errc() ? next : at + 1;
    }
    return result;
}

// Columns about where the kernel ran; all others but its name and shape are counters.
bool isOfTheProcess(const std::string &column)
{
    constexpr std::string_view columns[] = {"ID",      "Process ID", "Process Name", "Host Name",
                                            "Context", "Stream",     "Device",       "CC"};
    return std::ranges::find(columns, column) != std::end(columns);
}

class Table
{
public:
    Table(std::vector<std::string> header, std::vector<std::string> units)
        : m_header(std::move(header)), m_units(std::move(units))
    {
        m_units.resize(m_header.size());
    }

    LaunchRow row(const std::vector<std::string> &fields) const
    {
        LaunchRow launch;
        for (std::size_t i = 0; i < std::min(fields.size(), m_header.size()); ++i) {
            const std::string &name = m_header[i];
            if (name == "Kernel Name")
                launch.name = fields[i];
            else if (name == "Block Size")
                launch.block = extent(fields[i]);
            else if (name == "Grid Size")
                launch.grid = extent(fields[i]);
            else if (!isOfTheProcess(name))
                if (const auto value = numberOf(fields[i])) launch.counters[name] = *value * baseFactor(m_units[i]);
        }
        const auto attribute = [&](const char *name) { return integer(launch, name); };
        launch.registers = attribute("launch__registers_per_thread");
        launch.staticShared = attribute("launch__shared_mem_per_block_static");
        launch.dynamicShared = attribute("launch__shared_mem_per_block_dynamic");
        for (const char *name : {"gpu__time_duration.sum", "gpu__time_duration.avg"})
            if (const auto found = launch.counters.find(name);
                found != launch.counters.end() && launch.duration_ns == 0)
                launch.duration_ns = std::isfinite(found->second) ? found->second : 0;
        return launch;
    }

    static DeviceLimits device(const LaunchRow &launch)
    {
        const auto attribute = [&](const char *name) {
            return std::max(0, integer(launch, std::string("device__attribute_") + name));
        };
        return {attribute("multiprocessor_count"),
                attribute("max_threads_per_multiprocessor"),
                attribute("max_blocks_per_multiprocessor"),
                attribute("max_registers_per_multiprocessor"),
                attribute("max_shared_memory_per_multiprocessor"),
                std::max(0, integer(launch, "launch__shared_mem_per_block_driver")),
                double(attribute("clock_rate")),
                double(attribute("memory_clock_rate")),
                double(attribute("global_memory_bus_width"))};
    }

private:
    static int integer(const LaunchRow &launch, const std::string &name)
    {
        const auto found = launch.counters.find(name);
        if (found == launch.counters.end() || !(std::abs(found->second) < 2e9)) return -1;
        return int(std::lround(found->second));
    }

    std::vector<std::string> m_header, m_units;
};

std::string linesOfNcu(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (text.starts_with("==ERROR==") || text.starts_with("==WARNING=="))
            result += std::string(text.substr(0, end)) + '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

} // namespace

std::vector<std::string> ncuArguments(NcuSet set, const std::string &ncu)
{
    std::vector<std::string> arguments{ncu,
                                       "--csv",
                                       "--page",
                                       "raw",
                                       "--print-units",
                                       "base",
                                       "--clock-control",
                                       "none",
                                       "--cache-control",
                                       "all",
                                       "--profile-from-start",
                                       "off",
                                       "--graph-profiling",
                                       "node"};
    if (set == NcuSet::Full) {
        arguments.insert(arguments.end(), {"--set", "full"});
        return arguments;
    }
    std::string names = "group:launch_metrics"; // registers, shared memory, grid
    for (const std::string &name : policyCounters())
        names += "," + name;
    arguments.insert(arguments.end(), {"--metrics", names});
    return arguments;
}

RawProfile parseNcuCsv(std::string_view text)
{
    RawProfile profile;
    profile.source = "ncu";
    const std::string said = linesOfNcu(text);
    const std::size_t start = text.find("\"ID\",");
    if (start == std::string_view::npos) {
        profile.problems.push_back({"counters", "no_table", said.empty() ? std::string(text.substr(0, 400)) : said});
        return profile;
    }
    text.remove_prefix(start);
    std::vector<std::string> header = takeLine(text);
    // The second line holds the units and no ID.
    std::vector<std::string> units;
    std::optional<Table> table;
    while (!text.empty()) {
        std::vector<std::string> fields = takeLine(text);
        if (fields.size() < 2) continue; // lines of ncu after the table
        if (!table) {
            const bool isUnits = fields[0].empty();
            table.emplace(header, isUnits ? fields : std::vector<std::string>());
            if (isUnits) continue;
        }
        if (!numberOf(fields[0])) continue;
        profile.launches.push_back(table->row(fields));
    }
    if (profile.launches.empty())
        profile.problems.push_back({"counters", "no_kernels", "No kernels were profiled\n" + said});
    else
        profile.device = Table::device(profile.launches.front());
    return profile;
}

// "Version 2025.3.1.0 (build 36398880) (public-release)"
std::string ncuVersion(const std::string &ncu)
{
    constexpr int limit_s = 20;
    const std::string said = runTool({ncu, "--version"}, limit_s).output, sign = "Version ";
    const std::size_t at = said.find(sign);
    if (at == std::string::npos) return {};
    const std::string number = said.substr(at + sign.size());
    return "ncu " + number.substr(0, number.find_first_not_of("0123456789."));
}

RawProfile importReport(const std::string &path, const std::string &ncu)
{
    const ToolRun run =
        runTool({ncu, "--import", path, "--page", "raw", "--csv", "--print-units", "base"}, importLimit_s);
    if (run.status == 0) return parseNcuCsv(run.output);
    RawProfile profile;
    profile.source = "ncu";
    profile.problems.push_back(
        {"counters", run.status == 127 ? "no_ncu" : "ncu_failed", run.errors.empty() ? run.output : run.errors});
    return profile;
}

} // namespace kernelskill::cuda
