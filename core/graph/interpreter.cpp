// SPDX-License-Identifier: Apache-2.0
#include "graph/interpreter.h"

#include "graph/operator_catalogue.h"
#include "graph/operators/operators.h"

namespace kernelskill::graph {

std::unexpected<Error> operatorFailure(const OperatorNode &node, const QString &what)
{
    return failure(QStringLiteral("graph.interpret"),
                   QStringLiteral("node \"%1\" (%2): %3").arg(node.id, node.op, what));
}

Result<Shape> broadcastShape(const OperatorNode &node, const Shape &left, const Shape &right)
{
    Shape shape = left.size() >= right.size() ? left : right;
    const Shape &narrow = left.size() >= right.size() ? right : left;
    const qsizetype shift = shape.size() - narrow.size();
    for (qsizetype i = 0; i < narrow.size(); ++i) {
        qint64 &extent = shape[i + shift];
        if (extent != narrow.at(i) && narrow.at(i) != 1) {
            if (extent != 1)
                return operatorFailure(
                    node,
                    QStringLiteral("operands of extents %1 and %2 do not broadcast").arg(extent).arg(narrow.at(i)));
            extent = narrow.at(i);
        }
    }
    return shape;
}

Result<Tensor> broadcastTo(const OperatorNode &node, const Tensor &tensor, const Shape &shape)
{
    if (tensor.shape == shape) return tensor;
    if (tensor.shape.size() > shape.size())
        return operatorFailure(node, QStringLiteral("an operand has more dimensions than the result"));
    // Stride 0 repeats a dimension of extent 1.
    const qsizetype shift = shape.size() - tensor.shape.size();
    const Shape own = stridesOf(tensor.shape), wide = stridesOf(shape);
    Shape strides(shape.size(), 0);
    for (qsizetype i = 0; i < tensor.shape.size(); ++i) {
        if (tensor.shape.at(i) != 1 && tensor.shape.at(i) != shape.at(i + shift))
            return operatorFailure(node, QStringLiteral("an operand does not broadcast"));
        strides[i + shift] = tensor.shape.at(i) == 1 ? 0 : own.at(i);
    }
    Tensor result = Tensor::zeros(shape);
    for (qint64 flat = 0; flat < elementCount(shape); ++flat) {
        qint64 rest = flat, source = 0;
        for (qsizetype i = 0; i < shape.size(); ++i) {
            source += rest / wide.at(i) * strides.at(i);
            rest %= wide.at(i);
        }
        result.values[static_cast<size_t>(flat)] = tensor.values[static_cast<size_t>(source)];
    }
    return result;
}

Result<QMap<QString, Tensor>> interpret(const OperatorGraph &graph, const QMap<QString, Tensor> &inputs,
                                        const Sizes &sizes)
{
    QMap<QString, Tensor> values = inputs;
    for (const OperatorNode &node : graph.nodes) {
        Operands operands;
        for (const QString &input : node.inputs) {
            const auto found = values.constFind(input);
            if (found == values.cend()) return operatorFailure(node, QStringLiteral("no value for \"%1\"").arg(input));
            operands.append(&*found);
        }
        if (operands.isEmpty()) return operatorFailure(node, QStringLiteral("has no operands"));
        const std::optional<OperatorFamily> family = operatorFamily(node.op);
        if (!family) return operatorFailure(node, QStringLiteral("operator is not known"));
        const auto run = [&]() -> Result<Tensor> {
            switch (*family) {
            case OperatorFamily::Pointwise:
                return runPointwise(node, operands, sizes);
            case OperatorFamily::Reduction:
                return runReduction(node, operands, sizes);
            case OperatorFamily::Normalisation:
                return runNormalisation(node, operands, sizes);
            case OperatorFamily::MatrixProduct:
                return runMatrixProduct(node, operands, sizes);
            case OperatorFamily::Layout:
                return runLayout(node, operands, sizes);
            }
            Q_UNREACHABLE();
        };
        auto result = run();
        if (!result) return std::unexpected(result.error());
        values.insert(node.id, std::move(*result));
    }
    return values;
}

} // namespace kernelskill::graph
