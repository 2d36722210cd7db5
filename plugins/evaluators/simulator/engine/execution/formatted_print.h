// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace kernelskill::simulator {

// What printf makes of a format and a buffer of arguments as device code lays it out: each aligned to its size (4 or 8).
// `value` reads bytes at an offset of the buffer, `text` a string at an address.
[[nodiscard]] std::string formattedPrint(const std::string &format, const std::function<std::uint64_t(std::size_t offset, std::size_t bytes)> &value,
                                         const std::function<std::string(std::uint64_t address)> &text);

} // namespace kernelskill::simulator
