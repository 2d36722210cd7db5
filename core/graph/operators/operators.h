// SPDX-License-Identifier: Apache-2.0
// One function a family of operators: operands in, result out. Operands are never empty.
#pragma once

#include "graph/operator_graph.h"
#include "graph/tensor.h"
#include "task/expression.h"

namespace kernelskill::graph {

using Operands = QList<const Tensor *>;

[[nodiscard]] Result<Tensor> runPointwise(const OperatorNode &node, const Operands &operands, const Sizes &sizes);
[[nodiscard]] Result<Tensor> runReduction(const OperatorNode &node, const Operands &operands, const Sizes &sizes);
[[nodiscard]] Result<Tensor> runNormalisation(const OperatorNode &node, const Operands &operands, const Sizes &sizes);
[[nodiscard]] Result<Tensor> runMatrixProduct(const OperatorNode &node, const Operands &operands, const Sizes &sizes);
[[nodiscard]] Result<Tensor> runLayout(const OperatorNode &node, const Operands &operands, const Sizes &sizes);

[[nodiscard]] std::unexpected<Error> operatorFailure(const OperatorNode &node, const QString &what);

// Repeats a tensor to a wider shape (aligned at the last dimension).
[[nodiscard]] Result<Tensor> broadcastTo(const OperatorNode &node, const Tensor &tensor, const Shape &shape);
[[nodiscard]] Result<Shape> broadcastShape(const OperatorNode &node, const Shape &left, const Shape &right);

} // namespace kernelskill::graph
