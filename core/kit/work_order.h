// SPDX-License-Identifier: Apache-2.0
// What an evaluator asks its worker to check and time: the part of a request that is the same for every worker. Made by
// core/evaluation/work_order.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace kernelskill::kit {

struct ParameterSpec
{
    std::string name, dtype;
    bool isTensor = true;
    bool read = false, written = false;
    std::string distribution; // tensors that are read: "normal", "uniform", …, as task.json spells them
    double first = 0, second = 1;
};

// The parameters' sizes and values at one choice of sizes.
struct Binding
{
    std::vector<std::vector<std::int64_t>> shapes; // one a parameter, empty for scalars
    std::vector<double> scalars;                   // one a parameter, 0 for tensors
    friend bool operator==(const Binding &, const Binding &) = default;
};

// Elements of a tensor; dimensions below 0 count as 0.
[[nodiscard]] std::uint64_t elementCount(const std::vector<std::int64_t> &shape);

struct CheckCase
{
    std::string name;               // "outputs rows=7 cols=515 seed 1"
    std::string variant = "random"; // or the adversarial fill: "zeros", "large", …
    Binding binding;
    std::vector<std::string> inputFiles;    // one a parameter: raw elements, empty for what is not read
    std::vector<std::string> expectedFiles; // one a parameter: doubles, empty for what is not written
    // One a parameter: where to put what is written, for a task that judges outputs itself. Then nothing is compared
    // here.
    std::vector<std::string> outputFiles;
};

struct TimeCase
{
    std::string name;
    double weight = 1;
    Binding binding;
    std::vector<std::uint64_t> seeds; // one a parameter: its values are made here, unless there are files
    // Of other inputs of the same kind, for calls whose results nobody compares. Empty where only the files will do.
    std::vector<std::uint64_t> freshSeeds;
    std::vector<std::string> inputFiles,
        expectedFiles; // as in a check; both empty where the reference is too expensive
    // Further inputs as files, where only files will do.
    std::vector<std::vector<std::string>> inputSets;
};

struct WorkOrder
{
    double absoluteTolerance = 1e-5, relativeTolerance = 1e-4;
    std::vector<ParameterSpec> parameters;
    std::vector<CheckCase> checks;
    std::vector<TimeCase> times;
};

// Throws nlohmann::json::exception on anything but {"absolute", "relative", "parameters", "checks", "times"}.
void readWorkOrder(const nlohmann::json &object, WorkOrder &order);

} // namespace kernelskill::kit
