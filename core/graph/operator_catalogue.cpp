// SPDX-License-Identifier: Apache-2.0
#include "graph/operator_catalogue.h"

#include <QHash>

#include <algorithm>

namespace kernelskill::graph {

namespace {

const QHash<QString, OperatorFamily> &families()
{
    static const QHash<QString, OperatorFamily> table = [] {
        QHash<QString, OperatorFamily> map;
        const auto add = [&map](OperatorFamily family, std::initializer_list<const char *> names) {
            for (const char *name : names)
                map.insert(QString::fromLatin1(name), family);
        };
        add(OperatorFamily::Pointwise,
            {"add", "sub",      "mul",      "div",         "maximum",   "minimum",    "pow",    "neg",
             "abs", "exp",      "log",      "sqrt",        "rsqrt",     "reciprocal", "square", "sin",
             "cos", "erf",      "tanh",     "sigmoid",     "relu",      "gelu",       "silu",   "leaky_relu",
             "elu", "softplus", "hardtanh", "hardsigmoid", "hardswish", "clamp",      "mish"});
        add(OperatorFamily::Reduction, {"sum", "mean", "amax", "amin", "max", "min", "prod", "var"});
        add(OperatorFamily::Normalisation, {"softmax", "log_softmax", "layer_norm", "native_layer_norm", "rms_norm"});
        add(OperatorFamily::MatrixProduct, {"mm", "bmm", "matmul", "addmm", "baddbmm", "linear"});
        add(OperatorFamily::Layout, {"t", "transpose", "permute", "view", "reshape", "unsqueeze", "expand", "clone"});
        return map;
    }();
    return table;
}

} // namespace

QString canonicalOperator(const QString &op)
{
    QString name = op.section(u'.', 0, 0);
    while (name.startsWith(u'_'))
        name.remove(0, 1);
    return name;
}

std::optional<OperatorFamily> operatorFamily(const QString &op)
{
    const auto found = families().constFind(canonicalOperator(op));
    return found == families().cend() ? std::nullopt : std::optional(*found);
}

QStringList knownOperators()
{
    QStringList names = families().keys();
    std::ranges::sort(names);
    return names;
}

} // namespace kernelskill::graph
