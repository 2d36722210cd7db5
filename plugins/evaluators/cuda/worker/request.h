// SPDX-License-Identifier: Apache-2.0
// What the evaluator asks the worker to do.
#pragma once

#include "kit/work_order.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace kernelskill::cuda {

struct SourceFile
{
    std::string path, text;
    friend bool operator==(const SourceFile &, const SourceFile &) = default;
};

struct Program
{
    friend bool operator==(const Program &, const Program &) = default;
    std::string unit; // core/task/translation_unit.h
    std::vector<SourceFile> files;
    std::vector<std::string> libraries; // of the vendor, linked by name: "cublas"
};

struct Limits
{
    int call_ms = 10'000; // one call of solve, its kernels included
    int build_ms = 180'000;
    int stage_ms = 120'000; // all checks; and again all timings
    int lease_ms = 600'000; // waiting for the GPU
    double sampling_s = 3;  // of one size, unless so few samples would not do
    std::int64_t hostMemoryBytes = std::int64_t(8) << 30;
};

struct Request : kit::WorkOrder
{
    std::string device, mode = "strict";
    std::string profiler = "none"; // "auto", "cupti", "ncu", "ncu-full"
    std::string compiler;          // nvcc's path; empty: where it usually is
    nlohmann::json ceilings;       // of the device, as profiler/metrics.h reads them; null: from its clocks and widths
    bool unconfined = false, profile = false;
    bool buildOnly =
        false; // no work order comes with it: builds what the next request will want, and says how that went
    // Inputs come from the task's own generator, so that their elements may not be moved about.
    bool generated = false;
    Program candidate, baseline;
    std::vector<kit::CheckCase> after;
    Limits limits;
    int samples = 60; // of each program and size

    [[nodiscard]] static bool parse(const nlohmann::json &object, Request &request, std::string &error);
};

} // namespace kernelskill::cuda
