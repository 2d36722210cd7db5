// SPDX-License-Identifier: Apache-2.0
// A form's fields, read from the JSON Schema of an agent's settings. Pure.
#pragma once

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace kernelskill {

struct FormField
{
    enum class Kind { Text, Number, Whole, Choice };
    QString key, title, description;
    Kind kind = Kind::Text;
    QStringList choices;      // of Kind::Choice; "true" and "false" for a boolean
    QString fallback;         // what holds without a value; empty: nothing
    std::optional<double> minimum, maximum;
    QString pattern, expected; // regular expression, and what it asks for in words
    bool listable = false;    // somebody knows what may stand in it
    bool required = false;
};

// In the schema's own order ("x-order"), the rest by name.
[[nodiscard]] QList<FormField> fieldsOf(const QJsonObject &schema);

// What is wrong with a text in a field, in a sentence; empty: nothing. An empty text is wrong only where one is required.
[[nodiscard]] QString mistakeIn(const FormField &field, const QString &text);

// As it stands in a settings file: text.
[[nodiscard]] QString settingText(const QJsonValue &value);

} // namespace kernelskill
