// SPDX-License-Identifier: Apache-2.0
// Arithmetic over size names, as task.json uses for shapes, scalars and work.
#pragma once

#include "base/result.h"

#include <QMap>
#include <QString>
#include <QStringList>

#include <memory>

namespace kernelskill {

using Sizes = QMap<QString, qint64>; // size name → value

// Numbers, size names, + - * / // % ( ), min(a, b, …), max(a, b, …). / is real division, // rounds down.
class Expression
{
public:
    Expression() = default; // the constant 0
    [[nodiscard]] static Result<Expression> parse(const QString &text);
    [[nodiscard]] static Expression constant(double value);

    [[nodiscard]] QString text() const { return m_text; }
    [[nodiscard]] QStringList names() const; // size names used, sorted, unique
    [[nodiscard]] Result<double> evaluate(const Sizes &sizes) const;
    [[nodiscard]] Result<qint64> evaluateInteger(const Sizes &sizes) const; // an error unless the value is whole

    struct Node;

private:
    QString m_text = QStringLiteral("0");
    std::shared_ptr<const Node> m_root;
};

} // namespace kernelskill
