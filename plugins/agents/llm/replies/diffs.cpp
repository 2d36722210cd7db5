// SPDX-License-Identifier: Apache-2.0
#include "replies/edits.h"

#include "replies/fences.h"
#include "replies/text.h"

#include <algorithm>

namespace kernelskill::llm {

namespace {

class DiffReader
{
public:
    FoundEdits read(QStringView text, bool fenced, bool isDiff);

private:
    void line(QStringView line, QStringView next);
    void endHunk();
    [[nodiscard]] bool isHeader(QStringView line, QStringView next) const;

    FoundEdits m_found;
    bool m_fenced = false, m_inHunk = false;
    QStringList m_before, m_after;
    qsizetype m_changed = 0, m_context = 0;
    int m_hunks = 0;
};

bool DiffReader::isHeader(QStringView line, QStringView next) const
{
    return (line.startsWith(u"--- ") && next.startsWith(u"+++ ")) || line.startsWith(u"diff --git") ||
           line.startsWith(u"*** ") || line.startsWith(u"index ");
}

void DiffReader::endHunk()
{
    if (!m_inHunk) return;
    m_inHunk = false;
    while (!m_before.isEmpty() && !m_after.isEmpty() && isBlank(m_before.last()) && isBlank(m_after.last())) {
        m_before.removeLast();
        m_after.removeLast();
    }
    if (m_changed > 0) {
        const auto joined = [](const QStringList &lines) { return lines.isEmpty() ? QString() : lines.join(u'\n') + u'\n'; };
        m_found.edits.append({joined(m_before), joined(m_after)});
    }
    m_before.clear();
    m_after.clear();
    m_changed = m_context = 0;
}

void DiffReader::line(QStringView line, QStringView next)
{
    if (line.startsWith(u"@@")) {
        endHunk();
        m_inHunk = true;
        ++m_hunks;
        return;
    }
    if (isHeader(line, next)) return endHunk();
    if (!m_inHunk || line.startsWith(u'\\') || line.startsWith(u"+++ ")) return;
    const QChar sign = line.isEmpty() ? QChar(u' ') : line[0];
    const QString rest = line.isEmpty() ? QString() : line.sliced(1).toString();
    if (sign == u'-') {
        m_before.append(rest);
        ++m_changed;
    } else if (sign == u'+') {
        m_after.append(rest);
        ++m_changed;
    } else if (sign == u' ' || m_fenced) {
        // Context that lost its space is context all the same.
        const QString kept = sign == u' ' ? rest : line.toString();
        m_before.append(kept);
        m_after.append(kept);
        ++m_context;
    } else {
        endHunk();
    }
}

FoundEdits DiffReader::read(QStringView text, bool fenced, bool isDiff)
{
    m_fenced = fenced;
    const QList<QStringView> lines = linesOf(text);
    const bool hasHunks = std::ranges::any_of(lines, [](QStringView l) { return l.startsWith(u"@@"); });
    m_inHunk = !hasHunks && isDiff;
    for (qsizetype i = 0; i < lines.size(); ++i)
        line(lines[i], i + 1 < lines.size() ? lines[i + 1] : QStringView());
    endHunk();
    return std::move(m_found);
}

} // namespace

FoundEdits diffEdits(QStringView text)
{
    FoundEdits all;
    if (!text.contains(u"@@") && !text.contains(u"diff") && !text.contains(u"patch")) return all;
    const QList<Block> blocks = fencedBlocks(text);
    for (const Block &block : blocks) {
        const bool tagged = block.tag.startsWith(u"diff") || block.tag.startsWith(u"patch");
        const bool hunks = block.body.startsWith(u"@@") || block.body.contains(u"\n@@");
        if (!tagged && !hunks) continue;
        const FoundEdits found = DiffReader().read(block.body, true, tagged);
        if (!block.closed && !found.edits.isEmpty()) {
            all.notes.append(QStringLiteral("the closing fence was missing"));
        }
        all.edits += found.edits;
        all.end = block.end;
    }
    if (all.edits.isEmpty() && blocks.isEmpty()) {
        all = DiffReader().read(text, false, false);
        all.end = text.size();
    }
    if (!all.edits.isEmpty()) all.notes.append(QStringLiteral("read %1 hunks of a diff").arg(all.edits.size()));
    return all;
}

} // namespace kernelskill::llm
