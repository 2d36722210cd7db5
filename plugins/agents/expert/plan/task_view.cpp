// SPDX-License-Identifier: Apache-2.0
#include "plan/task_view.h"

#include "graph/operator_catalogue.h"

#include <QRegularExpression>

#include <algorithm>
#include <limits>

namespace kernelskill::expert {

namespace {

std::unexpected<Error> unsupported(const QString &what)
{
    return failure(QStringLiteral("expert.unsupported"),
                   QStringLiteral("the rule-based agent cannot handle this task: ") + what);
}

struct Lifetime
{
    int first = 0, last = 0; // indices of the defining node and of the last user
};

} // namespace

Result<TaskView> TaskView::make(const Task &task)
{
    if (task.kind != u"native")
        return unsupported(QStringLiteral("only native tasks are planned, this one is \"%1\"").arg(task.kind));
    if (!task.graph) return unsupported(QStringLiteral("task.json states no operator graph"));
    if (task.time.isEmpty()) return unsupported(QStringLiteral("there is no time size"));
    TaskView view;
    view.m_task = task;
    QMap<QString, graph::SymbolicShape> inputs;
    for (const Parameter &parameter : task.parameters) {
        if (parameter.kind != Parameter::Kind::Tensor) continue;
        if (parameter.dtype != u"float32")
            return unsupported(
                QStringLiteral("parameter \"%1\" is %2, only float32 is planned").arg(parameter.name, parameter.dtype));
        graph::SymbolicShape shape;
        for (const Expression &extent : parameter.shape)
            shape.append(extent.text());
        inputs.insert(parameter.name, shape);
    }
    QMap<QString, graph::SymbolicShape> given;
    for (const QString &input : task.graph->inputs) {
        if (!inputs.contains(input))
            return unsupported(QStringLiteral("graph input \"%1\" is no tensor parameter").arg(input));
        given.insert(input, inputs.value(input));
    }
    for (const QString &output : task.graph->outputs) {
        if (!inputs.contains(output))
            return unsupported(QStringLiteral("graph output \"%1\" is no tensor parameter").arg(output));
    }
    auto shapes = graph::inferShapes(*task.graph, given);
    if (!shapes) return std::unexpected(shapes.error());
    view.m_shapes = *shapes;
    view.assignStorage();
    return view;
}

int TaskView::indexOf(const QString &nodeId) const
{
    for (int i = 0; i < graph().nodes.size(); ++i) {
        if (graph().nodes.at(i).id == nodeId) return i;
    }
    return -1;
}

// Linear scan: a value may live in an output of its own shape as long as no other value in it is needed. At the
// boundary (the last user writes the same buffer) the user must be pointwise: it reads an element before it writes it.
void TaskView::assignStorage()
{
    QMap<QString, QList<Lifetime>> taken;
    for (const QString &output : graph().outputs) {
        m_storage.insert(output, output);
        taken[output].append({indexOf(output), std::numeric_limits<int>::max()});
    }
    for (const OperatorNode &node : graph().nodes) {
        if (graph().outputs.contains(node.id)) continue;
        Lifetime life{indexOf(node.id), indexOf(node.id)};
        for (const QString &user : graph().usersOf(node.id))
            life.last = std::max(life.last, indexOf(user));
        const bool lastIsPointwise =
            graph::operatorFamily(graph().nodes.at(life.last).op) == graph::OperatorFamily::Pointwise;
        for (const QString &output : graph().outputs) {
            if (shape(output) != shape(node.id)) continue;
            const bool free = std::ranges::all_of(taken.value(output), [&](const Lifetime &other) {
                return life.last < other.first || other.last < life.first ||
                       (lastIsPointwise && life.last == other.first) ||
                       (other.last == life.first && graph::operatorFamily(node.op) == graph::OperatorFamily::Pointwise);
            });
            if (free) {
                m_storage.insert(node.id, output);
                taken[output].append(life);
                break;
            }
        }
    }
}

std::optional<QString> TaskView::storage(const QString &value) const
{
    if (graph().inputs.contains(value)) return value;
    const auto found = m_storage.constFind(value);
    return found == m_storage.cend() ? std::nullopt : std::optional(*found);
}

Result<QString> TaskView::extentCode(const QStringList &dimensions) const
{
    static const QRegularExpression identifier(QStringLiteral("[A-Za-z_][A-Za-z0-9_]*"));
    QStringList factors;
    for (const QString &dimension : dimensions) {
        if (dimension == u"1") continue;
        QString code;
        qsizetype from = 0;
        auto matches = identifier.globalMatch(dimension);
        while (matches.hasNext()) {
            const auto match = matches.next();
            const Parameter *scalar = nullptr;
            for (const Parameter &parameter : m_task.parameters) {
                if (parameter.kind == Parameter::Kind::Scalar && parameter.value.text() == match.captured())
                    scalar = &parameter;
            }
            if (!scalar)
                return unsupported(QStringLiteral("no scalar parameter carries the size \"%1\"").arg(match.captured()));
            code += dimension.mid(from, match.capturedStart() - from) + scalar->name;
            from = match.capturedEnd();
        }
        code += dimension.mid(from);
        code.replace(QLatin1String("//"), QLatin1String("/"));
        const bool simple = identifier.match(code).capturedLength() == code.size() ||
                            !code.contains(QRegularExpression(QStringLiteral("\\D")));
        factors.append(simple ? code : u'(' + code + u')');
    }
    return factors.isEmpty() ? QStringLiteral("1") : factors.join(QStringLiteral(" * "));
}

Result<qint64> TaskView::extent(const QStringList &dimensions) const
{
    qint64 product = 1;
    for (const QString &dimension : dimensions) {
        auto expression = Expression::parse(dimension);
        if (!expression) return std::unexpected(expression.error());
        auto value = expression->evaluateInteger(m_task.time.first().sizes);
        if (!value) return std::unexpected(value.error());
        product *= *value;
    }
    return product;
}

Result<QString> TaskView::floatCode(const QString &expression) const
{
    bool isNumber = false;
    const double number = expression.toDouble(&isNumber);
    if (isNumber) {
        QString text = QString::number(number, 'g', 9);
        if (!text.contains(u'.') && !text.contains(u'e') && !text.contains(u'n')) text += QStringLiteral(".0");
        return text + u'f';
    }
    auto code = extentCode({expression});
    if (!code) return code;
    return QStringLiteral("float(%1)").arg(*code);
}

} // namespace kernelskill::expert
