// SPDX-License-Identifier: Apache-2.0
// A chain (or any acyclic mesh) of pointwise operators over one shape.
#include "graph/operator_catalogue.h"
#include "patterns/pointwise_code.h"
#include "patterns/program.h"

namespace kernelskill::expert {

namespace {

// The split of the shape into rows and columns under which every operand is an element, a row vector, a column vector
// or one value. A later split is preferred: the last dimension as columns.
std::optional<IterationSpace> findSpace(const graph::SymbolicShape &shape, const QList<graph::SymbolicShape> &operands)
{
    for (qsizetype split = shape.size() - 1; split >= 0; --split) {
        const IterationSpace space{shape.mid(0, split), shape.mid(split)};
        const bool fits =
            std::ranges::all_of(operands, [&](const auto &operand) { return loadKind(operand, space).has_value(); });
        if (fits) return space;
    }
    if (shape.isEmpty()) return IterationSpace{};
    return std::nullopt;
}

} // namespace

Result<PointwiseProgram> buildPointwise(const TaskView &view, const Group &group)
{
    for (const QString &id : group.nodes) {
        const QString op = graph::canonicalOperator(view.node(id).op);
        if (graph::operatorFamily(op) != graph::OperatorFamily::Pointwise && op != u"clone")
            return notThisPattern(group, QStringLiteral("%1 works on more than one element").arg(op));
    }
    const graph::SymbolicShape shape = view.shape(group.nodes.last());
    const QStringList inputs = externalInputs(view, group);
    QList<graph::SymbolicShape> operandShapes;
    for (const QString &input : inputs)
        operandShapes.append(view.shape(input));
    const std::optional<IterationSpace> space = findSpace(shape, operandShapes);
    if (!space)
        return notThisPattern(group, QStringLiteral("its operands vary in a way rows and columns do not describe"));

    PointwiseProgram program;
    program.space = *space;
    for (const QString &input : inputs) {
        const auto buffer = view.storage(input);
        if (!buffer) return notThisPattern(group, QStringLiteral("there is no memory for its operand %1").arg(input));
        const LoadKind kind = *loadKind(view.shape(input), *space);
        if (kind == LoadKind::PerColumn || kind == LoadKind::PerRow) program.isFlat = false;
        program.loads.append({input, *buffer, kind});
    }
    ElementGraph elements;
    for (const QString &id : group.nodes) {
        QList<Code> operands;
        for (const QString &input : view.node(id).inputs)
            operands.append(group.nodes.contains(input) ? elementReference(input) : loadReference(input));
        auto code = pointwiseCode(view.node(id), operands);
        if (!code) return std::unexpected(code.error());
        elements.add(id, *code);
    }
    for (const QString &output : externalOutputs(view, group)) {
        const auto buffer = view.storage(output);
        if (!buffer) return notThisPattern(group, QStringLiteral("there is no memory for its result %1").arg(output));
        if (view.shape(output) != shape) return notThisPattern(group, QStringLiteral("its results differ in shape"));
        program.stores.append({output, *buffer, elements.closure(elementReference(output)), false});
    }
    for (const Load &load : program.loads) {
        for (const Store &store : program.stores) {
            if (load.buffer == store.buffer && load.kind != LoadKind::Element)
                return notThisPattern(group,
                                      QStringLiteral("it would overwrite %1 while it is still read").arg(load.name));
        }
    }
    return program;
}

} // namespace kernelskill::expert
