// SPDX-License-Identifier: Apache-2.0
// Lines of C++ with their indentation.
#pragma once

#include <QMap>
#include <QString>
#include <QStringList>

namespace kernelskill::expert {

class CodeWriter
{
public:
    void line(const QString &text = {});
    void lines(const QStringList &texts);
    void open(const QString &text = {});         // "text {", or "{" alone; what follows is indented
    void openFunction(const QString &signature); // brace on a line of its own
    void close(const QString &suffix = {});      // "}"
    void indent() { ++m_depth; }
    void outdent() { --m_depth; }
    // A loop or condition: braces only around more than one line.
    void block(const QString &head, const QStringList &body);
    // A template with @name@ places; indented as a whole. Blank leading and trailing lines are dropped.
    void text(const QString &pattern, const QMap<QString, QString> &values = {});

    [[nodiscard]] const QString &result() const { return m_text; }

private:
    QString m_text;
    int m_depth = 0;
};

[[nodiscard]] QString filled(QString pattern, const QMap<QString, QString> &values);

} // namespace kernelskill::expert
