// SPDX-License-Identifier: Apache-2.0
// Runs an operator graph in double precision on the CPU: every graph is its own oracle at small sizes.
#pragma once

#include "graph/operator_graph.h"
#include "graph/tensor.h"
#include "task/expression.h"

#include <QMap>

namespace kernelskill::graph {

// `inputs` must hold every graph input. The result holds inputs and all nodes, by id. `sizes` values expressions in
// attributes. Costs as much as a naive loop nest: meant for small sizes.
[[nodiscard]] Result<QMap<QString, Tensor>> interpret(const OperatorGraph &graph, const QMap<QString, Tensor> &inputs,
                                                      const Sizes &sizes);

} // namespace kernelskill::graph
