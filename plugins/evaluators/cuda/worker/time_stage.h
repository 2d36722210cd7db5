// SPDX-License-Identifier: Apache-2.0
// How fast the candidate is, next to the baseline, at every time size.
#pragma once

#include "machine.h"
#include "telemetry.h"
#include "timed_sets.h"

#include <string>
#include <vector>

namespace kernelskill::cuda {

// Samples of one program at one size.
struct Samples
{
    std::vector<double> time_us; // between two events around solve, the L2 flushed before
    std::vector<double> tail_us; // from the second event to the end of all the device's work
};

// What the supervisor's own clock saw of calls in a row.
struct RowTimes
{
    double queued_us = 0; // of one, with all of them waiting on the device: its own work
    double host_us = 0;   // of one, launches included
    bool waited = true;   // at the gate; false when solve waits for its own work inside
};

class TimeStage
{
public:
    TimeStage(Machine &machine, const Request &request, Side &candidate, Side &baseline);
    void run(const Progress &progress, Result &result);

private:
    struct Size // one time size at work
    {
        explicit Size(Machine &machine, const Request &request) : sets(machine, request) {}
        const kit::TimeCase *order = nullptr;
        TimedSets sets;
        std::uint64_t draw = 0; // counts fresh inputs
        Samples samples[2];     // the baseline's, the candidate's
        RowTimes rows[2];
        std::vector<bool> firstSight; // of a sample: its inputs had not been seen before
        std::string wrong;            // what the comparison of a sample said
        std::string early;            // what it said of calls in a row that waited at the gate
        double pair_s = 0;            // both programs once, with everything around
    };
    [[nodiscard]] Side &side(bool candidate) { return candidate ? m_candidate : m_baseline; }
    [[nodiscard]] bool timeSize(const kit::TimeCase &one, const Progress &progress, Result &result);
    [[nodiscard]] bool callOnce(Size &size, bool candidate, int set, bool flush, Samples *into, int sample,
                                Result &result);
    [[nodiscard]] bool warmUp(Size &size, Result &result);
    [[nodiscard]] bool samplePairs(Size &size, int pairs, const Progress &progress, Result &result);
    [[nodiscard]] bool pair(Size &size, bool candidateFirst, int set, int sample, bool flush, Result &result);
    [[nodiscard]] bool timeRows(Size &size, Result &result);
    [[nodiscard]] bool row(Size &size, bool candidate, bool gated, double &each_us, Result &result);
    [[nodiscard]] bool rowRounds(Size &size, bool candidate, bool gated, Result &result);
    [[nodiscard]] int pairsFor(double pair_s) const;
    void compareRows(Size &size, bool gated);
    [[nodiscard]] static int rowLength(const Size &size);
    [[nodiscard]] double allowedWall_us(const Size &size) const;
    [[nodiscard]] bool clockAgrees(const Size &size) const;
    void conclude(Size &size, Result &result);
    void concludeOutputs(Size &size, Result &result);
    void concludeFreshness(const Size &size, Result &result);
    void concludeStream(const Size &size);
    void concludeClock(const Size &size, Result &result);
    void concludeTail(const Size &size, Result &result);
    void addTiming(const Size &size, Result &result);
    void concludeState(Result &result);

    Machine &m_machine;
    const Request &m_request;
    Side &m_candidate, &m_baseline;
    Telemetry m_telemetry;
    int m_gate = -1;  // memory that calls in a row wait for
    int m_sample = 0; // over all sizes
    std::uint64_t m_draws = 0;
    std::vector<std::string> m_clockFaults, m_tailFaults, m_streamFaults;
    bool m_clockChecked = false;
};

} // namespace kernelskill::cuda
