// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <cmath>
#include <cstdio>

namespace kernelskill::profiling {

namespace {

std::string quoted(const std::string &text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            (result += '\\') += c;
        else if (static_cast<unsigned char>(c) < 0x20)
            result += ' ';
        else
            result += c;
    }
    return result + '"';
}

std::string number(double value)
{
    if (!std::isfinite(value)) return "null"; // a counter that is not a number is missing
    char text[40];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

// {"a":…, "b":…} or […] from parts that are JSON already.
class Joined
{
public:
    explicit Joined(char open, const char *between = ",") : m_text(1, open), m_between(between) {}
    Joined &add(const std::string &value)
    {
        if (m_any) m_text += m_between;
        m_any = true;
        m_text += value;
        return *this;
    }
    Joined &add(const std::string &key, const std::string &value) { return add(quoted(key) + ":" + value); }
    std::string close() { return m_text + (m_text[0] == '{' ? '}' : ']'); }

private:
    std::string m_text, m_between;
    bool m_any = false;
};

std::string triple(const int (&values)[3])
{
    return Joined('[')
        .add(std::to_string(values[0]))
        .add(std::to_string(values[1]))
        .add(std::to_string(values[2]))
        .close();
}

template <typename Map, typename Value> std::string object(const Map &map, Value value)
{
    Joined result('{');
    for (const auto &[key, one] : map)
        result.add(key, value(one));
    return result.close();
}

std::string array(const std::vector<double> &values)
{
    Joined result('[');
    for (const double value : values)
        result.add(number(value));
    return result.close();
}

std::string stalls(const Stalls &all)
{
    return object(all, [](std::uint64_t samples) { return std::to_string(samples); });
}

std::string launchText(const Launch &launch)
{
    Joined result('{');
    result.add("kind", quoted(launch.kind)).add("name", quoted(launch.name));
    result.add("durations_ns", array(launch.durations_ns));
    if (!launch.isKernel()) return result.add("bytes", std::to_string(launch.bytes)).close();
    result.add("grid", triple(launch.grid)).add("block", triple(launch.block)).add("cluster", triple(launch.cluster));
    result.add("registers", std::to_string(launch.registers));
    result.add("static_shared", std::to_string(launch.staticShared));
    result.add("dynamic_shared", std::to_string(launch.dynamicShared));
    result.add("local_bytes", std::to_string(launch.localBytes));
    result.add("graph", launch.graph ? "true" : "false");
    result.add("counters", object(launch.counters, number));
    if (!launch.timeline.metrics.empty())
        result.add("timeline", Joined('{')
                                   .add("interval_us", number(launch.timeline.interval_us))
                                   .add("metrics", object(launch.timeline.metrics, array))
                                   .close());
    return result.close();
}

std::string functionText(const std::string &name, const FunctionSamples &function)
{
    Joined lines('[');
    for (const auto &[place, line] : function.lines) {
        if (place.second == 0 || line.samples == 0) continue; // no line is known
        lines.add(Joined('{')
                      .add("file", quoted(place.first))
                      .add("line", std::to_string(place.second))
                      .add("samples", std::to_string(line.samples))
                      .add("stalls", stalls(line.stalls))
                      .close());
    }
    return Joined('{')
        .add("name", quoted(name))
        .add("samples", std::to_string(function.samples))
        .add("stalls", stalls(function.stalls))
        .add("lines", lines.close())
        .close();
}

} // namespace

std::string report(const Record &record)
{
    Joined problems('['), unknown('['), launches('[', ",\n"), functions('[', ",\n");
    for (const Problem &problem : record.problems)
        problems.add(Joined('{')
                         .add("part", quoted(problem.part))
                         .add("code", quoted(problem.code))
                         .add("text", quoted(problem.text))
                         .close());
    for (const std::string &name : record.unknownCounters)
        unknown.add(quoted(name));
    for (const Launch &launch : record.launches)
        launches.add(launchText(launch));
    for (const auto &[name, function] : record.functions)
        functions.add(functionText(name, function));
    Joined result('{', ",\n");
    result.add("schema", "1").add("cupti", std::to_string(CUPTI_API_VERSION)).add("chip", quoted(record.chip));
    result.add("device", object(record.attributes, [](int value) { return std::to_string(value); }));
    result.add("calls", std::to_string(record.calls)).add("passes", std::to_string(record.passes));
    result.add("seconds", object(record.seconds, number));
    if (record.busyFraction >= 0) result.add("busy_fraction", number(record.busyFraction));
    result.add("dropped_samples", std::to_string(record.droppedSamples));
    result.add("problems", problems.close()).add("unknown_counters", unknown.close());
    result.add("launches", launches.close()).add("functions", functions.close());
    return result.close() + "\n";
}

} // namespace kernelskill::profiling
