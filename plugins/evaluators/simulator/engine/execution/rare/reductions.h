// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/execution/atomic_operation.h"
#include "engine/ptx/type.h"

#include <cstddef>

namespace kernelskill::simulator {

// Combines one element in memory with another, as a reducing copy does. Packed types are taken element by element.
void reduceElement(std::byte *into, const std::byte *from, AtomicOperation operation, ptx::Type type);
[[nodiscard]] bool canReduce(AtomicOperation operation, ptx::Type type);

} // namespace kernelskill::simulator
