// SPDX-License-Identifier: Apache-2.0
// What the parts of the library collect, and the frame they share.
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kernelskill::profiling {

struct Problem
{
    std::string part, code, text;
};

struct Timeline
{
    double interval_us = 0;
    std::map<std::string, std::vector<double>> metrics;
};

struct Launch
{
    std::string kind = "kernel", name;
    int grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {0, 0, 0};
    int registers = 0, staticShared = 0, dynamicShared = 0;
    std::uint32_t localBytes = 0;
    std::uint64_t bytes = 0; // of a copy
    bool graph = false;
    std::uint32_t correlation = 0; // the call that launched it; nodes of one graph share it
    std::uint64_t start_ns = 0, end_ns = 0;
    std::vector<double> durations_ns; // one a traced call
    std::map<std::string, double> counters;
    Timeline timeline;

    [[nodiscard]] bool isKernel() const { return kind == "kernel"; }
    [[nodiscard]] double duration_ns() const; // median
};

using Stalls = std::map<std::string, std::uint64_t>;

struct LineSamples
{
    std::uint64_t samples = 0;
    Stalls stalls;
};

struct FunctionSamples
{
    std::uint64_t samples = 0;
    Stalls stalls;
    std::map<std::pair<std::string, unsigned>, LineSamples> lines;
};

struct Options
{
    std::vector<std::string> parts{"launches", "counters", "timeline", "hot_spots"};
    int launchCalls = 3, mostLaunches = 128, hotSpotsPeriod = 0;
    bool replayKernels = false;
    std::vector<std::vector<std::string>> counters;
    std::vector<std::string> timeline;
    double timelineLeast_us = 50;
    std::uint64_t timelineInterval_ns = 0;
};

struct Record
{
    Options options;
    CUcontext context = nullptr;
    CUdevice device = 0;
    std::string chip;
    std::map<std::string, int> attributes;
    std::map<std::string, double> seconds;
    std::vector<Problem> problems;
    std::vector<std::string> unknownCounters;
    std::vector<Launch> launches; // of one call, in order of launch
    std::map<std::string, FunctionSamples> functions;
    double busyFraction = -1; // unknown
    int calls = 0, passes = 0;
    std::uint64_t droppedSamples = 0;

    [[nodiscard]] double callDuration_ns() const;
};

// Any failure of CUPTI or the driver.
struct Failure
{
    std::string code, text;
};

void check(CUptiResult result, const char *what);
void check(CUresult result, const char *what);

// Zeroed parameters of a CUPTI function that keeps their size in `structSize`.
#define KERNELSKILL_PARAMETERS(Type, name)                                                                             \
    Type name{};                                                                                                       \
    name.structSize = Type##_STRUCT_SIZE

// One way of looking at calls of solve. start() may throw Failure, and so may the others; finish() undoes start().
class Part
{
public:
    virtual ~Part() = default;
    virtual void start(Record &record) = 0;
    [[nodiscard]] virtual bool wantsCall() const = 0;
    virtual void callBegin() = 0;
    virtual void callEnd() = 0; // the context has been waited for
    virtual void finish(Record &record) = 0;
};

} // namespace kernelskill::profiling
