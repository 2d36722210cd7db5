// SPDX-License-Identifier: Apache-2.0
// One pointwise operator as a CUDA expression in single precision.
#pragma once

#include "base/result.h"
#include "graph/operator_graph.h"
#include "patterns/element_code.h"

namespace kernelskill::expert {

// `operands` are references (primary expressions): an operator may use one more than once. Scalar operands in
// attributes must be plain numbers.
[[nodiscard]] Result<Code> pointwiseCode(const OperatorNode &node, const QList<Code> &operands);

// A number as a float literal: 0.5 → "0.5f".
[[nodiscard]] QString floatLiteral(double value);

} // namespace kernelskill::expert
