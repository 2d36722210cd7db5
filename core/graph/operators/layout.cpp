// SPDX-License-Identifier: Apache-2.0
// Operators that move or rename elements and compute nothing.
#include "graph/attributes.h"
#include "graph/operator_catalogue.h"
#include "graph/operators/operators.h"

namespace kernelskill::graph {

namespace {

Result<Tensor> permuted(const OperatorNode &node, const Tensor &input, const QList<int> &order)
{
    if (order.size() != input.rank()) return operatorFailure(node, QStringLiteral("dims must name every dimension"));
    const Shape strides = stridesOf(input.shape);
    Shape shape, sourceStrides;
    for (const int dimension : order) {
        shape.append(input.shape.at(dimension));
        sourceStrides.append(strides.at(dimension));
    }
    Tensor result = Tensor::zeros(shape);
    const Shape out = stridesOf(shape);
    for (qint64 flat = 0; flat < elementCount(shape); ++flat) {
        qint64 rest = flat, source = 0;
        for (qsizetype i = 0; i < shape.size(); ++i) {
            source += rest / out.at(i) * sourceStrides.at(i);
            rest %= out.at(i);
        }
        result.values[static_cast<size_t>(flat)] = input.values[static_cast<size_t>(source)];
    }
    return result;
}

Result<QList<int>> orderOf(const OperatorNode &node, const QString &op, int rank)
{
    QList<int> order;
    if (op == u"permute") {
        for (const QString &text : attributeTexts(node, QStringLiteral("dims")))
            order.append((text.toInt() + rank) % rank);
        return order;
    }
    for (int i = 0; i < rank; ++i)
        order.append(i);
    if (rank < 2) return order;
    const QString last = QString::number(rank - 1), before = QString::number(rank - 2);
    const int i = (attributeText(node, QStringLiteral("dim0")).value_or(before).toInt() + rank) % rank;
    const int k = (attributeText(node, QStringLiteral("dim1")).value_or(last).toInt() + rank) % rank;
    order.swapItemsAt(i, k);
    return order;
}

Result<Tensor> reshaped(const OperatorNode &node, const Tensor &input, const Sizes &sizes)
{
    const QString key =
        node.attributes.contains(QStringLiteral("shape")) ? QStringLiteral("shape") : QStringLiteral("size");
    auto shape = integersAttribute(node, key, sizes);
    if (!shape) return std::unexpected(shape.error());
    if (canonicalOperator(node.op) == u"expand") return broadcastTo(node, input, *shape);
    if (elementCount(*shape) != elementCount(input.shape))
        return operatorFailure(node, QStringLiteral("the new shape has another number of elements"));
    return Tensor{*shape, input.values};
}

} // namespace

Result<Tensor> runLayout(const OperatorNode &node, const Operands &operands, const Sizes &sizes)
{
    const Tensor &input = *operands.first();
    const QString op = canonicalOperator(node.op);
    if (op == u"t" || op == u"transpose" || op == u"permute") {
        auto order = orderOf(node, op, input.rank());
        return order ? permuted(node, input, *order) : std::unexpected(order.error());
    }
    if (op == u"view" || op == u"reshape" || op == u"expand") return reshaped(node, input, sizes);
    Tensor result = input;
    if (op == u"unsqueeze") {
        int dimension = attributeText(node, QStringLiteral("dim")).value_or(QStringLiteral("0")).toInt();
        if (dimension < 0) dimension += input.rank() + 1;
        result.shape.insert(dimension, 1);
    }
    return result;
}

} // namespace kernelskill::graph
