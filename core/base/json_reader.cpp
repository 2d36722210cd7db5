// SPDX-License-Identifier: Apache-2.0
#include "base/json_reader.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>

#include <cmath>
#include <optional>

namespace kernelskill {

namespace {

struct Place
{
    qsizetype line = 1, column = 1;
};

Place placeOf(const QByteArray &text, qsizetype offset)
{
    const QByteArrayView before = QByteArrayView(text).first(std::clamp<qsizetype>(offset, 0, text.size()));
    const qsizetype lineStart = before.lastIndexOf('\n') + 1;
    // Columns count characters, not bytes.
    return {before.count('\n') + 1, QString::fromUtf8(before.sliced(lineStart)).size() + 1};
}

// Finds the second of two equal keys in one object. The text is known to be valid JSON.
class DuplicateKeyFinder
{
public:
    explicit DuplicateKeyFinder(const QByteArray &text) : m_text(text) {}

    struct Duplicate
    {
        QString key;
        qsizetype offset;
    };

    std::optional<Duplicate> find()
    {
        QList<QSet<QByteArray>> open; // keys so far of each open object; an array gets an empty set
        for (m_at = 0; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            if (c == '{' || c == '[') open.append(QSet<QByteArray>());
            else if (c == '}' || c == ']') open.removeLast();
            else if (c == '"') {
                const qsizetype start = m_at;
                const QByteArray content = takeString();
                if (!isKey()) continue;
                if (open.last().contains(content)) return Duplicate{QString::fromUtf8(content), start};
                open.last().insert(content);
            }
        }
        return std::nullopt;
    }

private:
    // Leaves m_at on the closing quote.
    QByteArray takeString()
    {
        const qsizetype start = ++m_at;
        while (m_at < m_text.size() && m_text[m_at] != '"') m_at += m_text[m_at] == '\\' ? 2 : 1;
        return m_text.mid(start, m_at - start);
    }
    [[nodiscard]] bool isKey() const
    {
        qsizetype next = m_at + 1;
        while (next < m_text.size() && QByteArrayView(" \t\r\n").contains(m_text[next])) ++next;
        return next < m_text.size() && m_text[next] == ':';
    }

    const QByteArray &m_text;
    qsizetype m_at = 0;
};

QString typeName(const QJsonValue &value)
{
    switch (value.type()) {
    case QJsonValue::Null: return QStringLiteral("null");
    case QJsonValue::Bool: return QStringLiteral("a boolean");
    case QJsonValue::Double: return QStringLiteral("a number");
    case QJsonValue::String: return QStringLiteral("a text");
    case QJsonValue::Array: return QStringLiteral("an array");
    case QJsonValue::Object: return QStringLiteral("an object");
    case QJsonValue::Undefined: break;
    }
    return QStringLiteral("nothing");
}

} // namespace

Result<JsonReader> JsonReader::open(const QString &path, const QString &errorPrefix)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        const QString why = QFileInfo::exists(path) ? file.errorString() : QStringLiteral("there is no such file");
        return failure(errorPrefix + QStringLiteral(".missing_file"), QStringLiteral("%1: %2.").arg(path, why));
    }
    return parse(file.readAll(), path, errorPrefix);
}

Result<JsonReader> JsonReader::parse(const QByteArray &text, const QString &path, const QString &errorPrefix)
{
    const auto refuseAt = [&](qsizetype offset, const QString &what) {
        const Place place = placeOf(text, offset);
        return failure(errorPrefix + QStringLiteral(".syntax"),
                       QStringLiteral("%1:%2:%3: %4.").arg(path).arg(place.line).arg(place.column).arg(what));
    };
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (error.error != QJsonParseError::NoError)
        return refuseAt(error.offset, QStringLiteral("this is not JSON: ") + error.errorString());
    if (const auto duplicate = DuplicateKeyFinder(text).find())
        return refuseAt(duplicate->offset, QStringLiteral("the key \"%1\" stands twice in one object").arg(duplicate->key));
    JsonReader reader(path, errorPrefix, {}, document.isArray() ? QJsonValue(document.array()) : document.object());
    if (!document.isObject()) return reader.wrongType(QStringLiteral("an object"));
    return reader;
}

bool JsonReader::has(const QString &key) const { return m_value.isObject() && m_value.toObject().contains(key); }

JsonReader JsonReader::at(const QString &token, const QJsonValue &value) const
{
    QString escaped = token; // RFC 6901
    escaped.replace(u'~', QStringLiteral("~0")).replace(u'/', QStringLiteral("~1"));
    return JsonReader(m_file, m_prefix, m_pointer + u'/' + escaped, value);
}

Result<JsonReader> JsonReader::member(const QString &key) const
{
    if (!m_value.isObject()) return wrongType(QStringLiteral("an object"));
    const QJsonObject object = m_value.toObject();
    const auto found = object.constFind(key);
    if (found != object.constEnd()) return at(key, *found);
    return at(key, QJsonValue(QJsonValue::Undefined)).refuse("missing_key", QStringLiteral("this key is missing"));
}

Result<QList<JsonReader>> JsonReader::elements() const
{
    if (!m_value.isArray()) return wrongType(QStringLiteral("an array"));
    QList<JsonReader> result;
    const QJsonArray array = m_value.toArray();
    for (qsizetype i = 0; i < array.size(); ++i) result.append(at(QString::number(i), array[i]));
    return result;
}

Result<QStringList> JsonReader::keys() const
{
    if (!m_value.isObject()) return wrongType(QStringLiteral("an object"));
    return m_value.toObject().keys();
}

Result<QString> JsonReader::text() const
{
    if (!m_value.isString()) return wrongType(QStringLiteral("a text"));
    return m_value.toString();
}

Result<double> JsonReader::number() const
{
    if (!m_value.isDouble()) return wrongType(QStringLiteral("a number"));
    return m_value.toDouble();
}

Result<qint64> JsonReader::integer() const
{
    if (!m_value.isDouble()) return wrongType(QStringLiteral("a whole number"));
    const double value = m_value.toDouble();
    if (value != std::floor(value) || std::abs(value) > 9007199254740992.0)
        return refuse(QStringLiteral("expected a whole number, found %1").arg(value));
    return m_value.toInteger();
}

std::unexpected<Error> JsonReader::refuse(const QString &what) const { return refuse("value", what); }

std::unexpected<Error> JsonReader::refuse(const char *codeEnd, const QString &what) const
{
    return failure(m_prefix + u'.' + QString::fromLatin1(codeEnd),
                   QStringLiteral("%1: %2: %3.").arg(m_file, pointer(), what));
}

std::unexpected<Error> JsonReader::wrongType(const QString &expected) const
{
    return refuse("type", QStringLiteral("expected %1, found %2").arg(expected, typeName(m_value)));
}

QString orList(const QStringList &names)
{
    if (names.size() < 2) return names.join(QString());
    return names.first(names.size() - 1).join(QStringLiteral(", ")) + QStringLiteral(" or ") + names.last();
}

} // namespace kernelskill
