// SPDX-License-Identifier: Apache-2.0
// A matrix product with transposed operands folded in and a pointwise epilogue.
#include "graph/operator_catalogue.h"
#include "patterns/pointwise_code.h"
#include "patterns/program.h"

namespace kernelskill::expert {

namespace {

bool isTranspose(const OperatorNode &node)
{
    const QString op = graph::canonicalOperator(node.op);
    if (op != u"t" && op != u"transpose") return false;
    const auto dimension = [&](const char *name, int fallback) {
        return node.attributes.value(QLatin1String(name)).toInt(fallback);
    };
    const int first = dimension("dim0", -2), second = dimension("dim1", -1);
    const bool lastTwo =
        std::abs(first - second) == 1 && (first < 0) == (second < 0) && (std::max(first, second) == -1 || first >= 0);
    return op == u"t" || lastTwo;
}

struct Operand
{
    QString buffer;
    bool transposed = false;
    graph::SymbolicShape shape; // after transposition
};

Result<Operand> operandOf(const TaskView &view, const Group &group, const QString &value)
{
    Operand operand;
    operand.shape = view.shape(value);
    QString source = value;
    if (group.nodes.contains(value)) {
        if (!isTranspose(view.node(value)) || group.nodes.contains(view.node(value).inputs.first()))
            return notThisPattern(group, QStringLiteral("operand %1 is computed in the same kernel").arg(value));
        operand.transposed = true;
        source = view.node(value).inputs.first();
    }
    const auto buffer = view.storage(source);
    if (!buffer) return notThisPattern(group, QStringLiteral("there is no memory for operand %1").arg(value));
    operand.buffer = *buffer;
    return operand;
}

// The addend of addmm, baddbmm and linear, as epilogue code over the bare product.
std::optional<QString> addendOf(const OperatorNode &node)
{
    const QString op = graph::canonicalOperator(node.op);
    if (op == u"addmm" || op == u"baddbmm") return node.inputs.first();
    return op == u"linear" && node.inputs.size() > 2 ? std::optional(node.inputs.at(2)) : std::nullopt;
}

Result<const OperatorNode *> productOf(const TaskView &view, const Group &group)
{
    const OperatorNode *found = nullptr;
    for (const QString &id : group.nodes) {
        const OperatorNode &node = view.node(id);
        if (graph::operatorFamily(node.op) != graph::OperatorFamily::MatrixProduct) continue;
        if (found) return notThisPattern(group, QStringLiteral("it holds two matrix products"));
        found = &node;
    }
    if (!found) return notThisPattern(group, QStringLiteral("it holds no matrix product"));
    if (found->attributes.value(QStringLiteral("alpha")).toDouble(1) != 1 ||
        found->attributes.value(QStringLiteral("beta")).toDouble(1) != 1)
        return notThisPattern(group, QStringLiteral("factors alpha and beta have no template"));
    return found;
}

// Everything behind the product, element by element. The bare product is ${<product id>}; with an addend the operator's
// own value is the product plus it.
Result<ElementGraph> epilogueOf(const TaskView &view, const Group &group, const OperatorNode &product,
                                const QString &bare)
{
    ElementGraph elements;
    Code value = loadReference(bare);
    if (const auto addend = addendOf(product)) {
        if (group.nodes.contains(*addend))
            return notThisPattern(group, QStringLiteral("its addend is computed in the same kernel"));
        value = sum(value, QStringLiteral("+"), loadReference(*addend));
    }
    elements.add(product.id, value);
    for (const QString &id : group.nodes) {
        const OperatorNode &node = view.node(id);
        if (id == product.id || (isTranspose(node) && product.inputs.contains(id))) continue;
        if (graph::operatorFamily(node.op) != graph::OperatorFamily::Pointwise)
            return notThisPattern(group, QStringLiteral("%1 cannot follow a product in its kernel").arg(node.op));
        QList<Code> operands;
        for (const QString &input : node.inputs) {
            if (group.nodes.contains(input) && !elements.contains(input))
                return notThisPattern(group, QStringLiteral("%1 is computed before the product").arg(input));
            operands.append(elements.contains(input) ? elementReference(input) : loadReference(input));
        }
        auto code = pointwiseCode(node, operands);
        if (!code) return std::unexpected(code.error());
        elements.add(id, *code);
    }
    return elements;
}

} // namespace

Result<MatrixProgram> buildMatrixProduct(const TaskView &view, const Group &group)
{
    auto found = productOf(view, group);
    if (!found) return std::unexpected(found.error());
    const OperatorNode &product = **found;
    const qsizetype first = addendOf(product) == product.inputs.first() ? 1 : 0;
    auto a = operandOf(view, group, product.inputs.at(first));
    auto b = operandOf(view, group, product.inputs.at(first + 1));
    if (!a) return std::unexpected(a.error());
    if (!b) return std::unexpected(b.error());
    if (graph::canonicalOperator(product.op) == u"linear") { // its weight is stored n×k
        b->transposed = !b->transposed;
        b->shape.swapItemsAt(b->shape.size() - 1, b->shape.size() - 2);
    }
    if (b->shape.size() != 2 || (a->shape.size() != 2 && (a->transposed || first == 1)))
        return notThisPattern(group, QStringLiteral("batched products have no template"));

    MatrixProgram program;
    program.a = a->buffer;
    program.b = b->buffer;
    program.transposedA = a->transposed;
    program.transposedB = b->transposed;
    program.batch = a->shape.mid(0, a->shape.size() - 2); // with a plain b these are more rows of a
    program.m = a->shape.at(a->shape.size() - 2);
    program.k = a->shape.last();
    program.n = b->shape.last();
    program.product = QStringLiteral("product");
    auto elements = epilogueOf(view, group, product, program.product);
    if (!elements) return std::unexpected(elements.error());

    const QStringList outputs = externalOutputs(view, group);
    if (outputs.size() != 1 || outputs.first() != group.nodes.last())
        return notThisPattern(group, QStringLiteral("it has more than one result"));
    const auto buffer = view.storage(outputs.first());
    if (!buffer || view.shape(outputs.first()) != view.shape(product.id))
        return notThisPattern(group, QStringLiteral("its result has another shape than the product"));
    program.store = {outputs.first(), *buffer, elements->closure(elementReference(outputs.first())), false};
    if (program.a == *buffer || program.b == *buffer)
        return notThisPattern(group, QStringLiteral("its result would overwrite an operand"));
    const IterationSpace space{program.batch + QStringList{program.m}, {program.n}};
    for (const QString &name : program.store.code.loads()) {
        if (name == program.product) continue;
        const auto kind = loadKind(view.shape(name), space);
        const auto source = view.storage(name);
        if (!kind || !source)
            return notThisPattern(group, QStringLiteral("operand %1 does not fit the product").arg(name));
        if (*source == *buffer && *kind != LoadKind::Element)
            return notThisPattern(group, QStringLiteral("it would overwrite %1 while it is still read").arg(name));
        program.loads.append({name, *source, *kind});
    }
    return program;
}

} // namespace kernelskill::expert
