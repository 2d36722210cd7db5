// SPDX-License-Identifier: Apache-2.0
// From what a profiler saw to the rows that an evaluation keeps: the catalogue's metrics (core/profile/
// metric_catalogue.cpp), one row a kernel name, in order of first launch, as the simulator's worker sends them.
//
// A row: {"name", "grid", "block", "launches", "duration_us", "share", "roofline_us", "metrics": {name: value},
// "stalls": {reason: share of resident warps' cycles}, "hot_spots": [{"file", "line", "share", "stall", "text"}],
// "missing": [names of catalogue metrics without a value although the profiler was asked], "graph": true when a CUDA
// graph launched it, "timeline": {"interval_us", "metrics": {NVIDIA's name: [values, null for none]}}}.
//
// For a chart of "timeline": value i belongs to the time (i + 0.5) · interval_us after the kernel's start, all series
// of a row have the same length, and all of timelineCounters() are percent of the peak, so 0…100 fits every one of
// them.
#pragma once

#include "launch_row.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <vector>

namespace kernelskill::cuda {

// What the device can do at most, for the roofline. 0 leaves a bound out.
struct Ceilings
{
    double dram_gb_s = 0, fp32_tflops = 0, fp64_tflops = 0;

    // Members of resources/gpus/*.json; what is absent there comes from the device's clocks and widths.
    [[nodiscard]] static Ceilings from(const nlohmann::json &gpu, const DeviceLimits &device);
};

// The catalogue's metrics of one launch. NaN counters and absent ones give no entry; `missing` gets the names of those
// that were asked for or that NaN made impossible.
[[nodiscard]] std::map<std::string, double> metricsOf(const LaunchRow &launch, const RawProfile &profile,
                                                      std::vector<std::string> *missing = nullptr);

// Shares of resident warps' cycles by reason, "other" for the rest, without "selected": by the counters, or where there
// are none by the sampled program counters.
[[nodiscard]] std::map<std::string, double> stallsOf(const LaunchRow &launch, const RawProfile &profile);

// Least time for the bytes it moved to and from DRAM, its float operations and its matrix instructions.
[[nodiscard]] double roofline_us(const LaunchRow &launch, const Ceilings &ceilings);

// `withCounters`: "counters" too, {NVIDIA's name: value in base units}, all there are.
[[nodiscard]] nlohmann::json kernelProfiles(const RawProfile &profile, const Ceilings &ceilings,
                                            bool withCounters = false);
[[nodiscard]] int launchCount(const RawProfile &profile); // kernels of one call

// What could not be had, a sentence each with its remedy, ready to show: the problems, and one of all missing counters.
[[nodiscard]] std::vector<std::string> profileRemarks(const RawProfile &profile);

} // namespace kernelskill::cuda
