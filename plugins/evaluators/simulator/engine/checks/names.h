// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kernelskill::simulator {

[[nodiscard]] std::string demangled(const std::string &mangled); // unchanged when it is no mangled name

} // namespace kernelskill::simulator
