// SPDX-License-Identifier: Apache-2.0
// Parses PTX text into a Module.
#pragma once

#include "engine/ptx/module.h"

#include <expected>
#include <string>
#include <string_view>

namespace kernelskill::simulator::ptx {

struct ParseError {
    std::string message;
    int line = 0; // of the PTX text
};

[[nodiscard]] std::expected<Module, ParseError> parse(std::string_view text);

} // namespace kernelskill::simulator::ptx
