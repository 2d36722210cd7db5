// SPDX-License-Identifier: Apache-2.0
#include "timing/hot_spots.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <tuple>

namespace kernelskill::simulator {
namespace {

constexpr double worthShowing = 0.05;

std::string_view words(StallReason reason)
{
    switch (reason) {
    case StallReason::LongScoreboard:
        return "long scoreboard";
    case StallReason::ShortScoreboard:
        return "short scoreboard";
    case StallReason::Wait:
        return "fixed latency";
    case StallReason::Barrier:
        return "barrier";
    case StallReason::Branch:
        return "branch";
    case StallReason::MathPipe:
        return "busy arithmetic pipe";
    case StallReason::LgThrottle:
        return "L1 queue";
    case StallReason::NotSelected:
        return "not selected";
    case StallReason::NoInstruction:
        return "no instruction";
    case StallReason::Count:
        break;
    }
    return "fixed latency";
}

struct Totals
{
    double stalls = 0, sectors = 0, conflicts = 0;
};

std::uint64_t wastedSectors(const LineCounters &line)
{
    return line.globalSectors - std::min(line.globalSectors, line.idealSectors);
}

double share(std::uint64_t part, double whole)
{
    return whole > 0 ? static_cast<double>(part) / whole : 0;
}

// One decimal where it says something: "2.5", but "8".
std::string figure(double value)
{
    const double tenths = std::round(value * 10) / 10;
    return tenths == std::round(tenths) ? std::format("{:.0f}", tenths) : std::format("{:.1f}", tenths);
}

std::string trafficText(const LineCounters &line)
{
    if (line.globalRequests > 0) {
        const double requests = static_cast<double>(line.globalRequests);
        return std::format("{} sectors a request, {} would do",
                           figure(static_cast<double>(line.globalSectors) / requests),
                           figure(static_cast<double>(line.idealSectors) / requests));
    }
    if (line.idealSectors == 0) return {};
    return std::format("{} times the sectors that contiguous lanes would need",
                       figure(static_cast<double>(line.globalSectors) / static_cast<double>(line.idealSectors)));
}

std::string conflictText(const LineCounters &line, const Totals &totals)
{
    if (line.sharedRequests > 0) {
        const double extra = static_cast<double>(line.sharedConflicts) / static_cast<double>(line.sharedRequests);
        return std::format("{}-way bank conflict", figure(extra + 1));
    }
    return std::format("{:.0f} % of the bank conflicts", 100 * share(line.sharedConflicts, totals.conflicts));
}

// More than a tenth beyond the ideal: alignment at a buffer's edge alone is no news.
bool wastes(const LineCounters &line)
{
    return static_cast<double>(wastedSectors(line)) > 0.1 * static_cast<double>(line.idealSectors);
}

std::string describe(const LineCounters &line, const Totals &totals)
{
    std::string text;
    const auto add = [&text](const std::string &part) {
        if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
    };
    const double stalls = share(line.stallCycles, totals.stalls);
    if (stalls >= 0.005) add(std::format("{:.0f} % of stalls, {}", 100 * stalls, words(line.mainStall)));
    if (wastes(line) && share(wastedSectors(line), totals.sectors) >= worthShowing) add(trafficText(line));
    if (share(line.sharedConflicts, totals.conflicts) >= worthShowing) add(conflictText(line, totals));
    return text;
}

} // namespace

std::vector<HotSpotLine> hotSpots(const LaunchReport &report, std::size_t most)
{
    Totals totals;
    for (const LineCounters &line : report.lines) {
        totals.stalls += static_cast<double>(line.stallCycles);
        totals.sectors += static_cast<double>(line.globalSectors);
        totals.conflicts += static_cast<double>(line.sharedConflicts);
    }
    std::vector<HotSpotLine> result;
    for (const LineCounters &line : report.lines) {
        const double stalls = share(line.stallCycles, totals.stalls);
        const bool expensive = stalls >= worthShowing;
        const bool wasteful = wastes(line) && share(wastedSectors(line), totals.sectors) >= worthShowing;
        const bool conflicting = share(line.sharedConflicts, totals.conflicts) >= worthShowing;
        if (!expensive && !wasteful && !conflicting) continue;
        result.push_back({line.file, line.line, stalls, std::string(name(line.mainStall)), describe(line, totals)});
    }
    std::ranges::sort(result, [](const HotSpotLine &a, const HotSpotLine &b) {
        return std::tuple(-a.stallShare, a.file, a.line) < std::tuple(-b.stallShare, b.file, b.line);
    });
    if (result.size() > most) result.resize(most);
    return result;
}

} // namespace kernelskill::simulator
