// SPDX-License-Identifier: Apache-2.0
// Ways to damage a PTX text.
#pragma once

#include "random.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelskill::fuzz {

// What mutations draw from.
struct Material {
    std::vector<std::string> texts;        // whole modules
    std::vector<std::string> instructions; // single forms
    std::vector<std::string> tokens;       // of all texts
};

[[nodiscard]] std::vector<std::string> tokensOf(std::string_view text);
[[nodiscard]] std::string mutated(const Material &material, Random &random);

} // namespace kernelskill::fuzz
