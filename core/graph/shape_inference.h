// SPDX-License-Identifier: Apache-2.0
// Shapes of all values of a graph, symbolically: a dimension is the text of an expression over size names ("rows", "1",
// "m*k"). Two dimensions are taken as equal when their texts are.
#pragma once

#include "graph/operator_graph.h"

#include <QMap>

namespace kernelskill::graph {

using SymbolicShape = QStringList;

// `inputs` gives the shape of every graph input. The result holds inputs and nodes.
[[nodiscard]] Result<QMap<QString, SymbolicShape>> inferShapes(const OperatorGraph &graph,
                                                               const QMap<QString, SymbolicShape> &inputs);

// The shape two operands broadcast to, after the usual rule (aligned at the last dimension).
[[nodiscard]] Result<SymbolicShape> broadcast(const SymbolicShape &left, const SymbolicShape &right);

} // namespace kernelskill::graph
