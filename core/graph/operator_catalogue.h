// SPDX-License-Identifier: Apache-2.0
// The operators that shape inference, interpreter and the rule-based agent know, by family.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace kernelskill::graph {

enum class OperatorFamily { Pointwise, Reduction, Normalisation, MatrixProduct, Layout };

// Exported graphs write an overload after a dot and private variants with an underscore: "add.Tensor" is "add",
// "_softmax" is "softmax".
[[nodiscard]] QString canonicalOperator(const QString &op);
[[nodiscard]] std::optional<OperatorFamily> operatorFamily(const QString &op);
[[nodiscard]] QStringList knownOperators(); // sorted

} // namespace kernelskill::graph
