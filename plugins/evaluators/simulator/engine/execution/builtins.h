// SPDX-License-Identifier: Apache-2.0
// Functions the toolkit's run-time libraries would provide: printf, assert, and mathematics by name.
#pragma once

#include "engine/execution/micro_op.h"

#include <string_view>

namespace kernelskill::simulator {

// A handler for a micro-op whose `extra` is a call site; null when there is no such function.
[[nodiscard]] Handler builtinHandler(std::string_view name);

} // namespace kernelskill::simulator
