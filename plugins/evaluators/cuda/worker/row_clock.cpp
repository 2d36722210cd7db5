// SPDX-License-Identifier: Apache-2.0
// The supervisor's own clock. Calls in a row, each on inputs of its own, wait at a gate on the device: a word of memory
// that only the supervisor can write. Their inputs are made only once they wait, so nothing can be computed ahead; then
// the gate opens and the clock runs until the host says that the device has finished, which the outputs must confirm.
// The device's own time for these calls cannot be longer than that. A candidate whose events tell much less is not
// believed.
#include "time_stage.h"

#include "kit/statistics.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace kernelskill::cuda {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int rounds = 3, retries = 4;
constexpr double rowBudget_s = 0.3; // of one row
// A solve that waits for its own work inside holds its row back; it goes on as soon as the gate opens.
constexpr int patience_ms = 100;
// How much longer calls in a row may take than their events say: kernels have gaps, and opening the gate and hearing of
// the end takes its time, which the baseline shows too.
constexpr double share = 1.15, gap_us = 1, ends_us = 40;
// One call alone leaves up to an L2 of its outputs unwritten; in a row the next one waits for them to reach memory,
// which half of its peak rate is enough for.
constexpr double writeShare = 0.5, unknownRate_gb_s = 200;
constexpr double flushedL2s = 2; // what the host reads before a sample

double microseconds(Clock::duration time)
{
    return std::chrono::duration<double, std::micro>(time).count();
}

} // namespace

int TimeStage::rowLength(const Size &size)
{
    return std::clamp(int(rowBudget_s / std::max(size.pair_s, 1e-6)), 1, size.sets.count());
}

bool TimeStage::row(Size &size, bool candidate, bool gated, double &each_us, Result &result)
{
    Side &one = side(candidate);
    const int calls = rowLength(size);
    const int limit_ms = m_request.limits.call_ms + int(1e3 * 10 * calls * size.pair_s);
    nlohmann::json request{{"do", "row"}, {"calls", nlohmann::json::array()}, {"gate", nullptr}};
    for (int set = 0; set < calls; ++set)
        request["calls"].push_back(size.sets.slots(set));
    if (gated) request["gate"] = {m_gate, 0};
    const DevicePointer gate = m_machine.slab(m_gate).address();
    m_machine.tools.clear(gate, sizeof(std::uint32_t));
    m_machine.tools.settle();

    nlohmann::json reply;
    auto outcome = one.process.post(request);
    if (outcome == HostProcess::Outcome::Answered) outcome = one.process.await(reply, gated ? patience_ms : limit_ms);
    const bool armed = outcome == HostProcess::Outcome::Answered;
    if (!armed && (!gated || outcome != HostProcess::Outcome::TimedOut)) {
        m_machine.blame(one, outcome, reply, limit_ms, result);
        return false;
    }
    if (gated) size.rows[candidate].waited = armed;
    for (int set = 0; set < calls; ++set)
        size.sets.refresh(set, size.draw);
    m_machine.tools.settle();
    const Clock::time_point begin = Clock::now();
    if (gated) {
        const std::uint32_t open = 1;
        m_machine.tools.upload(gate, &open, sizeof open);
    } else {
        one.process.go();
    }
    if (!armed && !m_machine.await(one, reply, limit_ms, result)) return false;
    if (!m_machine.await(one, reply, limit_ms, result)) return false;
    each_us = microseconds(Clock::now() - begin) / calls;
    return true;
}

// The fastest of a few rounds: what disturbs only adds.
bool TimeStage::rowRounds(Size &size, bool candidate, bool gated, Result &result)
{
    double &best = gated ? size.rows[candidate].queued_us : size.rows[candidate].host_us;
    const std::uint64_t draw = size.draw;
    const int count = size.pair_s > rowBudget_s ? 1 : rounds;
    for (int round = 0; round < count; ++round) {
        size.draw = draw + std::uint64_t(round);
        double each_us = 0;
        if (!row(size, candidate, gated, each_us, result)) return false;
        best = best == 0 ? each_us : std::min(best, each_us);
    }
    // Both programs get the same draws, or there would be nothing to compare.
    size.draw = candidate ? draw + std::uint64_t(count) : draw;
    return true;
}

// The baseline's outputs are held; the candidate's calls in a row are compared one by one. At the gate their inputs are
// made while they wait, so a wrong output there, of a program that is right everywhere else, means that it did not
// wait.
void TimeStage::compareRows(Size &size, bool gated)
{
    std::string &what = gated ? size.early : size.wrong;
    for (int set = 0; set < rowLength(size); ++set)
        if (const auto differs = size.sets.differs(set, true); differs && what.empty())
            what = "of calls in a row " + *differs;
}

bool TimeStage::timeRows(Size &size, Result &result)
{
    for (const bool gated : {true, false}) {
        for (const bool candidate : {false, true}) {
            const std::uint64_t draw = size.draw;
            if (!rowRounds(size, candidate, gated, result)) return false;
            // A busy machine disturbs now and then, a candidate that lies takes its time always.
            for (int again = 0; again < retries && candidate && gated && !clockAgrees(size); ++again) {
                size.draw = draw;
                if (!rowRounds(size, candidate, gated, result)) return false;
            }
            for (int set = 0; set < rowLength(size) && !candidate; ++set)
                size.sets.hold(set);
            if (candidate) compareRows(size, gated);
        }
    }
    return true;
}

// The longest one of the candidate's calls in a row may take for its events to be believed.
double TimeStage::allowedWall_us(const Size &size) const
{
    const int calls = rowLength(size);
    const DeviceFacts &device = m_machine.device;
    const double writeRate_gb_s = writeShare * (device.dram_gb_s() > 0 ? device.dram_gb_s() : unknownRate_gb_s);
    const double writing_us = double(std::min(size.sets.outputBytes(), device.l2Bytes)) / (writeRate_gb_s * 1e3);
    // A solve that waits for its own work has, in a sample, the time of the flush to get going, and in a row it has
    // not.
    const double starting_us = size.rows[1].waited ? 0 : flushedL2s * double(device.l2Bytes) / (writeRate_gb_s * 1e3);
    const double around_us = std::max(0.0, calls * (size.rows[0].queued_us - kit::median(size.samples[0].time_us)));
    return share * kit::median(size.samples[1].time_us) + gap_us + writing_us + starting_us +
           (around_us + ends_us) / calls;
}

bool TimeStage::clockAgrees(const Size &size) const
{
    return size.rows[1].queued_us <= allowedWall_us(size);
}

void TimeStage::concludeClock(const Size &size, Result &result)
{
    m_clockChecked = true;
    result.evidence["sizes"][size.order->name]["wall_allowed_us"] = allowedWall_us(size);
    if (clockAgrees(size)) return;
    char text[240];
    std::snprintf(
        text, sizeof text,
        "at size %s the events say %.1f µs a call, but %d calls in a row took %.1f µs each by the supervisor's "
        "clock (%.1f µs would agree)",
        size.order->name.c_str(), kit::median(size.samples[1].time_us), rowLength(size), size.rows[1].queued_us,
        allowedWall_us(size));
    m_clockFaults.push_back(text);
}

} // namespace kernelskill::cuda
