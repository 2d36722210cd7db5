// SPDX-License-Identifier: Apache-2.0
// Element types by name, with conversion from and to double. An open registry: a new type is one registerDtype call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelskill::kit {

struct Dtype
{
    std::string name;       // "float16", as task.json spells it
    std::size_t bytes = 0;  // of one element
    bool isFloating = false;
    double epsilon = 0;     // distance from 1 to the next value; 0 for integers
    double lowest = 0, highest = 0; // finite range
    // Rounds to nearest, ties to even. Integers saturate and take NaN as 0; bool takes anything but 0 as 1.
    void (*fromDouble)(const double *source, void *target, std::size_t count) = nullptr;
    // Exact, but for integers beyond 2^53.
    void (*toDouble)(const void *source, double *target, std::size_t count) = nullptr;
};

// float64 float32 float16 bfloat16 int64 int32 int8 uint8 bool, and what was registered. Null when unknown; the
// pointer stays valid for ever.
[[nodiscard]] const Dtype *findDtype(std::string_view name);
[[nodiscard]] std::vector<std::string> dtypeNames();
// False when the name is taken or the entry incomplete. Call before threads use the registry.
bool registerDtype(Dtype dtype);

[[nodiscard]] std::uint16_t float16FromDouble(double value);
[[nodiscard]] double float16ToDouble(std::uint16_t bits);
[[nodiscard]] std::uint16_t bfloat16FromDouble(double value);
[[nodiscard]] double bfloat16ToDouble(std::uint16_t bits);

} // namespace kernelskill::kit
