// SPDX-License-Identifier: Apache-2.0
// What the worker found out about a candidate, on its way to the evaluator (core/evaluation/worker_answer.h).
#pragma once

#include "kit/work_answer.h"

#include <functional>
#include <string>
#include <vector>

namespace kernelskill::cuda {

// stage, done, total, and a sentence where there is more to say
using Progress = std::function<void(const std::string &, int, int, const std::string &)>;

struct Finding
{
    std::string kind, message;
};

// What `trouble` is about, for programs; the evaluator's error has the same code. "environment." is what the machine
// lacks, "task." what is wrong with the task.
namespace trouble {
inline constexpr const char *request = "worker.request"; // not understood
inline constexpr const char *driver = "environment.driver";
inline constexpr const char *device = "environment.device"; // none, not usable, or it refused what it must do
inline constexpr const char *memory = "environment.memory"; // of the GPU
inline constexpr const char *sandbox = "environment.sandbox";
inline constexpr const char *compiler = "environment.compiler"; // missing, too new, or it does not run
inline constexpr const char *build = "environment.build";       // no place to build in
inline constexpr const char *profiler = "environment.profiler"; // none that could do it
inline constexpr const char *report = "profile.report";         // none that can be read
inline constexpr const char *busy = "environment.busy";         // another evaluation has the GPU
inline constexpr const char *baseline = "task.baseline";        // does not compile, does not run, or is wrong
} // namespace trouble

struct Result : kit::WorkAnswer
{
    std::string troubleCode;
    std::vector<Finding> findings;
    nlohmann::json build = nlohmann::json::object();
    nlohmann::json device = nlohmann::json::object();
    bool workUnseen = false; // a library may have launched the kernels: only a profiler can tell

    // The first trouble is the one that is told.
    void giveUp(const char *code, const std::string &why);
    [[nodiscard]] nlohmann::json toJson() const;
};

} // namespace kernelskill::cuda
