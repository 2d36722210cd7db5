// SPDX-License-Identifier: Apache-2.0
#include "graph/attributes.h"

#include <QJsonArray>

#include <algorithm>

namespace kernelskill::graph {

namespace {

QString textOf(const QJsonValue &value)
{
    if (value.isString()) return value.toString();
    const double number = value.toDouble();
    if (number == static_cast<double>(static_cast<qint64>(number))) return QString::number(static_cast<qint64>(number));
    return QString::number(number, 'g', 17);
}

Result<double> evaluate(const QJsonValue &value, const Sizes &sizes, const QString &place)
{
    if (value.isDouble()) return value.toDouble();
    if (!value.isString())
        return failure(QStringLiteral("graph.attribute"),
                       QStringLiteral("%1: a number or expression was expected").arg(place));
    auto expression = Expression::parse(value.toString());
    if (!expression) return std::unexpected(expression.error());
    return expression->evaluate(sizes);
}

QString placeOf(const OperatorNode &node, const QString &name)
{
    return QStringLiteral("node \"%1\" (%2), attribute \"%3\"").arg(node.id, node.op, name);
}

} // namespace

std::optional<QString> attributeText(const OperatorNode &node, const QString &name)
{
    const QJsonValue value = node.attributes.value(name);
    if (value.isUndefined() || value.isNull() || value.isArray() || value.isObject()) return std::nullopt;
    return textOf(value);
}

QStringList attributeTexts(const OperatorNode &node, const QString &name)
{
    QStringList texts;
    const QJsonValue value = node.attributes.value(name);
    if (value.isArray()) {
        for (const QJsonValue &each : value.toArray())
            texts.append(textOf(each));
    } else if (!value.isUndefined() && !value.isNull()) {
        texts.append(textOf(value));
    }
    return texts;
}

Result<double> numberAttribute(const OperatorNode &node, const QString &name, const Sizes &sizes,
                               std::optional<double> fallback)
{
    const QJsonValue value = node.attributes.value(name);
    if (value.isUndefined() || value.isNull()) {
        if (fallback) return *fallback;
        return failure(QStringLiteral("graph.attribute"), placeOf(node, name) + QStringLiteral(" is missing"));
    }
    return evaluate(value, sizes, placeOf(node, name));
}

Result<QList<qint64>> integersAttribute(const OperatorNode &node, const QString &name, const Sizes &sizes)
{
    QList<qint64> numbers;
    const QJsonValue value = node.attributes.value(name);
    const QJsonArray array = value.isArray() ? value.toArray() : value.isUndefined() ? QJsonArray{} : QJsonArray{value};
    for (const QJsonValue &each : array) {
        auto number = evaluate(each, sizes, placeOf(node, name));
        if (!number) return std::unexpected(number.error());
        numbers.append(static_cast<qint64>(*number));
    }
    return numbers;
}

bool flagAttribute(const OperatorNode &node, const QString &name, bool fallback)
{
    return node.attributes.value(name).toBool(fallback);
}

Result<QList<int>> dimensionsAttribute(const OperatorNode &node, const QString &name, int rank)
{
    QList<int> dimensions;
    const QStringList texts = attributeTexts(node, name);
    if (texts.isEmpty()) {
        for (int i = 0; i < rank; ++i)
            dimensions.append(i);
        return dimensions;
    }
    for (const QString &text : texts) {
        bool isNumber = false;
        int dimension = text.toInt(&isNumber);
        if (dimension < 0) dimension += rank;
        if (!isNumber || dimension < 0 || dimension >= rank) {
            return failure(QStringLiteral("graph.attribute"),
                           QStringLiteral("%1: %2 is no dimension of a tensor of rank %3")
                               .arg(placeOf(node, name), text)
                               .arg(rank));
        }
        dimensions.append(dimension);
    }
    std::ranges::sort(dimensions);
    return dimensions;
}

} // namespace kernelskill::graph
