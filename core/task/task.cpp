// SPDX-License-Identifier: Apache-2.0
#include "task/task.h"

#include "task/dtypes.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace kernelskill {

namespace {

QJsonObject toJson(const Sizes &sizes)
{
    QJsonObject object;
    for (auto it = sizes.cbegin(); it != sizes.cend(); ++it) object.insert(it.key(), it.value());
    return object;
}

QJsonArray toJson(const Parameter &parameter)
{
    QJsonArray shape;
    for (const Expression &dimension : parameter.shape) shape.append(dimension.text());
    return {parameter.name,
            int(parameter.kind),
            parameter.dtype,
            shape,
            int(parameter.role),
            int(parameter.values.kind),
            parameter.values.first,
            parameter.values.second,
            parameter.value.text()};
}

QJsonObject sizesToJson(const Task &task)
{
    QJsonArray edge, time;
    for (const Sizes &sizes : task.edge) edge.append(toJson(sizes));
    for (const TimeSize &size : task.time)
        time.append(QJsonArray{size.name, size.weight, size.maxRegression, toJson(size.sizes)});
    return {{QStringLiteral("check"), toJson(task.check)},
            {QStringLiteral("edge"), edge},
            {QStringLiteral("time"), time}};
}

} // namespace

const Parameter *Task::parameter(const QString &parameterName) const
{
    const auto found = std::ranges::find(parameters, parameterName, &Parameter::name);
    return found == parameters.end() ? nullptr : &*found;
}

QList<Sizes> Task::checkedSizes() const
{
    QList<Sizes> result{check};
    for (const Sizes &sizes : edge)
        if (!result.contains(sizes)) result.append(sizes);
    return result;
}

QByteArray Task::digest() const
{
    QJsonArray parameterArray;
    for (const Parameter &one : parameters) parameterArray.append(toJson(one));
    // Title and description are left out: they decide nothing. QJsonObject sorts its keys, so the text is canonical.
    const QJsonObject object{
        {QStringLiteral("schema"), schema},
        {QStringLiteral("kind"), kind},
        {QStringLiteral("name"), name},
        {QStringLiteral("sizes"), sizesToJson(*this)},
        {QStringLiteral("parameters"), parameterArray},
        {QStringLiteral("tolerance"), QJsonArray{tolerance.absolute, tolerance.relative}},
        {QStringLiteral("work"), QJsonArray{flops.text(), bytes.text()}},
        {QStringLiteral("graph"), graph ? QJsonValue(graph->toJson()) : QJsonValue()},
        {QStringLiteral("reference"), reference},
        {QStringLiteral("baseline"), QString::fromLatin1(baseline.digest())},
        {QStringLiteral("generate"), generateHook ? QJsonValue(*generateHook) : QJsonValue()},
        {QStringLiteral("check"), checkHook ? QJsonValue(*checkHook) : QJsonValue()},
        {QStringLiteral("prepare"), prepareEntry ? QJsonValue(*prepareEntry) : QJsonValue()}};
    return QCryptographicHash::hash(QJsonDocument(object).toJson(QJsonDocument::Compact), QCryptographicHash::Sha256)
        .toHex();
}

QString Task::solveDeclaration() const
{
    QStringList list;
    for (const Parameter &one : parameters) {
        const DtypeInfo *info = dtypeInfo(one.dtype);
        QString type = info ? info->cudaType : one.dtype;
        if (one.kind == Parameter::Kind::Tensor) {
            if (!one.isWritten()) type.prepend(QStringLiteral("const "));
            type.append(QStringLiteral(" *"));
        } else {
            type.append(u' ');
        }
        list.append(type + one.name);
    }
    list.append(QStringLiteral("cudaStream_t stream"));
    return QStringLiteral("extern \"C\" void solve(%1)").arg(list.join(QStringLiteral(", ")));
}

} // namespace kernelskill
