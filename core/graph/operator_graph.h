// SPDX-License-Identifier: Apache-2.0
// The operators of a task as a graph: what the rule-based agent plans from and what the interpreter runs.
#pragma once

#include "base/result.h"

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

namespace kernelskill {

struct OperatorNode
{
    QString id;           // value it defines; equals a parameter's name when it is an output
    QString op;           // core ATen name: softmax, add, mul, mm, gelu, …
    QStringList inputs;   // ids of nodes or graph inputs
    QJsonObject attributes; // dim, eps, other (scalar operand or expression over sizes), approximate, …
};

struct OperatorGraph
{
    QStringList inputs;  // parameter names
    QList<OperatorNode> nodes; // topological order
    QStringList outputs; // node ids that are parameters with role out

    [[nodiscard]] const OperatorNode *node(const QString &id) const;
    [[nodiscard]] QStringList usersOf(const QString &id) const;
    [[nodiscard]] QJsonObject toJson() const;
    // Errors carry a JSON pointer below `pointer`.
    [[nodiscard]] static Result<OperatorGraph> fromJson(const QJsonObject &object, const QString &pointer);
};

} // namespace kernelskill
