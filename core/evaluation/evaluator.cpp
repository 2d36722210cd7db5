// SPDX-License-Identifier: Apache-2.0
#include "evaluation/evaluator.h"

namespace kernelskill {

// Out of line, so that the virtual table lives in this library and not in each plugin.
Evaluator::~Evaluator() = default;

} // namespace kernelskill
