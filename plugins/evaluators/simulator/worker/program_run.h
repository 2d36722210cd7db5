// SPDX-License-Identifier: Apache-2.0
// A whole program, with a main of its own, on the simulated device: what `kernelskill simulate` asks the worker for.
#pragma once

#include "timing/gpu_model.h"
#include "worker/work_result.h"

#include <nlohmann/json.hpp>

#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelskill::simulator {

struct ProgramRequest
{
    std::string gpuFile;
    std::vector<std::string> ptx;
    std::string host, library, folder;
    std::vector<std::string> arguments; // from the program's name on
    std::vector<std::string> readable, writable;
    bool unconfined = false;
    int timeout_ms = 300'000;

    [[nodiscard]] static std::expected<ProgramRequest, std::string> parse(const nlohmann::json &object);
};

struct ProgramResult
{
    WorkResult work;       // findings, kernels, status; its log is what kernels printed after the program ended
    int exitCode = 0;      // of a program that ended by itself
    bool ended = false;    // by itself
    double elapsed_us = 0; // modelled: kernels and copies
    nlohmann::json copies = nlohmann::json::array();
    [[nodiscard]] nlohmann::json toJson() const;
};

// Hands on what the program prints while it runs.
[[nodiscard]] ProgramResult runProgram(const ProgramRequest &request, const GpuModel &gpu,
                                       const std::function<void(bool isError, std::string_view text)> &printed);

} // namespace kernelskill::simulator
