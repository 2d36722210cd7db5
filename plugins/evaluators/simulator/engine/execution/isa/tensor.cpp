// SPDX-License-Identifier: Apache-2.0
#include "engine/execution/isa/lanes.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {

Handler selectTensor(const char *, ptx::Type) { return nullptr; }

} // namespace kernelskill::simulator::KERNELSKILL_ISA
