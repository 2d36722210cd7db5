// SPDX-License-Identifier: Apache-2.0
#include "agents/form_field.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QRegularExpression>

#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

QString say(const char *text)
{
    return QCoreApplication::translate("FormField", text);
}

FormField::Kind kindOf(const QJsonObject &property)
{
    const QString type = property["type"_L1].toString();
    if (property.contains("enum"_L1) || type == "boolean"_L1) return FormField::Kind::Choice;
    if (type == "integer"_L1) return FormField::Kind::Whole;
    return type == "number"_L1 ? FormField::Kind::Number : FormField::Kind::Text;
}

std::optional<double> limit(const QJsonValue &value)
{
    return value.isDouble() ? std::optional(value.toDouble()) : std::nullopt;
}

FormField fieldOf(const QString &key, const QJsonObject &property)
{
    FormField field;
    field.key = key;
    field.title = property["title"_L1].toString(key);
    field.description = property["description"_L1].toString();
    field.kind = kindOf(property);
    for (const QJsonValue &choice : property["enum"_L1].toArray())
        field.choices.append(settingText(choice));
    if (field.kind == FormField::Kind::Choice && field.choices.isEmpty()) field.choices = {u"true"_s, u"false"_s};
    field.fallback = settingText(property["default"_L1]);
    field.minimum = limit(property["minimum"_L1]);
    field.maximum = limit(property["maximum"_L1]);
    field.pattern = property["pattern"_L1].toString();
    field.expected = property["x-expected"_L1].toString();
    field.listable = property["x-choices"_L1].toBool();
    return field;
}

QString numberMistake(const FormField &field, const QString &text)
{
    const bool whole = field.kind == FormField::Kind::Whole;
    bool isNumber = false;
    const double value = text.toDouble(&isNumber);
    const QString least = field.minimum ? QString::number(*field.minimum, 'g', 12) : QString();
    const QString most = field.maximum ? QString::number(*field.maximum, 'g', 12) : QString();
    const bool fits = isNumber && std::isfinite(value) && (!whole || value == std::floor(value)) &&
                      value >= field.minimum.value_or(value) && value <= field.maximum.value_or(value);
    if (fits) return {};
    const QString what = whole ? say("a whole number") : say("a number");
    if (!least.isEmpty() && !most.isEmpty()) return say("%1 is %2 from %3 to %4").arg(field.title, what, least, most);
    if (!least.isEmpty()) return say("%1 is %2 from %3 on").arg(field.title, what, least);
    if (!most.isEmpty()) return say("%1 is %2 up to %3").arg(field.title, what, most);
    return say("%1 is %2").arg(field.title, what);
}

} // namespace

QString settingText(const QJsonValue &value)
{
    if (value.isBool()) return value.toBool() ? u"true"_s : u"false"_s;
    if (value.isDouble()) return QString::number(value.toDouble(), 'g', 15);
    if (value.isArray()) return value.toVariant().toStringList().join(u", "_s);
    return value.toString();
}

QList<FormField> fieldsOf(const QJsonObject &schema)
{
    const QJsonObject properties = schema["properties"_L1].toObject();
    QStringList keys;
    for (const QJsonValue &key : schema["x-order"_L1].toArray()) {
        if (properties.contains(key.toString()) && !keys.contains(key.toString())) keys.append(key.toString());
    }
    for (const QString &key : properties.keys()) {
        if (!keys.contains(key)) keys.append(key);
    }
    const QJsonArray required = schema["required"_L1].toArray();
    QList<FormField> fields;
    for (const QString &key : std::as_const(keys)) {
        fields.append(fieldOf(key, properties[key].toObject()));
        fields.last().required = required.contains(key);
    }
    return fields;
}

QString mistakeIn(const FormField &field, const QString &text)
{
    const QString value = text.trimmed();
    if (value.isEmpty()) return field.required ? say("%1 is needed").arg(field.title) : QString();
    switch (field.kind) {
    case FormField::Kind::Whole:
    case FormField::Kind::Number:
        return numberMistake(field, value);
    case FormField::Kind::Choice:
        if (field.choices.contains(value)) return {};
        return say("%1 is one of %2").arg(field.title, field.choices.join(u", "_s));
    case FormField::Kind::Text:
        break;
    }
    if (field.pattern.isEmpty() || QRegularExpression(field.pattern).match(value).hasMatch()) return {};
    return field.expected.isEmpty() ? say("%1 does not have the right form").arg(field.title)
                                    : say("%1 is %2").arg(field.title, field.expected);
}

} // namespace kernelskill
