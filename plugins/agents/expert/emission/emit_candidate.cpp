// SPDX-License-Identifier: Apache-2.0
#include "emission/emit_candidate.h"

#include "emission/group_code.h"
#include "emission/helper_functions.h"
#include "emission/skill_notes.h"
#include "graph/operator_catalogue.h"

#include <QSet>

namespace kernelskill::expert {

namespace {

QString cType(const Parameter &parameter)
{
    if (parameter.kind == Parameter::Kind::Tensor)
        return parameter.isWritten() ? QStringLiteral("float *") : QStringLiteral("const float *");
    static const QMap<QString, QString> scalars = {{QStringLiteral("int32"), QStringLiteral("int ")},
                                                   {QStringLiteral("int64"), QStringLiteral("long long ")},
                                                   {QStringLiteral("float32"), QStringLiteral("float ")},
                                                   {QStringLiteral("float64"), QStringLiteral("double ")},
                                                   {QStringLiteral("bool"), QStringLiteral("bool ")}};
    return scalars.value(parameter.dtype, QStringLiteral("int "));
}

QString lowerCamel(const QString &name)
{
    const QString upper = upperCamel(name);
    return upper.left(1).toLower() + upper.mid(1);
}

// "softmaxRows", "geluActivated", "fusedY".
QString kernelName(const TaskView &view, const Group &group)
{
    const bool single = group.nodes.size() == 1;
    QString op = graph::canonicalOperator(view.node(group.nodes.first()).op);
    op.remove(QStringLiteral("native_"));
    switch (group.pattern) {
    case Pattern::Rows:
        return single ? lowerCamel(op) + QStringLiteral("Rows") : QStringLiteral("fusedRows") + upperCamel(group.id());
    case Pattern::MatrixProduct:
        return single ? QStringLiteral("matrixProduct") : QStringLiteral("matrixProduct") + upperCamel(group.id());
    case Pattern::Transpose:
        return QStringLiteral("transposeTiles");
    case Pattern::FullReduction:
        return QStringLiteral("reduce") + upperCamel(group.id());
    case Pattern::Pointwise:
        break;
    }
    return (single ? lowerCamel(op) : QStringLiteral("fused")) + upperCamel(group.id());
}

Result<GroupCode> emitGroup(const TaskView &view, const Group &group, const GroupNames &names)
{
    switch (group.pattern) {
    case Pattern::Pointwise:
        return emitPointwise(view, group, names);
    case Pattern::Rows:
        return emitRows(view, group, names);
    case Pattern::Transpose:
        return emitTranspose(view, group, names);
    case Pattern::MatrixProduct:
        return emitMatrixProduct(view, group, names);
    case Pattern::FullReduction:
        return emitFullReduction(view, group, names);
    }
    Q_UNREACHABLE();
}

QString header(const TaskView &view, const KernelPlan &plan)
{
    const Task &task = view.task();
    QString text = QStringLiteral("// %1.\n").arg(task.title.isEmpty() ? task.name : task.title);
    const QStringList skills = plan.skills();
    if (!skills.isEmpty()) text += QStringLiteral("//\n// What was done to it, in this order:\n");
    for (const QString &skill : skills)
        text += QStringLiteral("//   %1: %2\n").arg(skill, skillNote(skill));
    return text;
}

QStringList solveSignature(const TaskView &view)
{
    QStringList parameters;
    for (const Parameter &parameter : view.task().parameters)
        parameters.append(cType(parameter) + parameter.name);
    parameters.append(QStringLiteral("cudaStream_t stream"));
    return wrapped(QStringLiteral("extern \"C\" void solve("), parameters, QStringLiteral(")"));
}

} // namespace

Result<Candidate> emitCandidate(const TaskView &view, const KernelPlan &plan)
{
    QStringList helpers;
    QString constants, kernels;
    CodeWriter solve;
    solve.lines(solveSignature(view));
    solve.open();
    QSet<QString> used;
    for (qsizetype i = 0; i < plan.groups.size(); ++i) {
        const Group &group = plan.groups.at(i);
        const bool several = plan.groups.size() > 1;
        GroupNames names{kernelName(view, group), several ? upperCamel(group.id()) : QString()};
        if (used.contains(names.kernel)) names.kernel += upperCamel(group.id());
        used.insert(names.kernel);
        auto code = emitGroup(view, group, names);
        if (!code) return std::unexpected(code.error());
        helpers += code->helpers;
        constants += code->constants;
        kernels += code->kernels;
        // A scope each keeps the names of grids apart.
        const bool scoped = several && code->launch.contains(QStringLiteral("const "));
        if (scoped) solve.open();
        solve.text(code->launch);
        if (scoped) solve.close();
    }
    solve.close();

    const QString body = helperText(helpers) + kernels;
    QString text = QStringLiteral("// SPDX-License-Identifier: Apache-2.0\n") + header(view, plan) +
                   QStringLiteral("#include <cuda_runtime.h>\n");
    if (body.contains(QLatin1String("FLT_MAX"))) text += QStringLiteral("#include <cfloat>\n");
    if (body.contains(QLatin1String("INFINITY"))) text += QStringLiteral("#include <cmath>\n");
    if (!constants.isEmpty()) text += u'\n' + constants;
    text += body + u'\n' + solve.result();
    Candidate candidate = Candidate::fromText(QStringLiteral("solve.cu"), text);
    candidate.agentData = plan.toJson();
    return candidate;
}

} // namespace kernelskill::expert
