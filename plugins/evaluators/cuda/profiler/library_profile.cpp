// SPDX-License-Identifier: Apache-2.0
#include "launch_row.h"

#include <nlohmann/json.hpp>

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>

namespace kernelskill::cuda {

namespace {

using Json = nlohmann::json;

// Members of the wrong type count as absent: the file comes from a process that ran foreign code.
const Json &member(const Json &object, const char *name)
{
    static const Json nothing;
    if (!object.is_object()) return nothing;
    const auto found = object.find(name);
    return found == object.end() ? nothing : *found;
}

const Json &list(const Json &object, const char *name)
{
    static const Json nothing = Json::array();
    const Json &value = member(object, name);
    return value.is_array() ? value : nothing;
}

// The objects among a list's members, each made into a row.
template <typename Row, typename Make> std::vector<Row> rows(const Json &object, const char *name, Make make)
{
    std::vector<Row> result;
    for (const Json &one : list(object, name))
        if (one.is_object()) result.push_back(make(one));
    return result;
}

double number(const Json &object, const char *name, double otherwise = 0)
{
    const Json &value = member(object, name);
    return value.is_number() ? value.get<double>() : otherwise;
}

int integer(const Json &object, const char *name, int otherwise = 0)
{
    const double value = number(object, name, otherwise);
    return value >= -2147483648.0 && value <= 2147483647.0 ? int(value) : otherwise;
}

std::string text(const Json &object, const char *name)
{
    const Json &value = member(object, name);
    return value.is_string() ? value.get<std::string>() : std::string();
}

std::array<int, 3> triple(const Json &object, const char *name, int otherwise)
{
    std::array<int, 3> result{otherwise, otherwise, otherwise};
    const Json &value = member(object, name);
    for (std::size_t i = 0; i < 3 && value.is_array() && i < value.size(); ++i) {
        if (value[i].is_number_integer()) result[i] = value[i].get<int>();
    }
    return result;
}

std::vector<double> numbers(const Json &value)
{
    std::vector<double> result;
    for (const Json &one : value)
        result.push_back(one.is_number() ? one.get<double>() : std::numeric_limits<double>::quiet_NaN());
    return result;
}

std::map<std::string, double> named(const Json &value)
{
    std::map<std::string, double> result;
    if (!value.is_object()) return result;
    for (const auto &[name, one] : value.items())
        result[name] = one.is_number() ? one.get<double>() : std::numeric_limits<double>::quiet_NaN();
    return result;
}

std::map<std::string, std::uint64_t> samples(const Json &value)
{
    std::map<std::string, std::uint64_t> result;
    if (!value.is_object()) return result;
    for (const auto &[name, one] : value.items()) {
        if (one.is_number_unsigned()) result[name] = one.get<std::uint64_t>();
    }
    return result;
}

std::uint64_t count(const Json &object, const char *name)
{
    return std::uint64_t(std::max(0.0, number(object, name)));
}

LaunchRow launch(const Json &object)
{
    LaunchRow row;
    row.kind = text(object, "kind");
    row.mangled = text(object, "name");
    row.name = readableName(row.mangled);
    row.grid = triple(object, "grid", 1);
    row.block = triple(object, "block", 1);
    row.cluster = triple(object, "cluster", 0);
    row.registers = integer(object, "registers", -1);
    row.staticShared = integer(object, "static_shared", -1);
    row.dynamicShared = integer(object, "dynamic_shared", -1);
    row.localBytes = integer(object, "local_bytes", -1);
    row.bytes = number(object, "bytes");
    row.graph = member(object, "graph") == true;
    row.counters = named(member(object, "counters"));
    if (std::vector<double> durations = numbers(list(object, "durations_ns")); !durations.empty()) {
        std::ranges::sort(durations);
        row.duration_ns = durations[durations.size() / 2];
    } else if (const auto found = row.counters.find("gpu__time_duration.sum"); found != row.counters.end()) {
        row.duration_ns = found->second;
    }
    const Json &timeline = member(object, "timeline");
    row.timeline.interval_us = number(timeline, "interval_us");
    if (const Json &metrics = member(timeline, "metrics"); metrics.is_object()) {
        for (const auto &[name, values] : metrics.items())
            if (values.is_array()) row.timeline.metrics[name] = numbers(values);
    }
    return row;
}

FunctionSamples function(const Json &object)
{
    return {text(object, "name"), count(object, "samples"), samples(member(object, "stalls")),
            rows<LineSamples>(object, "lines", [](const Json &line) {
                return LineSamples{text(line, "file"), integer(line, "line"), count(line, "samples"),
                                   samples(member(line, "stalls"))};
            })};
}

} // namespace

std::string readableName(const std::string &mangled)
{
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
    return mangled.starts_with("_Z") && status == 0 && name ? std::string(name.get()) : mangled;
}

bool addCounters(RawProfile &profile, const RawProfile &other)
{
    std::vector<LaunchRow *> to;
    for (LaunchRow &launch : profile.launches)
        if (launch.isKernel()) to.push_back(&launch);
    std::vector<const LaunchRow *> from;
    for (const LaunchRow &launch : other.launches)
        if (launch.isKernel()) from.push_back(&launch);
    // Profilers write names in their own ways, so shapes are compared.
    const auto same = [](const LaunchRow *a, const LaunchRow *b) { return a->grid == b->grid && a->block == b->block; };
    if (to.empty() || !std::ranges::equal(to, from, same)) return false;
    for (std::size_t i = 0; i < to.size(); ++i)
        if (to[i]->counters.empty()) to[i]->counters = from[i]->counters;
    std::erase_if(profile.problems, [](const ProfilerProblem &problem) { return problem.part == "counters"; });
    profile.problems.insert(profile.problems.end(), other.problems.begin(), other.problems.end());
    return true;
}

RawProfile parseLibraryProfile(std::string_view json)
{
    RawProfile profile;
    profile.source = "cupti";
    const Json root = Json::parse(json, nullptr, false);
    if (integer(root, "schema") != 1) {
        profile.problems.push_back({"launches", "bad_profile", "the profiling library's file cannot be read"});
        return profile;
    }
    if (const int version = integer(root, "cupti"); version > 0) profile.version = "CUPTI " + std::to_string(version);
    const Json &device = member(root, "device");
    profile.device = {integer(device, "multiprocessors"), integer(device, "threads_per_sm"),
                      integer(device, "blocks_per_sm"),   integer(device, "registers_per_sm"),
                      integer(device, "shared_per_sm"),   integer(device, "shared_reserved_per_block"),
                      number(device, "clock_khz"),        number(device, "memory_clock_khz"),
                      number(device, "memory_bus_bits")};
    profile.launches = rows<LaunchRow>(root, "launches", launch);
    profile.functions = rows<FunctionSamples>(root, "functions", function);
    profile.problems = rows<ProfilerProblem>(root, "problems", [](const Json &one) {
        return ProfilerProblem{text(one, "part"), text(one, "code"), text(one, "text")};
    });
    for (const Json &one : list(root, "unknown_counters"))
        if (one.is_string()) profile.unknownCounters.push_back(one.get<std::string>());
    profile.busyFraction = number(root, "busy_fraction", -1);
    profile.passes = integer(root, "passes");
    profile.seconds = named(member(root, "seconds"));
    return profile;
}

} // namespace kernelskill::cuda
