// SPDX-License-Identifier: Apache-2.0
#include "emission/code_writer.h"

namespace kernelskill::expert {

namespace {

constexpr qsizetype columnLimit = 120;

// Where a line that is too long may break: before the last ? or after the first = that leaves room, or at a space of a
// comment. The rest goes on with `lead`.
qsizetype breakOf(const QString &text, qsizetype room, QString *lead)
{
    if (text.startsWith(QLatin1String("// "))) {
        *lead = QStringLiteral("// ");
        return text.lastIndexOf(u' ', room);
    }
    *lead = QStringLiteral("    ");
    for (const QString &mark : {QStringLiteral(" ? "), QStringLiteral(" = "), QStringLiteral(" && ")}) {
        const qsizetype at = text.lastIndexOf(mark, room - mark.size());
        if (at > 0) return mark == u" ? " ? at : at + mark.size() - 1;
    }
    return -1;
}

} // namespace

void CodeWriter::line(const QString &text)
{
    const qsizetype room = columnLimit - m_depth * 4;
    if (text.size() > room && !text.startsWith(u'#')) {
        QString lead;
        const qsizetype at = breakOf(text, room, &lead);
        if (at > 3) {
            const QString first = text.left(at);
            line(first.endsWith(u' ') ? first.chopped(1) : first);
            line(lead + text.mid(at).trimmed());
            return;
        }
    }
    if (!text.isEmpty() && !text.startsWith(u'#')) // directives stand in the first column
        m_text += QString(m_depth * 4, u' ');
    m_text += text + u'\n';
}

void CodeWriter::lines(const QStringList &texts)
{
    for (const QString &text : texts)
        line(text);
}

void CodeWriter::open(const QString &text)
{
    line(text.isEmpty() ? QStringLiteral("{") : text + QStringLiteral(" {"));
    ++m_depth;
}

void CodeWriter::openFunction(const QString &signature)
{
    line(signature);
    open();
}

void CodeWriter::close(const QString &suffix)
{
    --m_depth;
    line(u'}' + suffix);
}

void CodeWriter::block(const QString &head, const QStringList &body)
{
    if (body.size() == 1) {
        line(head);
        ++m_depth;
        line(body.first());
        --m_depth;
        return;
    }
    open(head);
    lines(body);
    close();
}

void CodeWriter::text(const QString &pattern, const QMap<QString, QString> &values)
{
    QStringList all = filled(pattern, values).split(u'\n');
    while (!all.isEmpty() && all.first().trimmed().isEmpty())
        all.removeFirst();
    while (!all.isEmpty() && all.last().trimmed().isEmpty())
        all.removeLast();
    lines(all);
}

QString filled(QString pattern, const QMap<QString, QString> &values)
{
    for (auto it = values.constBegin(); it != values.constEnd(); ++it)
        pattern.replace(u'@' + it.key() + u'@', it.value());
    return pattern;
}

} // namespace kernelskill::expert
