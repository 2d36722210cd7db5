// SPDX-License-Identifier: Apache-2.0
// Matrix instructions of the tensor cores.
#include "engine/execution/decoder.h"

namespace kernelskill::simulator {

void Decoder::matrix(const ptx::Instruction &) { throw Unsupported{}; }

} // namespace kernelskill::simulator
