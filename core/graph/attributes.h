// SPDX-License-Identifier: Apache-2.0
// Attributes of an operator: numbers, or expressions over sizes, or lists of them.
#pragma once

#include "graph/operator_graph.h"
#include "task/expression.h"

#include <optional>

namespace kernelskill::graph {

// The text of a number or expression attribute ("2", "cols"); nothing when it is absent.
[[nodiscard]] std::optional<QString> attributeText(const OperatorNode &node, const QString &name);
[[nodiscard]] QStringList attributeTexts(const OperatorNode &node, const QString &name); // a list, or one value

[[nodiscard]] Result<double> numberAttribute(const OperatorNode &node, const QString &name, const Sizes &sizes,
                                             std::optional<double> fallback = std::nullopt);
[[nodiscard]] Result<QList<qint64>> integersAttribute(const OperatorNode &node, const QString &name,
                                                      const Sizes &sizes);
[[nodiscard]] bool flagAttribute(const OperatorNode &node, const QString &name, bool fallback);

// Dimensions as given ("dim": -1 or [-1, -2]) made non-negative for a tensor of `rank` dimensions.
// An absent attribute means all dimensions.
[[nodiscard]] Result<QList<int>> dimensionsAttribute(const OperatorNode &node, const QString &name, int rank);

} // namespace kernelskill::graph
