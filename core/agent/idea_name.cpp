// SPDX-License-Identifier: Apache-2.0
#include "agent/idea_name.h"

#include <QRegularExpression>
#include <QStringList>

namespace kernelskill {

QString ideaName(const QString &words)
{
    static const QRegularExpression separators(QStringLiteral("[^a-z0-9]+"));
    QString name;
    for (const QString &word : words.section(u'\n', 0, 0).toLower().split(separators, Qt::SkipEmptyParts).mid(0, 6))
        name += (name.isEmpty() ? QString() : QStringLiteral("-")) + word;
    name.truncate(48);
    while (name.endsWith(u'-'))
        name.chop(1);
    return name.isEmpty() ? QStringLiteral("idea") : name;
}

} // namespace kernelskill
