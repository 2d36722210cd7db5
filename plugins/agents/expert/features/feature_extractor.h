// SPDX-License-Identifier: Apache-2.0
// The 18 code features of the retrieval policy, read off CUDA source. They look at the text alone, so they are as right for
// a student's or a language model's code as for this agent's own.
#pragma once

#include "agent/roles.h"

namespace kernelskill::expert {

[[nodiscard]] Result<Features> extractFeatures(const Candidate &candidate);

} // namespace kernelskill::expert
