// SPDX-License-Identifier: Apache-2.0
// What the kernels of a matrix product share, and the register-blocked one.
#pragma once

#include "emission/group_code.h"

#include <memory>

namespace kernelskill::expert {

struct MatrixOperand
{
    QString buffer, tile;         // "a", "a_tile"
    QString extent;               // the dimension that is not summed over: m or n
    bool depthContiguous = false; // neighbours along k are neighbours in memory
};

struct MatrixNames
{
    QString kernel, suffix, output;
    MatrixOperand a, b;
    QString m, n, k;             // kernel parameters
    QString mCode, nCode, kCode; // their values in solve
    QStringList parameters, arguments;
    QString elementDefinition;
    std::shared_ptr<ElementFunction> element;
    QList<Load> loads;
    QString productName;

    [[nodiscard]] static Result<MatrixNames> make(const TaskView &view, const MatrixProgram &program,
                                                  const GroupNames &names);
    [[nodiscard]] QString constant(const char *name) const { return QLatin1String(name) + suffix; }
    [[nodiscard]] QMap<QString, QString> values() const;
    [[nodiscard]] QStringList signature(const QString &prefix) const;
    // The epilogue's value at (row, col) for a bare product.
    [[nodiscard]] QString value(const QString &row, const QString &col, const QString &product) const;
    // "c[…] = …;"
    [[nodiscard]] QString result(const QString &row, const QString &col, const QString &product) const;
};

[[nodiscard]] QString blockedKernel(const MatrixNames &names, const Schedule &schedule);

} // namespace kernelskill::expert
