// SPDX-License-Identifier: Apache-2.0
// Runs numbered cases until told otherwise, and says how the run ended, however it did.
//   PROGRAM [--seed S] [--cases N] [--from CASE] [--seconds T] [--only CASE] [--memory MIB]
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace kernelskill::fuzz {

struct Case
{
    std::uint64_t seed = 1, number = 0;
    bool alone = false; // --only: it may print what it is about
};

// The program's exit status: 0 when every case ended by itself, 2 for wrong usage, 128 + signal when ended from outside.
// A case may take a minute. `summary` is asked once, at the end.
[[nodiscard]] int runCases(const char *program, int argc, char **argv, const std::function<void(const Case &)> &run,
                           const std::function<std::string()> &summary);

} // namespace kernelskill::fuzz
