// SPDX-License-Identifier: Apache-2.0
#include "models/message_parts.h"

#include <QJsonDocument>
#include <QRegularExpression>
#include <QStringList>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

class Reader
{
public:
    void take(const QString &line)
    {
        if (!m_end.isEmpty()) {
            const bool ends = m_part.kind == MessagePart::Kind::Code ? line.trimmed() == m_end : line.trimmed().startsWith(m_end);
            if (ends)
                close();
            else
                m_lines.append(line);
            return;
        }
        static const QRegularExpression data(u"^<<<data (\\S+) id=(\\S+)\\s*$"_s), fence(u"^\\s*(`{3,})\\s*([\\w+#.-]*)\\s*$"_s);
        if (const auto match = data.match(line); match.hasMatch())
            open(MessagePart::Kind::Data, match.captured(1), u"data id=%1>>>"_s.arg(match.captured(2)));
        else if (const auto fenced = fence.match(line); fenced.hasMatch())
            open(MessagePart::Kind::Code, fenced.captured(2), fenced.captured(1));
        else
            m_lines.append(line);
    }
    QList<MessagePart> finished()
    {
        close();
        return m_parts;
    }

private:
    void open(MessagePart::Kind kind, const QString &title, const QString &end)
    {
        close();
        m_part = {kind, title, {}};
        m_end = end;
    }
    void close()
    {
        m_part.text = m_lines.join(u'\n');
        if (m_part.kind == MessagePart::Kind::Prose) m_part.text = m_part.text.trimmed();
        if (m_part.kind == MessagePart::Kind::Prose && QJsonDocument::fromJson(m_part.text.toUtf8()).isObject()) {
            m_part.kind = MessagePart::Kind::Code; // an answer that is one object, without a fence
            m_part.title = u"json"_s;
        }
        if (!m_part.text.trimmed().isEmpty()) m_parts.append(m_part);
        m_part = {};
        m_lines.clear();
        m_end.clear();
    }

    QList<MessagePart> m_parts;
    MessagePart m_part;
    QStringList m_lines;
    QString m_end; // of what is open; empty: prose
};

} // namespace

QList<MessagePart> messageParts(const QString &text)
{
    Reader reader;
    for (const QString &line : text.split(u'\n'))
        reader.take(line);
    return reader.finished();
}

} // namespace kernelskill
