// SPDX-License-Identifier: Apache-2.0
// A whole tensor to one value: sum, mean, maximum, minimum, with pointwise work before it (losses).
#include "graph/attributes.h"
#include "graph/operator_catalogue.h"
#include "patterns/pointwise_code.h"
#include "patterns/program.h"

#include <algorithm>

namespace kernelskill::expert {

Result<ReductionProgram> buildFullReduction(const TaskView &view, const Group &group)
{
    // Operators behind the reduction may only rename its one element.
    qsizetype reduces = group.nodes.size() - 1;
    while (reduces > 0 && graph::operatorFamily(view.node(group.nodes.at(reduces)).op) == graph::OperatorFamily::Layout)
        --reduces;
    const OperatorNode &last = view.node(group.nodes.at(reduces));
    const QString op = graph::canonicalOperator(last.op);
    ReductionProgram program;
    if (op == u"amax" || op == u"max")
        program.kind = RowPhase::Kind::Maximum;
    else if (op == u"amin" || op == u"min")
        program.kind = RowPhase::Kind::Minimum;
    else if (op != u"sum" && op != u"mean")
        return notThisPattern(group, QStringLiteral("it does not end in a reduction"));
    program.isMean = op == u"mean";
    program.name = group.id();
    program.dimensions = view.shape(last.inputs.first());
    const auto reduced =
        graph::dimensionsAttribute(last, QStringLiteral("dim"), static_cast<int>(program.dimensions.size()));
    if (!reduced || reduced->size() != program.dimensions.size())
        return notThisPattern(group, QStringLiteral("not all dimensions are reduced"));
    for (const QString &id : group.nodes.mid(reduces + 1)) {
        const bool one =
            std::ranges::all_of(view.shape(id), [](const QString &dimension) { return dimension == u"1"; });
        if (!one || !group.nodes.contains(view.node(id).inputs.first()))
            return notThisPattern(group, QStringLiteral("%1 does more than rename the reduced value").arg(id));
    }
    const auto output = view.storage(group.id());
    if (!output || externalOutputs(view, group) != QStringList{group.id()})
        return notThisPattern(group, QStringLiteral("it has another result than the reduced value"));
    program.output = *output;

    const IterationSpace space{{}, program.dimensions};
    for (const QString &input : externalInputs(view, group)) {
        const auto buffer = view.storage(input);
        const graph::SymbolicShape shape = view.shape(input);
        const bool element = shape == program.dimensions;
        if (!buffer || (!element && loadKind(shape, space) != LoadKind::Uniform))
            return notThisPattern(group, QStringLiteral("operand %1 has another shape").arg(input));
        program.loads.append({input, *buffer, element ? LoadKind::Element : LoadKind::Uniform});
    }
    ElementGraph elements;
    const auto reference = [&](const QString &value) {
        return group.nodes.contains(value) ? elementReference(value) : loadReference(value);
    };
    for (const QString &id : group.nodes) {
        const OperatorNode &node = view.node(id);
        if (id == last.id) break;
        if (graph::operatorFamily(node.op) != graph::OperatorFamily::Pointwise)
            return notThisPattern(group, QStringLiteral("%1 is not pointwise").arg(id));
        QList<Code> operands;
        for (const QString &input : node.inputs)
            operands.append(reference(input));
        auto code = pointwiseCode(node, operands);
        if (!code) return std::unexpected(code.error());
        elements.add(id, *code);
    }
    program.element = elements.closure(reference(last.inputs.first()));
    return program;
}

} // namespace kernelskill::expert
