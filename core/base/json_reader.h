// SPDX-License-Identifier: Apache-2.0
// Walks a JSON document and knows where it is, so that each error names the file, a JSON pointer and what was expected.
#pragma once

#include "base/result.h"

#include <QJsonValue>
#include <QString>
#include <QStringList>

namespace kernelskill {

// Error codes are "<prefix>.missing_file", "<prefix>.syntax", "<prefix>.missing_key", "<prefix>.type", "<prefix>.value".
class JsonReader
{
public:
    // Reads and parses a file; the top must be an object. Syntax errors name line and column, and so does a key that
    // stands twice in one object (JSON allows it; whoever wrote it meant only one).
    [[nodiscard]] static Result<JsonReader> open(const QString &path, const QString &errorPrefix);
    [[nodiscard]] static Result<JsonReader> parse(const QByteArray &text, const QString &path,
                                                  const QString &errorPrefix);

    [[nodiscard]] const QJsonValue &value() const { return m_value; }
    [[nodiscard]] const QString &file() const { return m_file; }
    [[nodiscard]] QString pointer() const { return m_pointer.isEmpty() ? QStringLiteral("/") : m_pointer; }
    [[nodiscard]] QString rawPointer() const { return m_pointer; } // "" at the top, to append to

    [[nodiscard]] bool has(const QString &key) const;
    [[nodiscard]] bool has(const char *key) const { return has(QString::fromLatin1(key)); }
    [[nodiscard]] Result<JsonReader> member(const QString &key) const; // an error when it is missing or this no object
    [[nodiscard]] Result<JsonReader> member(const char *key) const { return member(QString::fromLatin1(key)); }
    [[nodiscard]] Result<QList<JsonReader>> elements() const; // an error unless an array
    [[nodiscard]] Result<QStringList> keys() const;           // an error unless an object
    [[nodiscard]] Result<QString> text() const;
    [[nodiscard]] Result<double> number() const;
    [[nodiscard]] Result<qint64> integer() const;

    // "<file>: <pointer>: <what>" with code "<prefix>.value".
    [[nodiscard]] std::unexpected<Error> refuse(const QString &what) const;
    [[nodiscard]] std::unexpected<Error> refuse(const char *codeEnd, const QString &what) const;

private:
    JsonReader(QString file, QString prefix, QString pointer, QJsonValue value)
        : m_file(std::move(file)), m_prefix(std::move(prefix)), m_pointer(std::move(pointer)), m_value(std::move(value))
    {
    }
    [[nodiscard]] JsonReader at(const QString &token, const QJsonValue &value) const;
    [[nodiscard]] std::unexpected<Error> wrongType(const QString &expected) const;

    QString m_file, m_prefix, m_pointer;
    QJsonValue m_value;
};

// "a, b or c", for messages that list what is known.
[[nodiscard]] QString orList(const QStringList &names);

} // namespace kernelskill
