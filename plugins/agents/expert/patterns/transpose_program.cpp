// SPDX-License-Identifier: Apache-2.0
// Exchange of the last two dimensions, optionally with pointwise work on the way.
#include "graph/operator_catalogue.h"
#include "patterns/pointwise_code.h"
#include "patterns/program.h"

#include <QJsonArray>

#include <algorithm>

namespace kernelskill::expert {

namespace {

// Whether the node exchanges exactly the last two of `rank` dimensions.
bool exchangesLastTwo(const OperatorNode &node, qsizetype rank)
{
    const QString op = graph::canonicalOperator(node.op);
    if (op == u"t") return rank == 2;
    if (op == u"transpose") {
        const auto dimension = [&](const char *name, int fallback) {
            const int value = node.attributes.value(QLatin1String(name)).toInt(fallback);
            return value < 0 ? value + static_cast<int>(rank) : value;
        };
        const int first = dimension("dim0", -2), second = dimension("dim1", -1);
        return std::min(first, second) == rank - 2 && std::max(first, second) == rank - 1;
    }
    if (op != u"permute") return false;
    const QJsonArray dims = node.attributes.value(QStringLiteral("dims")).toArray();
    for (qsizetype i = 0; i < rank; ++i) {
        const qsizetype wanted = i == rank - 1 ? rank - 2 : i == rank - 2 ? rank - 1 : i;
        if ((dims.at(i).toInt(-99) + rank) % rank != wanted) return false;
    }
    return dims.size() == rank;
}

} // namespace

Result<TransposeProgram> buildTranspose(const TaskView &view, const Group &group)
{
    const OperatorNode *layout = nullptr;
    ElementGraph elements;
    QString source;
    for (const QString &id : group.nodes) {
        const OperatorNode &node = view.node(id);
        const bool pointwise = graph::operatorFamily(node.op) == graph::OperatorFamily::Pointwise;
        if (pointwise) {
            if (node.inputs.size() != 1)
                return notThisPattern(group, QStringLiteral("%1 needs a second operand").arg(id));
            auto code =
                pointwiseCode(node, {group.nodes.contains(node.inputs.first()) ? elementReference(node.inputs.first())
                                                                               : loadReference(node.inputs.first())});
            if (!code) return std::unexpected(code.error());
            elements.add(id, *code);
        } else if (!layout && exchangesLastTwo(node, view.shape(node.inputs.first()).size())) {
            layout = &node;
            elements.add(id, group.nodes.contains(node.inputs.first()) ? elementReference(node.inputs.first())
                                                                       : loadReference(node.inputs.first()));
        } else {
            return notThisPattern(group, QStringLiteral("%1 is no exchange of the last two dimensions").arg(id));
        }
    }
    const QStringList inputs = externalInputs(view, group), outputs = externalOutputs(view, group);
    if (!layout || inputs.size() != 1 || outputs.size() != 1)
        return notThisPattern(group, QStringLiteral("it needs one operand and one result"));
    const auto from = view.storage(inputs.first()), to = view.storage(outputs.first());
    if (!from || !to || *from == *to)
        return notThisPattern(group, QStringLiteral("there is no separate memory for its result"));

    const graph::SymbolicShape shape = view.shape(layout->inputs.first());
    TransposeProgram program;
    program.input = *from;
    program.output = *to;
    program.inputValue = inputs.first();
    program.rows = shape.mid(shape.size() - 2, 1);
    program.cols = shape.mid(shape.size() - 1);
    program.batch = shape.mid(0, shape.size() - 2);
    program.element = elements.closure(elementReference(outputs.first()));
    return program;
}

} // namespace kernelskill::expert
