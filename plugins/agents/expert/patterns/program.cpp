// SPDX-License-Identifier: Apache-2.0
#include "patterns/program.h"

#include <algorithm>

namespace kernelskill::expert {

std::unexpected<Error> notThisPattern(const Group &group, const QString &why)
{
    return failure(
        QStringLiteral("expert.pattern"),
        QStringLiteral("%1 is no %2: %3").arg(group.nodes.join(QStringLiteral(" + ")), toString(group.pattern), why));
}

QStringList externalInputs(const TaskView &view, const Group &group)
{
    QStringList inputs;
    for (const QString &id : group.nodes) {
        for (const QString &input : view.node(id).inputs) {
            if (!group.nodes.contains(input) && !inputs.contains(input)) inputs.append(input);
        }
    }
    return inputs;
}

QStringList externalOutputs(const TaskView &view, const Group &group)
{
    QStringList outputs;
    for (const QString &id : group.nodes) {
        const QStringList users = view.graph().usersOf(id);
        const bool leaves =
            std::ranges::any_of(users, [&](const QString &user) { return !group.nodes.contains(user); });
        if (leaves || view.graph().outputs.contains(id)) outputs.append(id);
    }
    return outputs;
}

std::optional<LoadKind> loadKind(const graph::SymbolicShape &shape, const IterationSpace &space)
{
    const graph::SymbolicShape full = space.outer + space.inner;
    const auto isOne = [](const QString &dimension) { return dimension == u"1"; };
    if (shape == full) return LoadKind::Element;
    if (std::ranges::all_of(shape, isOne)) return LoadKind::Uniform;
    if (shape.size() > full.size()) return std::nullopt;
    graph::SymbolicShape aligned(full.size() - shape.size(), QStringLiteral("1"));
    aligned += shape;
    const graph::SymbolicShape outer = aligned.mid(0, space.outer.size()), inner = aligned.mid(space.outer.size());
    const bool outerOnes = std::ranges::all_of(outer, isOne), innerOnes = std::ranges::all_of(inner, isOne);
    if (outerOnes && inner == space.inner) return LoadKind::PerColumn;
    if (innerOnes && outer == space.outer) return LoadKind::PerRow;
    return std::nullopt;
}

Result<void> checkGroup(const TaskView &view, const Group &group)
{
    const auto outcome = [](const auto &program) -> Result<void> {
        if (program) return {};
        return std::unexpected(program.error());
    };
    switch (group.pattern) {
    case Pattern::Pointwise:
        return outcome(buildPointwise(view, group));
    case Pattern::Rows:
        return outcome(buildRows(view, group));
    case Pattern::Transpose:
        return outcome(buildTranspose(view, group));
    case Pattern::MatrixProduct:
        return outcome(buildMatrixProduct(view, group));
    case Pattern::FullReduction:
        return outcome(buildFullReduction(view, group));
    }
    Q_UNREACHABLE();
}

} // namespace kernelskill::expert
