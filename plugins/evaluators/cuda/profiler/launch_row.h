// SPDX-License-Identifier: Apache-2.0
// What a profiler saw, one row a launch, under NVIDIA's own names and in base units: bytes, nanoseconds, hertz,
// percent.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kernelskill::cuda {

// Values over the length of a launch, all metrics at the same instants, the first after half an interval.
struct Timeline
{
    double interval_us = 0;
    std::map<std::string, std::vector<double>> metrics;
};

struct LaunchRow
{
    std::string kind = "kernel"; // or "memcpy", "memset": no counters, but their time counts
    std::string name;            // readable; of a copy "copy device to device"
    std::string mangled;         // empty when the profiler gives readable names only
    std::array<int, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{0, 0, 0};
    int registers = -1, staticShared = -1, dynamicShared = -1, localBytes = -1; // −1: unknown
    double bytes = 0;                                                           // of a copy
    bool graph = false;                                                         // a node of a CUDA graph
    double duration_ns = 0;                                                     // median
    std::map<std::string, double> counters;                                     // NaN: the profiler has no value
    Timeline timeline;

    [[nodiscard]] bool isKernel() const { return kind == "kernel"; }
};

struct LineSamples
{
    std::string file;
    int line = 0;
    std::uint64_t samples = 0;
    std::map<std::string, std::uint64_t> stalls; // reason → samples; "selected" waited for nothing
};

struct FunctionSamples
{
    std::string name; // mangled
    std::uint64_t samples = 0;
    std::map<std::string, std::uint64_t> stalls;
    std::vector<LineSamples> lines;
};

struct ProfilerProblem
{
    std::string part, code, text; // explain() makes a sentence with a remedy of it
};

// What occupancy needs to know of the device; 0 where unknown.
struct DeviceLimits
{
    int multiprocessors = 0, threadsPerSm = 0, blocksPerSm = 0, registersPerSm = 0, sharedPerSm = 0,
        sharedReservedPerBlock = 0;
    double clock_khz = 0, memoryClock_khz = 0, memoryBusBits = 0;
};

struct RawProfile
{
    std::string source;  // "cupti" or "ncu"
    std::string version; // "CUPTI 130001", "ncu 2025.3.1.0"; empty: not told
    DeviceLimits device;
    std::vector<LaunchRow> launches; // of one call, in order of launch
    std::vector<FunctionSamples> functions;
    std::vector<ProfilerProblem> problems;
    std::vector<std::string> unknownCounters; // this chip or profiler has none of these names
    double busyFraction = -1;                 // −1: unknown
    int passes = 0;
    std::map<std::string, double> seconds; // what each part of profiling took
};

// The profiling library's file (cupti/profile_abi.h). Without any launch and with a problem when it is no such file.
[[nodiscard]] RawProfile parseLibraryProfile(std::string_view json);

// Gives the launches of `profile` that have no counters those of the same launch in `other`, a profile of the same call
// by another profiler, such as ncu's where CUPTI has none. False, and nothing changed, when the kernels are not the same
// in number, grids and blocks.
bool addCounters(RawProfile &profile, const RawProfile &other);

// "void f<int>(float *)" of "_Z1fIiEvPf"; anything else as it is.
[[nodiscard]] std::string readableName(const std::string &mangled);

} // namespace kernelskill::cuda
