// SPDX-License-Identifier: Apache-2.0
#include "graph/shape_inference.h"

#include "graph/attributes.h"
#include "graph/operator_catalogue.h"

namespace kernelskill::graph {

namespace {

using Shapes = QList<SymbolicShape>;

std::unexpected<Error> mismatch(const OperatorNode &node, const QString &what)
{
    return failure(QStringLiteral("graph.shape"), QStringLiteral("node \"%1\" (%2): %3").arg(node.id, node.op, what));
}

Result<SymbolicShape> pointwiseShape(const OperatorNode &node, const Shapes &inputs)
{
    if (inputs.isEmpty()) return mismatch(node, QStringLiteral("needs an operand"));
    SymbolicShape shape = inputs.first();
    for (qsizetype i = 1; i < inputs.size(); ++i) {
        auto wider = broadcast(shape, inputs.at(i));
        if (!wider) return mismatch(node, wider.error().message);
        shape = *wider;
    }
    return shape;
}

Result<SymbolicShape> reductionShape(const OperatorNode &node, const SymbolicShape &input)
{
    auto dimensions = dimensionsAttribute(node, QStringLiteral("dim"), static_cast<int>(input.size()));
    if (!dimensions) return std::unexpected(dimensions.error());
    const bool keep = flagAttribute(node, QStringLiteral("keepdim"), false);
    SymbolicShape shape;
    for (int i = 0; i < input.size(); ++i) {
        if (!dimensions->contains(i))
            shape.append(input.at(i));
        else if (keep)
            shape.append(QStringLiteral("1"));
    }
    return shape;
}

Result<SymbolicShape> productShape(const OperatorNode &node, const Shapes &inputs)
{
    const QString op = canonicalOperator(node.op);
    const int first = op == u"addmm" || op == u"baddbmm" ? 1 : 0; // operand 0 is then the addend
    if (inputs.size() < first + 2) return mismatch(node, QStringLiteral("needs two matrices"));
    const SymbolicShape a = inputs.at(first);
    SymbolicShape b = inputs.at(first + 1);
    if (a.size() < 2 || b.size() < 2)
        return mismatch(node, QStringLiteral("operands must have at least two dimensions"));
    if (op == u"linear") std::swap(b[b.size() - 1], b[b.size() - 2]);
    if (a.last() != b.at(b.size() - 2)) {
        return mismatch(node,
                        QStringLiteral("inner dimensions differ: %1 against %2").arg(a.last(), b.at(b.size() - 2)));
    }
    SymbolicShape shape =
        a.size() >= b.size() ? a.mid(0, a.size() - 1) : b.mid(0, b.size() - 2) + a.mid(a.size() - 2, 1);
    shape.append(b.last());
    return shape;
}

Result<SymbolicShape> layoutShape(const OperatorNode &node, const SymbolicShape &input)
{
    const int rank = static_cast<int>(input.size());
    const QString op = canonicalOperator(node.op);
    if (op == u"permute") {
        SymbolicShape shape;
        for (const QString &text : attributeTexts(node, QStringLiteral("dims")))
            shape.append(input.value((text.toInt() + rank) % std::max(rank, 1)));
        return shape.size() == rank ? Result<SymbolicShape>(shape)
                                    : mismatch(node, QStringLiteral("dims must name every dimension"));
    }
    if (op == u"t" || op == u"transpose") {
        if (rank < 2) return mismatch(node, QStringLiteral("needs two dimensions"));
        const QString last = QString::number(rank - 1), before = QString::number(rank - 2);
        const int i = (attributeText(node, QStringLiteral("dim0")).value_or(before).toInt() + rank) % rank;
        const int k = (attributeText(node, QStringLiteral("dim1")).value_or(last).toInt() + rank) % rank;
        SymbolicShape shape = input;
        shape.swapItemsAt(i, k);
        return shape;
    }
    if (op == u"view" || op == u"reshape" || op == u"expand") {
        for (const char *key : {"shape", "size"}) {
            const QStringList texts = attributeTexts(node, QLatin1String(key));
            if (!texts.isEmpty()) return texts;
        }
        return mismatch(node, QStringLiteral("attribute \"shape\" is missing"));
    }
    if (op == u"unsqueeze") {
        SymbolicShape shape = input;
        int dimension = attributeText(node, QStringLiteral("dim")).value_or(QStringLiteral("0")).toInt();
        if (dimension < 0) dimension += rank + 1;
        shape.insert(dimension, QStringLiteral("1"));
        return shape;
    }
    return input; // clone and its like
}

} // namespace

Result<SymbolicShape> broadcast(const SymbolicShape &left, const SymbolicShape &right)
{
    const SymbolicShape &wide = left.size() >= right.size() ? left : right;
    const SymbolicShape &narrow = left.size() >= right.size() ? right : left;
    SymbolicShape shape = wide;
    const qsizetype shift = wide.size() - narrow.size();
    for (qsizetype i = 0; i < narrow.size(); ++i) {
        const QString &a = wide.at(i + shift), &b = narrow.at(i);
        if (a == b || b == u"1") continue;
        if (a != u"1") {
            return failure(QStringLiteral("graph.shape"),
                           QStringLiteral("[%1] and [%2] do not broadcast").arg(left.join(u", "), right.join(u", ")));
        }
        shape[i + shift] = b;
    }
    return shape;
}

Result<QMap<QString, SymbolicShape>> inferShapes(const OperatorGraph &graph, const QMap<QString, SymbolicShape> &inputs)
{
    QMap<QString, SymbolicShape> shapes = inputs;
    for (const OperatorNode &node : graph.nodes) {
        Shapes operands;
        for (const QString &input : node.inputs) {
            if (!shapes.contains(input))
                return mismatch(node, QStringLiteral("the shape of \"%1\" is not known").arg(input));
            operands.append(shapes.value(input));
        }
        const std::optional<OperatorFamily> family = operatorFamily(node.op);
        if (!family)
            return failure(QStringLiteral("graph.operator"),
                           QStringLiteral("node \"%1\": operator \"%2\" is not known").arg(node.id, node.op));
        if (operands.isEmpty()) return mismatch(node, QStringLiteral("needs an operand"));
        Result<SymbolicShape> shape = operands.first();
        switch (*family) {
        case OperatorFamily::Pointwise:
            shape = pointwiseShape(node, operands);
            break;
        case OperatorFamily::Reduction:
            shape = reductionShape(node, operands.first());
            break;
        case OperatorFamily::Normalisation:
            break; // shape of the first operand
        case OperatorFamily::MatrixProduct:
            shape = productShape(node, operands);
            break;
        case OperatorFamily::Layout:
            shape = layoutShape(node, operands.first());
            break;
        }
        if (!shape) return std::unexpected(shape.error());
        shapes.insert(node.id, *shape);
    }
    return shapes;
}

} // namespace kernelskill::graph
