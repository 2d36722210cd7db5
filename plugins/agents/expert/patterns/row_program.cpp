// SPDX-License-Identifier: Apache-2.0
// Reductions along rows with pointwise work before, between and after: softmax, layer and root-mean-square
// normalisation, row sums. Composite operators are taken apart into phases; a phase is one reduction.
#include "graph/attributes.h"
#include "graph/operator_catalogue.h"
#include "patterns/pointwise_code.h"
#include "patterns/program.h"

#include <algorithm>

namespace kernelskill::expert {

namespace {

class RowBuilder
{
public:
    RowBuilder(const TaskView &view, const Group &group) : m_view(view), m_group(group) {}
    Result<RowProgram> build();

private:
    Result<void> findSpace();
    Result<void> addLoads();
    Result<void> addNode(const OperatorNode &node);
    Result<void> addPointwise(const OperatorNode &node);
    Result<void> addReduction(const OperatorNode &node);
    Result<void> addSoftmax(const OperatorNode &node, bool logarithm);
    Result<void> addNormalisation(const OperatorNode &node, bool centred);
    Result<void> addStores();

    Code reference(const QString &value) const
    {
        if (m_rowValues.contains(value)) return rowReference(value);
        return m_group.nodes.contains(value) ? elementReference(value) : loadReference(value);
    }
    // A name for a row value: short when it is free.
    QString freshName(const QString &wanted, const OperatorNode &node)
    {
        const QString name = m_rowValues.contains(wanted) || m_view.isNode(wanted) || m_view.task().parameter(wanted)
                                 ? wanted + u'_' + node.id
                                 : wanted;
        m_rowValues.append(name);
        return name;
    }
    QList<RowValue> &currentValues()
    {
        return m_program.phases.isEmpty() ? m_program.before : m_program.phases.last().after;
    }

    const TaskView &m_view;
    const Group &m_group;
    RowProgram m_program;
    ElementGraph m_elements;
    QStringList m_rowValues;
};

// The reduced dimensions of a node as a suffix of its input's shape, nothing when they are no suffix.
std::optional<int> reducedSuffix(const OperatorNode &node, const QString &op, int rank)
{
    if (op == u"softmax" || op == u"log_softmax" || graph::operatorFamily(op) == graph::OperatorFamily::Reduction) {
        const auto dimensions = graph::dimensionsAttribute(node, QStringLiteral("dim"), rank);
        if (!dimensions || dimensions->isEmpty()) return std::nullopt;
        const int count = static_cast<int>(dimensions->size());
        return dimensions->first() == rank - count ? std::optional(count) : std::nullopt;
    }
    const int given = static_cast<int>(graph::attributeTexts(node, QStringLiteral("normalized_shape")).size());
    return given == 0 ? 1 : given;
}

Result<void> RowBuilder::findSpace()
{
    std::optional<int> suffix;
    graph::SymbolicShape shape;
    for (const QString &id : m_group.nodes) {
        const OperatorNode &node = m_view.node(id);
        const QString op = graph::canonicalOperator(node.op);
        const auto family = graph::operatorFamily(op);
        if (family != graph::OperatorFamily::Reduction && family != graph::OperatorFamily::Normalisation) continue;
        const graph::SymbolicShape input = m_view.shape(node.inputs.first());
        const std::optional<int> count = reducedSuffix(node, op, static_cast<int>(input.size()));
        if (!count) return notThisPattern(m_group, QStringLiteral("%1 does not reduce the last dimensions").arg(id));
        if (suffix && (*suffix != *count || shape != input))
            return notThisPattern(m_group, QStringLiteral("its reductions run over different dimensions"));
        suffix = count;
        shape = input;
    }
    if (!suffix) return notThisPattern(m_group, QStringLiteral("nothing is reduced"));
    m_program.space = {shape.mid(0, shape.size() - *suffix), shape.mid(shape.size() - *suffix)};
    if (m_program.space.outer.isEmpty())
        return notThisPattern(m_group, QStringLiteral("everything is reduced to one value"));
    return {};
}

Result<void> RowBuilder::addLoads()
{
    for (const QString &input : externalInputs(m_view, m_group)) {
        const auto buffer = m_view.storage(input);
        const auto kind = loadKind(m_view.shape(input), m_program.space);
        if (!buffer || !kind)
            return notThisPattern(m_group, QStringLiteral("operand %1 does not vary over rows and columns").arg(input));
        m_program.loads.append({input, *buffer, *kind});
        if (*kind == LoadKind::PerRow || *kind == LoadKind::Uniform) {
            m_rowValues.append(input);
            m_program.before.append({input, loadReference(input)});
        }
    }
    return {};
}

Result<void> RowBuilder::addPointwise(const OperatorNode &node)
{
    QList<Code> operands;
    for (const QString &input : node.inputs)
        operands.append(reference(input));
    auto code = pointwiseCode(node, operands);
    if (!code) return std::unexpected(code.error());
    const bool isRowValue =
        std::ranges::all_of(node.inputs, [&](const QString &input) { return m_rowValues.contains(input); });
    if (isRowValue) {
        m_rowValues.append(node.id);
        currentValues().append({node.id, *code});
    } else {
        m_elements.add(node.id, *code);
    }
    return {};
}

Result<void> RowBuilder::addReduction(const OperatorNode &node)
{
    const QString op = graph::canonicalOperator(node.op);
    const Code input = reference(node.inputs.first());
    if (m_rowValues.contains(node.inputs.first()))
        return notThisPattern(m_group, QStringLiteral("%1 reduces what is one value a row already").arg(node.id));
    RowPhase phase;
    phase.element = m_elements.closure(input);
    if (op == u"sum" || op == u"mean") {
        phase.comment = QStringLiteral("Sum over the row.");
    } else if (op == u"amax" || op == u"amin") {
        phase.kind = op == u"amax" ? RowPhase::Kind::Maximum : RowPhase::Kind::Minimum;
        phase.comment = op == u"amax" ? QStringLiteral("Largest element of the row.")
                                      : QStringLiteral("Smallest element of the row.");
    } else {
        return notThisPattern(m_group, QStringLiteral("row reduction \"%1\" has no template").arg(op));
    }
    if (op == u"mean") {
        phase.name = freshName(QStringLiteral("sum_") + node.id, node);
        phase.after.append(
            {node.id, product(rowReference(phase.name), QStringLiteral("/"), rowReference(QStringLiteral("cols")))});
    } else {
        phase.name = node.id;
    }
    m_rowValues.append(node.id);
    m_program.phases.append(phase);
    return {};
}

Result<void> RowBuilder::addSoftmax(const OperatorNode &node, bool logarithm)
{
    if (m_program.hasSoftmax) return notThisPattern(m_group, QStringLiteral("it holds two softmaxes"));
    m_program.hasSoftmax = true;
    const Code input = reference(node.inputs.first());
    RowPhase maximum;
    maximum.kind = RowPhase::Kind::Maximum;
    maximum.name = freshName(QStringLiteral("largest"), node);
    maximum.comment = QStringLiteral("Largest element of the row: subtracted, so that no exponential overflows.");
    maximum.element = m_elements.closure(input);
    maximum.startsSoftmax = true;
    const Code shifted = sum(input, QStringLiteral("-"), rowReference(maximum.name));
    Code exponential = call(QStringLiteral("expf"), {shifted.text});
    RowPhase total;
    total.name = freshName(QStringLiteral("sum"), node);
    total.comment = QStringLiteral("Sum of the exponentials.");
    total.element = m_elements.closure(exponential);
    m_program.softmaxSum = total.name;
    const QString source = node.inputs.first();
    if (m_group.schedule.keepExponentials && m_group.schedule.cachedVectors > 0 &&
        input.text == loadReference(source).text) {
        total.keep = source;
        exponential = input; // the cached element is its exponential from here on
    }
    Code result;
    if (logarithm) {
        const QString logarithmName = freshName(QStringLiteral("log_sum"), node);
        total.after.append({logarithmName, call(QStringLiteral("logf"), {rowReference(total.name).text})});
        result = sum(shifted, QStringLiteral("-"), rowReference(logarithmName));
    } else if (m_group.schedule.reciprocal) {
        const QString inverseName = freshName(QStringLiteral("inverse_sum"), node);
        total.after.append(
            {inverseName, product(primary(QStringLiteral("1.0f")), QStringLiteral("/"), rowReference(total.name))});
        result = product(exponential, QStringLiteral("*"), rowReference(inverseName));
    } else {
        result = product(exponential, QStringLiteral("/"), rowReference(total.name));
    }
    m_program.phases.append(maximum);
    m_program.phases.append(total);
    m_elements.add(node.id, result);
    return {};
}

Result<void> RowBuilder::addNormalisation(const OperatorNode &node, bool centred)
{
    const Code input = reference(node.inputs.first());
    const Code cols = rowReference(QStringLiteral("cols"));
    const double fallback = centred ? 1e-5 : 1.1920928955078125e-7;
    auto epsilon =
        m_view.floatCode(graph::attributeText(node, QStringLiteral("eps")).value_or(QString::number(fallback)));
    if (!epsilon) return std::unexpected(epsilon.error());
    Code value = input;
    if (centred) {
        RowPhase mean;
        mean.name = freshName(QStringLiteral("sum"), node);
        mean.comment = QStringLiteral("Mean of the row.");
        mean.element = m_elements.closure(input);
        const QString meanName = freshName(QStringLiteral("mean"), node);
        mean.after.append({meanName, product(rowReference(mean.name), QStringLiteral("/"), cols)});
        m_program.phases.append(mean);
        value = sum(input, QStringLiteral("-"), rowReference(meanName));
    }
    RowPhase squares;
    squares.name = freshName(QStringLiteral("squares"), node);
    squares.comment = centred ? QStringLiteral("Variance of the row, about the mean just found: no cancellation.")
                              : QStringLiteral("Mean square of the row.");
    squares.element =
        m_elements.closure(product(value, QStringLiteral("*"), Code{parenthesised(value, Code::Unary), Code::Primary}));
    const QString scaleName = freshName(QStringLiteral("scale"), node);
    const Code variance = product(rowReference(squares.name), QStringLiteral("/"), cols);
    squares.after.append(
        {scaleName, call(QStringLiteral("rsqrtf"), {sum(variance, QStringLiteral("+"), primary(*epsilon)).text})});
    m_program.phases.append(squares);

    Code result = product(value, QStringLiteral("*"), rowReference(scaleName));
    if (node.inputs.size() > 1) result = product(result, QStringLiteral("*"), reference(node.inputs.at(1)));
    if (node.inputs.size() > 2) result = sum(result, QStringLiteral("+"), reference(node.inputs.at(2)));
    m_elements.add(node.id, result);
    return {};
}

Result<void> RowBuilder::addNode(const OperatorNode &node)
{
    const QString op = graph::canonicalOperator(node.op);
    switch (graph::operatorFamily(op).value_or(graph::OperatorFamily::Layout)) {
    case graph::OperatorFamily::Pointwise:
        return addPointwise(node);
    case graph::OperatorFamily::Reduction:
        return addReduction(node);
    case graph::OperatorFamily::Normalisation:
        if (op == u"softmax" || op == u"log_softmax") return addSoftmax(node, op == u"log_softmax");
        return addNormalisation(node, op != u"rms_norm");
    default:
        return notThisPattern(m_group, QStringLiteral("%1 does not work along rows").arg(op));
    }
}

Result<void> RowBuilder::addStores()
{
    for (const QString &output : externalOutputs(m_view, m_group)) {
        const auto buffer = m_view.storage(output);
        if (!buffer) return notThisPattern(m_group, QStringLiteral("there is no memory for its result %1").arg(output));
        const bool perRow = m_rowValues.contains(output);
        const auto kind = loadKind(m_view.shape(output), m_program.space);
        const bool fits = perRow ? kind == LoadKind::PerRow || m_view.shape(output) == m_program.space.outer
                                 : kind == LoadKind::Element;
        if (!fits)
            return notThisPattern(m_group, QStringLiteral("result %1 has another shape than the rows").arg(output));
        m_program.stores.append({output, *buffer, m_elements.closure(reference(output)), perRow});
        for (const Load &load : m_program.loads) {
            if (load.buffer == *buffer && (load.kind != LoadKind::Element || perRow))
                return notThisPattern(m_group,
                                      QStringLiteral("it would overwrite %1 while it is still read").arg(load.name));
        }
    }
    return {};
}

Result<RowProgram> RowBuilder::build()
{
    if (auto done = findSpace(); !done) return std::unexpected(done.error());
    if (auto done = addLoads(); !done) return std::unexpected(done.error());
    for (const QString &id : m_group.nodes) {
        if (auto done = addNode(m_view.node(id)); !done) return std::unexpected(done.error());
    }
    if (auto done = addStores(); !done) return std::unexpected(done.error());
    return m_program;
}

} // namespace

Result<RowProgram> buildRows(const TaskView &view, const Group &group)
{
    return RowBuilder(view, group).build();
}

} // namespace kernelskill::expert
