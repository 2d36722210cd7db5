// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kernelskill::simulator {

enum class AtomicOperation : std::uint8_t { Add, Min, Max, And, Or, Xor, Exchange, CompareAndSwap, Increment, Decrement };

} // namespace kernelskill::simulator
