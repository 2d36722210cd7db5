// SPDX-License-Identifier: Apache-2.0
#include "replies/edits.h"

#include "replies/source.h"
#include "replies/text.h"

#include <algorithm>

namespace kernelskill::llm {

namespace {

enum class Marker { None, Open, Base, Divider, Close };

// Five or more of `sign`, then nothing or a few words.
bool isMarker(QStringView line, QChar sign)
{
    qsizetype run = 0;
    while (run < line.size() && line[run] == sign)
        ++run;
    const QStringView word = line.sliced(run);
    return run >= 5 && word.size() <= 60 && !word.contains(u';') && !word.contains(u'(');
}

Marker markerOf(QStringView line)
{
    line = line.trimmed();
    if (line.size() < 5) return Marker::None;
    switch (line[0].unicode()) {
    case '<': return isMarker(line, u'<') ? Marker::Open : Marker::None;
    case '|': return isMarker(line, u'|') ? Marker::Base : Marker::None;
    case '=': return isMarker(line, u'=') ? Marker::Divider : Marker::None;
    case '>': return isMarker(line, u'>') ? Marker::Close : Marker::None;
    // "------- SEARCH", "+++++++ REPLACE"
    case '-': return isMarker(line, u'-') && line.contains(u"search", Qt::CaseInsensitive) ? Marker::Open : Marker::None;
    case '+': return isMarker(line, u'+') && line.contains(u"replace", Qt::CaseInsensitive) ? Marker::Close : Marker::None;
    default: return Marker::None;
    }
}

bool isFence(QStringView line)
{
    line = line.trimmed();
    return line.startsWith(u"```") || line.startsWith(u"~~~");
}

// Lines, each with its end; without fences around them, nor numbers in front of all.
QString sectionOf(QList<QStringView> lines)
{
    const auto fencedAt = [&](qsizetype i) { return isFence(lines[i]); };
    while (!lines.isEmpty() && fencedAt(0))
        lines.removeFirst();
    while (!lines.isEmpty() && fencedAt(lines.size() - 1))
        lines.removeLast();
    QString text;
    for (const QStringView line : lines)
        text.append(line).append(u'\n');
    const QString plain = withoutLineNumbers(text);
    return plain.isEmpty() ? text : plain;
}

class MarkedReader
{
public:
    FoundEdits read(QStringView text);

private:
    enum class In { Nothing, Before, Base, After };
    void line(QStringView line);
    void open();
    void close();
    void fail(const QString &why);
    [[nodiscard]] qsizetype number() const { return m_found.edits.size() + 1; }

    FoundEdits m_found;
    In m_in = In::Nothing;
    QList<QStringView> m_before, m_after;
};

void MarkedReader::fail(const QString &why)
{
    if (m_found.problem.isEmpty()) m_found.problem = QStringLiteral("Edit %1 %2.").arg(number()).arg(why);
    m_in = In::Nothing;
}

void MarkedReader::open()
{
    if (m_in == In::After) {
        m_found.notes.append(QStringLiteral("edit %1 had no end marker").arg(number()));
        close();
    } else if (m_in != In::Nothing) {
        fail(QStringLiteral("has no ======= line between what stands and what shall stand"));
    }
    m_in = In::Before;
    m_before.clear();
    m_after.clear();
}

void MarkedReader::close()
{
    m_found.edits.append({sectionOf(m_before), sectionOf(m_after)});
    m_in = In::Nothing;
}

void MarkedReader::line(QStringView line)
{
    const Marker marker = markerOf(line);
    if (marker == Marker::Open) return open();
    if (m_in == In::Nothing) return;
    if (marker == Marker::Divider) {
        if (m_in == In::After) fail(QStringLiteral("has two ======= lines"));
        else m_in = In::After;
    } else if (marker == Marker::Base) {
        if (m_in == In::Before) m_in = In::Base;
    } else if (marker == Marker::Close) {
        if (m_in == In::After) close();
        else fail(QStringLiteral("has no ======= line between what stands and what shall stand"));
    } else if (m_in == In::Before) {
        m_before.append(line);
    } else if (m_in == In::After) {
        m_after.append(line);
    }
}

FoundEdits MarkedReader::read(QStringView text)
{
    qsizetype position = 0;
    for (const QStringView each : linesOf(text)) {
        const bool was = m_in != In::Nothing;
        line(each);
        position += each.size() + 1;
        if (was) m_found.end = std::min(position, text.size());
    }
    if (m_in == In::Nothing) return std::move(m_found);
    const auto fence = std::ranges::find_if(m_after, isFence);
    if (m_in == In::After && fence != m_after.end() && fence != m_after.begin()) {
        m_after.resize(fence - m_after.begin()); // the block's fence closes, so only the marker is missing
        m_found.notes.append(QStringLiteral("edit %1 had no end marker").arg(number()));
        close();
    } else {
        m_found.truncated = true;
        fail(QStringLiteral("stops before its end"));
    }
    return std::move(m_found);
}

} // namespace

FoundEdits markedEdits(QStringView text)
{
    if (!text.contains(u"<<<<<") && !text.contains(u"-----")) return {};
    return MarkedReader().read(text);
}

} // namespace kernelskill::llm
