// SPDX-License-Identifier: Apache-2.0
// What emission of one group gives, and what the emitters share.
#pragma once

#include "emission/code_writer.h"
#include "patterns/program.h"

namespace kernelskill::expert {

struct GroupCode
{
    QStringList helpers; // names in helper_functions.h
    QString constants;   // constexpr lines
    QString kernels;
    QString launch; // statements of solve
};

// Names of one group; a suffix keeps the constants of several groups apart.
struct GroupNames
{
    QString kernel; // "softmaxRows"
    QString suffix; // "" for a plan of one group
    [[nodiscard]] QString constant(const char *name) const { return QLatin1String(name) + suffix; }
};

[[nodiscard]] Result<GroupCode> emitPointwise(const TaskView &view, const Group &group, const GroupNames &names);
[[nodiscard]] Result<GroupCode> emitRows(const TaskView &view, const Group &group, const GroupNames &names);
[[nodiscard]] Result<GroupCode> emitTranspose(const TaskView &view, const Group &group, const GroupNames &names);
[[nodiscard]] Result<GroupCode> emitMatrixProduct(const TaskView &view, const Group &group, const GroupNames &names);
[[nodiscard]] Result<GroupCode> emitFullReduction(const TaskView &view, const Group &group, const GroupNames &names);

// An element's code as a device function when it has steps, inline otherwise.
class ElementFunction
{
public:
    ElementFunction(const ElementCode &code, const QString &name);
    [[nodiscard]] QString definition() const; // empty when inline
    // The value with loads written as `load` says; row values by their names unless `row` says otherwise.
    [[nodiscard]] QString at(const Substitution &load, const Substitution &row = identifierFor) const;
    [[nodiscard]] QStringList loads() const { return m_code.loads(); }
    [[nodiscard]] int uses(const QString &load) const; // how often the text of at() names it

private:
    ElementCode m_code;
    QString m_name;
};

// Buffers a kernel touches, in the order of the task's parameters.
struct BufferUse
{
    QStringList read, written;
    void add(const QList<Load> &loads, const QList<Store> &stores);
};
[[nodiscard]] QStringList kernelParameters(const TaskView &view, const BufferUse &use); // "const float *__restrict__ x"
[[nodiscard]] QStringList kernelArguments(const TaskView &view, const BufferUse &use);  // "x"
[[nodiscard]] QStringList usedBuffers(const TaskView &view, const BufferUse &use);

// A signature that wraps at 120 columns, continuation lines under the first parameter.
[[nodiscard]] QStringList wrapped(const QString &head, const QStringList &parameters, const QString &tail = {});

[[nodiscard]] QString vectorType(int width);  // 1 float, 2 float2, 4 float4
[[nodiscard]] QStringList lanesOf(int width); // "" or x y z w
[[nodiscard]] QString upperCamel(const QString &name);
// Product of dimensions as an element count in 64 bits.
[[nodiscard]] Result<QString> countCode(const TaskView &view, const QStringList &dimensions);

} // namespace kernelskill::expert
