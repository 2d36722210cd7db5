// SPDX-License-Identifier: Apache-2.0
// Samples are taken in the order A B B A, where A is the baseline and B the candidate. Both of a pair get the same
// fresh inputs in the same memory; the outputs are poisoned before each and compared after each pair, on the GPU. The
// host reads twice the L2's size before the first event, so that both start from the same cold cache.
//
// The events are the candidate's process's word. So the supervisor also clocks calls in a row itself (row_clock.cpp).
#include "time_stage.h"

#include "freshness.h"

#include "kit/statistics.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace kernelskill::cuda {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int warmUps = 3;
constexpr int fewestPairs = 6;
constexpr int fewestSlowPairs = 3;  // of calls that take seconds
constexpr int fewestGenerated = 12; // with inputs of the task's own generator: some new, some seen before
constexpr double slowPair_s = 1.0;
// Nothing left to wait for is found out in a few microseconds; more is work the end event did not wait for.
constexpr double tailFloor_us = 25, tailShare = 0.05;

// Two processes with the same program differ by about this much, by where their code and pages lie: seen on an H200. It
// is constant within a process, so samples do not show it.
constexpr double processSpread_us = 0.15;

double seconds(Clock::duration time)
{
    return std::chrono::duration<double>(time).count();
}

} // namespace

TimeStage::TimeStage(Machine &machine, const Request &request, Side &candidate, Side &baseline)
    : m_machine(machine), m_request(request), m_candidate(candidate), m_baseline(baseline),
      m_telemetry(machine.device.uuid)
{
}

void TimeStage::run(const Progress &progress, Result &result)
{
    std::string error;
    m_gate = m_machine.addSlab(1, error);
    if (m_gate < 0) result.giveUp(trouble::memory, "The GPU has no memory left: " + error);
    // Not writable for the candidate: it may wait at the gate, not open it.
    bool alive = m_gate >= 0 && m_machine.share(m_gate, false, m_candidate, result) &&
                 m_machine.share(m_gate, false, m_baseline, result);
    const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(m_request.limits.stage_ms);
    for (const kit::TimeCase &one : m_request.times) {
        if (alive && Clock::now() > deadline)
            result.skip("timing " + one.name, "the time for timings was used up");
        else if (alive && result.trouble.empty())
            alive = timeSize(one, progress, result);
        else
            result.skip("timing " + one.name, "an earlier failure ended the candidate's process");
        if (!m_machine.tools.error().empty()) result.giveUp(trouble::device, m_machine.tools.error());
    }
    if (alive && result.trouble.empty()) concludeState(result);
    m_telemetry.addTo(result.evidence);
}

// False when nothing further can be timed.
bool TimeStage::timeSize(const kit::TimeCase &one, const Progress &progress, Result &result)
{
    Size size(m_machine, m_request);
    size.order = &one;
    size.draw = m_draws;
    if (!size.sets.create(one, m_candidate, m_baseline, result)) return result.status == "ok" && result.trouble.empty();
    const bool done = warmUp(size, result) && samplePairs(size, pairsFor(size.pair_s), progress, result) &&
                      (!size.wrong.empty() || timeRows(size, result));
    m_draws = size.draw;
    if (!done) {
        result.skip("timing " + one.name, "the candidate did not survive a timed call");
        return false;
    }
    conclude(size, result);
    return true;
}

bool TimeStage::callOnce(Size &size, bool candidate, int set, bool flush, Samples *into, int sample, Result &result)
{
    size.sets.refresh(set, size.draw); // before each, so that both find memory and caches in the same state
    m_machine.tools.settle();
    Side &one = side(candidate);
    nlohmann::json reply;
    const auto sent = one.process.post({{"do", "call"}, {"slots", size.sets.slots(set)}, {"flush", flush}});
    if (sent == HostProcess::Outcome::Answered && into) m_telemetry.sample(sample);
    if (!m_machine.await(one, reply, m_request.limits.call_ms, result)) return false;
    if (!into) return true;
    into->time_us.push_back(std::max(0.0, numberIn(reply, "event_us")));
    into->tail_us.push_back(std::max(0.0, numberIn(reply, "tail_us")));
    return true;
}

// Both programs once on the same fresh inputs, their outputs compared.
bool TimeStage::pair(Size &size, bool candidateFirst, int set, int sample, bool flush, Result &result)
{
    for (const bool first : {true, false}) {
        const bool candidate = candidateFirst == first;
        Samples *into = sample >= 0 ? &size.samples[candidate] : nullptr;
        if (!callOnce(size, candidate, set, flush, into, sample, result)) return false;
        if (first) size.sets.hold(set);
    }
    const auto differs = size.sets.differs(set, !candidateFirst);
    if (differs && size.wrong.empty()) size.wrong = *differs;
    ++size.draw;
    return true;
}

// First calls load code and raise clocks. The very first gets the request's own inputs, for which there may be a
// reference.
bool TimeStage::warmUp(Size &size, Result &result)
{
    size.draw = 0;
    for (int i = 0; i < warmUps; ++i) {
        const Clock::time_point begin = Clock::now();
        if (!pair(size, false, 0, -1, true, result)) return false;
        size.pair_s = seconds(Clock::now() - begin);
        if (i == 0) {
            concludeOutputs(size, result);
            size.draw = std::max<std::uint64_t>(1, m_draws);
        }
        if (size.pair_s > slowPair_s) break;
    }
    return true;
}

int TimeStage::pairsFor(double pair_s) const
{
    const int affordable = int(std::min(1e6, m_request.limits.sampling_s / std::max(pair_s, 1e-6)));
    const int fewest = m_request.generated ? fewestGenerated : pair_s > slowPair_s ? fewestSlowPairs : fewestPairs;
    return std::clamp(affordable, fewest, std::max(fewest, m_request.samples));
}

bool TimeStage::samplePairs(Size &size, int pairs, const Progress &progress, Result &result)
{
    const std::vector<bool> order = kit::abbaOrder(std::size_t(pairs));
    size.sets.takeTurns(size.draw);
    for (int i = 0; i < pairs && size.wrong.empty(); ++i) {
        if (i % 10 == 0) progress("timing", i, pairs, size.order->name);
        // At random: taking turns would tie a set to who comes first.
        const int set = int(kit::Seed::of(size.draw, "set").value() % std::uint64_t(size.sets.count()));
        size.firstSight.push_back(size.sets.isFirstSight(size.draw));
        if (!pair(size, order[std::size_t(i) * 2], set, m_sample++, true, result)) return false;
    }
    progress("timing", pairs, pairs, size.order->name);
    return true;
}

// Right after the first pair of all, whose inputs the reference knows.
void TimeStage::concludeOutputs(Size &size, Result &result)
{
    const std::string &name = size.order->name;
    if (const auto unwritten = size.sets.unwritten(0, 0))
        result.fail("work at size " + name, *unwritten);
    else
        result.pass("work at size " + name);
    if (!size.sets.hasReference() || size.sets.isJudged()) return;
    std::string error;
    const auto wrong = size.sets.wrongOutput(0, error);
    if (!error.empty())
        result.skip("outputs at size " + name, error);
    else if (wrong)
        size.wrong = *wrong;
}

void TimeStage::conclude(Size &size, Result &result)
{
    const std::string &name = size.order->name;
    if (!size.wrong.empty()) {
        result.fail("outputs at size " + name, size.wrong);
        return;
    }
    if (!size.sets.isJudged()) result.pass("outputs at size " + name, "after every sample");
    if (m_request.generated) concludeFreshness(size, result);
    if (const auto broken = size.sets.brokenGuard())
        result.fail("nothing but outputs written at size " + name, *broken);
    concludeStream(size);
    concludeClock(size, result);
    concludeTail(size, result);
    addTiming(size, result);
}

// A generated input comes again and again. That is as good as fresh ones when seeing it again saves nothing.
void TimeStage::concludeFreshness(const Size &size, Result &result)
{
    const std::string name = "fresh inputs at size " + size.order->name;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < size.samples[1].time_us.size(); ++i) {
        const double usual = size.samples[0].time_us[i];
        ratios.push_back(usual > 0 ? size.samples[1].time_us[i] / usual : 0);
    }
    const Freshness found = freshness(ratios, size.firstSight);
    if (!found.known)
        return result.skip(name, "the task's own generator gave too few sets of inputs to see whether the candidate "
                                 "remembers them");
    result.evidence["sizes"][size.order->name]["seen_again"] = found.again / found.first;
    const std::string sets = std::to_string(size.sets.contents()) + " sets of inputs in turn";
    if (found.remembers)
        result.fail(name, "of " + sets + " each took " +
                              std::to_string(std::lround(100 * (found.first / found.again - 1))) +
                              " % longer when it came first than when it came again: the candidate remembers them");
    else
        result.pass(name, sets);
}

// By the outputs alone: the candidate's word on its streams is worth nothing.
void TimeStage::concludeStream(const Size &size)
{
    if (!size.early.empty())
        m_streamFaults.push_back(
            "at size " + size.order->name +
            " calls that waited in the stream they were given used "
            "the inputs of before: the work does not wait for that stream, nor that stream for the "
            "work (" +
            size.early + ")");
}

void TimeStage::concludeTail(const Size &size, Result &result)
{
    const double own = kit::median(size.samples[1].tail_us), usual = kit::median(size.samples[0].tail_us);
    const double allowed = usual + std::max(tailFloor_us, tailShare * kit::median(size.samples[1].time_us));
    if (own > allowed)
        m_tailFaults.push_back("at size " + size.order->name + " the device worked for " +
                               std::to_string(int(std::lround(own))) + " µs more after solve's stream had finished");
    result.evidence["sizes"][size.order->name]["tail_us"] = own;
}

void TimeStage::addTiming(const Size &size, Result &result)
{
    const Samples &baseline = size.samples[0], &candidate = size.samples[1];
    const kit::Seed seed = kit::Seed::of(0x74696d65, size.order->name);
    const kit::Range range = kit::medianInterval(candidate.time_us, seed.with("time"));
    // Pair by pair: what a set's place in memory and the minute do to a time, they do to both.
    std::vector<double> ratios;
    for (std::size_t i = 0; i < candidate.time_us.size(); ++i)
        ratios.push_back(candidate.time_us[i] > 0 ? baseline.time_us[i] / candidate.time_us[i] : 0);
    kit::Range ratio = kit::medianInterval(ratios, seed.with("ratio"));
    const double between = processSpread_us / std::max(kit::median(candidate.time_us), processSpread_us);
    ratio = {ratio.low * (1 - between), ratio.high * (1 + between)};
    kit::TimingResult timing{size.order->name, size.order->weight, kit::median(candidate.time_us),
                             range.low,        range.high,         candidate.time_us};
    if (timing.time_us > 0) {
        timing.overBaseline = kit::median(ratios);
        timing.overBaselineLow = ratio.low;
        timing.overBaselineHigh = ratio.high;
    }
    timing.host_us = size.rows[1].host_us;
    result.timings.push_back(timing);
    nlohmann::json &evidence = result.evidence["sizes"][size.order->name];
    evidence["event_us"] = timing.time_us;
    evidence["wall_us"] = size.rows[1].queued_us;
    evidence["host_us"] = size.rows[1].host_us;
    evidence["baseline_us"] = kit::median(baseline.time_us);
    evidence["baseline_wall_us"] = size.rows[0].queued_us;
    evidence["baseline_samples_us"] = baseline.time_us;
    evidence["samples"] = candidate.time_us.size();
    evidence["input_sets"] = size.sets.count();
    if (result.timings.size() > 1) return;
    for (const char *key : {"event_us", "wall_us", "samples"})
        result.evidence[key] = evidence[key];
    result.evidence["flush"] = "reads of twice the L2 before each sample, outside the window";
}

void TimeStage::concludeState(Result &result)
{
    if (!m_clockFaults.empty())
        result.fail("clock", m_clockFaults.front());
    else if (m_clockChecked)
        result.pass("clock", "the supervisor's own clock agrees with the events");
    if (!m_streamFaults.empty())
        result.fail("work in the given stream", m_streamFaults.front());
    else if (m_clockChecked)
        result.pass("work in the given stream");
    if (!m_tailFaults.empty())
        result.fail("work after the end event", m_tailFaults.front());
    else if (m_clockChecked)
        result.pass("work after the end event");
    nlohmann::json now;
    if (!m_machine.ask(m_candidate, {{"do", "state"}}, now, m_request.limits.call_ms, result)) return;
    if (numberIn(now, "persisting_l2") != numberIn(m_candidate.state, "persisting_l2"))
        result.fail("persisting L2", "the candidate set aside part of the L2 for lines that stay: its next call finds "
                                     "them, and the flush before a sample does not remove them");
    else
        result.pass("persisting L2");
}

} // namespace kernelskill::cuda
