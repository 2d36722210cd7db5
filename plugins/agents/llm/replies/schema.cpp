// SPDX-License-Identifier: Apache-2.0
#include "replies/extract.h"

#include <QJsonArray>

#include <algorithm>
#include <cmath>
#include <optional>

namespace kernelskill::llm {

namespace {

// As deep as the schema is, never as deep as the value.
class Fitter
{
public:
    explicit Fitter(QStringList &notes) : m_notes(notes) {}
    // Empty, or what is wrong and where.
    QString fit(QJsonValue &value, const QJsonObject &schema, const QString &path);

private:
    QString fitObject(QJsonValue &value, const QJsonObject &schema, const QString &path);
    QString fitArray(QJsonValue &value, const QJsonObject &schema, const QString &path);
    QString fitEnum(QJsonValue &value, const QJsonArray &choices, const QString &path);
    void dropOthers(QJsonObject &object, const QJsonObject &schema, const QString &path);
    void mend(QJsonValue &value, const QStringList &types, const QString &path);
    void note(const QString &path, const QString &what) { m_notes.append(QStringLiteral("%1: %2").arg(path, what)); }

    QStringList &m_notes;
};

QStringList typesOf(const QJsonObject &schema)
{
    const QJsonValue type = schema.value(u"type");
    QStringList types;
    for (const QJsonValue &one : type.toArray())
        types.append(one.toString());
    if (type.isString()) types.append(type.toString());
    if (schema.value(u"nullable").toBool() && !types.isEmpty()) types.append(QStringLiteral("null"));
    return types;
}

bool isOf(const QJsonValue &value, const QString &type)
{
    if (type == u"object") return value.isObject();
    if (type == u"array") return value.isArray();
    if (type == u"string") return value.isString();
    if (type == u"boolean") return value.isBool();
    if (type == u"null") return value.isNull();
    if (type == u"number") return value.isDouble();
    return type == u"integer" && value.isDouble() && std::floor(value.toDouble()) == value.toDouble();
}

bool isOfAny(const QJsonValue &value, const QStringList &types)
{
    return types.isEmpty() || std::ranges::any_of(types, [&](const QString &type) { return isOf(value, type); });
}

QString squeezed(const QString &text)
{
    QString result;
    for (const QChar c : text) {
        if (c.isLetterOrNumber()) result.append(c.toLower());
    }
    return result;
}

QString shown(const QJsonValue &value)
{
    return value.isString() ? value.toString() : value.toVariant().toString();
}

QString at(const QString &path)
{
    return path.isEmpty() ? QStringLiteral("/") : path;
}

std::optional<QJsonValue> read(const QString &text, const QString &type)
{
    const QString word = text.trimmed();
    bool fits = false;
    if (type == u"integer" || type == u"number") {
        if (const qint64 whole = word.toLongLong(&fits); fits) return QJsonValue(whole);
        const double value = word.toDouble(&fits);
        if (fits && std::isfinite(value) && (type == u"number" || std::floor(value) == value)) return QJsonValue(value);
    }
    const QString lower = word.toLower();
    if (type == u"boolean" && (lower == u"true" || lower == u"yes")) return QJsonValue(true);
    if (type == u"boolean" && (lower == u"false" || lower == u"no")) return QJsonValue(false);
    if (type == u"null" && (lower.isEmpty() || lower == u"null" || lower == u"none")) return QJsonValue(QJsonValue::Null);
    return std::nullopt;
}

// What a value of another type plainly means; the value as it is when it means nothing plain.
void Fitter::mend(QJsonValue &value, const QStringList &types, const QString &path)
{
    const auto becomes = [&](const QJsonValue &mended, const QString &what) {
        value = mended;
        note(at(path), what);
    };
    if (value.isArray() && value.toArray().size() == 1 && isOfAny(value.toArray().first(), types))
        return becomes(value.toArray().first(), QStringLiteral("taken out of its list of one"));
    for (const QString &type : types) {
        if (value.isString()) {
            if (const auto mended = read(value.toString(), type))
                return becomes(*mended, QStringLiteral("%1 out of a text").arg(type));
        }
        if (type == u"string" && (value.isDouble() || value.isBool()))
            return becomes(shown(value), QStringLiteral("text out of a %1").arg(value.isBool() ? QStringView(u"boolean") : QStringView(u"number")));
        if (type == u"array" && !value.isNull() && !value.isUndefined())
            return becomes(QJsonArray{value}, QStringLiteral("made a list of one"));
    }
}

QString Fitter::fitEnum(QJsonValue &value, const QJsonArray &choices, const QString &path)
{
    if (choices.isEmpty() || choices.contains(value)) return {};
    QStringList names;
    for (const QJsonValue &choice : choices) {
        names.append(choice.isNull() ? QStringLiteral("null") : shown(choice));
        if (!value.isString() || !choice.isString() || squeezed(value.toString()).isEmpty()) continue;
        if (squeezed(value.toString()) != squeezed(choice.toString())) continue;
        note(at(path), QStringLiteral("“%1” read as “%2”").arg(value.toString(), choice.toString()));
        value = choice;
        return {};
    }
    return QStringLiteral("%1: expected one of %2").arg(at(path), names.join(u", "));
}

void Fitter::dropOthers(QJsonObject &object, const QJsonObject &schema, const QString &path)
{
    const QJsonObject properties = schema.value(u"properties").toObject();
    const QJsonValue others = schema.value(u"additionalProperties");
    if (others.isObject() || others.toBool() || (properties.isEmpty() && others.isUndefined())) return;
    QStringList dropped;
    for (const QString &key : object.keys()) {
        if (key.isEmpty() || properties.contains(key)) continue;
        object.remove(key);
        dropped.append(key);
    }
    if (!dropped.isEmpty()) note(at(path), QStringLiteral("dropped %1").arg(dropped.join(u", ")));
}

QString Fitter::fitObject(QJsonValue &value, const QJsonObject &schema, const QString &path)
{
    QJsonObject object = value.toObject();
    dropOthers(object, schema, path);
    const QJsonObject properties = schema.value(u"properties").toObject();
    for (const QJsonValue &required : schema.value(u"required").toArray()) {
        const QString key = required.toString();
        if (object.contains(key)) continue;
        if (!typesOf(properties.value(key).toObject()).contains(u"null"))
            return QStringLiteral("%1: %2 is missing").arg(at(path), key);
        object.insert(key, QJsonValue::Null);
        note(at(path), QStringLiteral("%1 was missing: null").arg(key));
    }
    const QJsonObject others = schema.value(u"additionalProperties").toObject();
    const QStringList required = schema.value(u"required").toVariant().toStringList();
    for (const QString &key : object.keys()) {
        if (key.isEmpty()) continue;
        const QJsonObject member = properties.contains(key) ? properties.value(key).toObject() : others;
        QJsonValue inner = object.value(key);
        if (inner.isNull() && !required.contains(key) && !isOfAny(inner, typesOf(member))) {
            object.remove(key); // null for "I leave it out"
            continue;
        }
        if (const QString wrong = fit(inner, member, path + u'/' + key); !wrong.isEmpty()) return wrong;
        object.insert(key, inner);
    }
    value = object;
    return {};
}

QString Fitter::fitArray(QJsonValue &value, const QJsonObject &schema, const QString &path)
{
    QJsonArray array = value.toArray();
    const QJsonValue most = schema.value(u"maxItems"), least = schema.value(u"minItems");
    if (most.isDouble() && array.size() > most.toInt())
        return QStringLiteral("%1: expected at most %2 items, not %3").arg(at(path)).arg(most.toInt()).arg(array.size());
    if (least.isDouble() && array.size() < least.toInt())
        return QStringLiteral("%1: expected at least %2 items, not %3").arg(at(path)).arg(least.toInt()).arg(array.size());
    const QJsonObject items = schema.value(u"items").toObject();
    if (items.isEmpty()) return {};
    for (qsizetype i = 0; i < array.size(); ++i) {
        QJsonValue inner = array.at(i);
        if (const QString wrong = fit(inner, items, path + u'/' + QString::number(i)); !wrong.isEmpty()) return wrong;
        if (inner != array.at(i)) array.replace(i, inner);
    }
    value = array;
    return {};
}

QString Fitter::fit(QJsonValue &value, const QJsonObject &schema, const QString &path)
{
    const QStringList types = typesOf(schema);
    if (!isOfAny(value, types)) mend(value, types, path);
    if (!isOfAny(value, types)) return QStringLiteral("%1: expected %2").arg(at(path), types.join(u" or "));
    const QJsonArray choices = schema.value(u"enum").toArray();
    if (const QString wrong = fitEnum(value, choices, path); !wrong.isEmpty()) return wrong;
    const int shortest = schema.value(u"minLength").toInt();
    if (value.isString() && value.toString().trimmed().size() < shortest) {
        return shortest == 1 ? QStringLiteral("%1: it must not be empty").arg(at(path))
                             : QStringLiteral("%1: expected at least %2 characters").arg(at(path)).arg(shortest);
    }
    if (value.isObject()) return fitObject(value, schema, path);
    if (value.isArray()) return fitArray(value, schema, path);
    return {};
}

} // namespace

QString fitToSchema(QJsonObject &object, const QJsonObject &schema, QStringList &notes)
{
    QJsonValue value = object;
    const QString wrong = Fitter(notes).fit(value, schema, {});
    if (value.isObject()) object = value.toObject();
    return wrong;
}

} // namespace kernelskill::llm
