// SPDX-License-Identifier: Apache-2.0
#include "replies/fences.h"

#include "replies/text.h"

#include <optional>

namespace kernelskill::llm {

namespace {

struct Fence
{
    QStringView before; // what stands in front: spaces, > of a quotation, the mark of a list
    QStringView info;
    QChar mark;
    qsizetype length = 0;
    bool spaced = false; // a space between the marks and the info
};

bool isQuotationOrIndent(QStringView text)
{
    for (const QChar c : text) {
        if (!c.isSpace() && c != u'>' && c != u'-' && c != u'*' && c != u'.' && c != u')' && !c.isDigit()) return false;
    }
    return true;
}

qsizetype runAt(QStringView line, qsizetype at)
{
    qsizetype end = at;
    while (end < line.size() && line[end] == line[at])
        ++end;
    return end - at;
}

// The first run of three marks or more. In front of it may stand what does not make it text.
std::optional<Fence> fenceIn(QStringView line)
{
    for (qsizetype i = 0; i < line.size(); ++i) {
        if (line[i] != u'`' && line[i] != u'~') continue;
        const qsizetype length = runAt(line, i);
        const QStringView behind = line.sliced(i + length);
        if (length >= 3) return Fence{line.first(i), behind.trimmed(), line[i], length, behind.startsWith(u' ')};
        i += length - 1;
    }
    return std::nullopt;
}

bool isTag(QStringView info)
{
    return info.size() < 100 && !info.contains(u'`') && !info.contains(u';') && !info.contains(u'{') && !info.contains(u'<');
}

bool looksLikeCode(QStringView text)
{
    return text.startsWith(u'#') || text.contains(u';') || text.contains(u'{') || text.startsWith(u"//");
}

class FenceReader
{
public:
    explicit FenceReader(QStringView text) : m_text(text) {}
    QList<Block> read();

private:
    void line(QStringView line, qsizetype begin, qsizetype end);
    void open(const Fence &fence, qsizetype begin);
    void close(qsizetype end, bool closed);
    [[nodiscard]] bool closes(const Fence &fence) const;
    void add(QStringView line);

    QStringView m_text;
    QList<Block> m_blocks;
    std::optional<Fence> m_open;
    Block m_block;
    QStringView m_tag;
};

QList<Block> FenceReader::read()
{
    qsizetype begin = 0;
    for (const QStringView text : linesOf(m_text)) {
        const qsizetype end = std::min(m_text.size(), begin + text.size() + 1);
        line(text, begin, end);
        begin = end;
    }
    if (m_open) close(m_text.size(), false);
    return m_blocks;
}

void FenceReader::line(QStringView line, qsizetype begin, qsizetype end)
{
    const std::optional<Fence> fence = fenceIn(line);
    if (!m_open) {
        if (!fence) return;
        const bool ownLine = isQuotationOrIndent(fence->before);
        if (ownLine && fence->info.endsWith(QString(3, fence->mark))) { // all in one line
            open(Fence{fence->before, {}, fence->mark, fence->length, false}, begin);
            add(fence->info.chopped(runAt(fence->info, fence->info.indexOf(fence->mark))));
            close(end, true);
        } else if (ownLine || (isTag(fence->info) && !fence->info.contains(u' '))) {
            open(*fence, begin);
        }
        return;
    }
    if (!fence) return add(line);
    if (closes(*fence)) {
        if (!isQuotationOrIndent(fence->before)) add(fence->before); // "}```"
        return close(end, true);
    }
    // A tagged fence inside an open block: the closing one was forgotten, or the outer one was only a wrapping.
    if (isQuotationOrIndent(fence->before) && fence->mark == m_open->mark && fence->length >= m_open->length &&
        isTag(fence->info)) {
        close(begin, false);
        return open(*fence, begin);
    }
    add(line);
}

bool FenceReader::closes(const Fence &fence) const
{
    if (fence.mark != m_open->mark || fence.length < m_open->length) return false;
    // "```</answer>", "``` That is all."
    if (!fence.info.isEmpty() && !fence.info.startsWith(u'<') && !fence.spaced) return false;
    return isQuotationOrIndent(fence.before) || !fence.before.contains(u"//");
}

void FenceReader::open(const Fence &fence, qsizetype begin)
{
    m_open = fence;
    m_block = Block{};
    m_block.begin = begin;
    const qsizetype space = fence.info.indexOf(u' ');
    const bool tagged = space > 0 && !looksLikeCode(fence.info.first(space));
    if (looksLikeCode(tagged ? fence.info.sliced(space + 1) : fence.info)) { // "```cpp #include <cuda_runtime.h>"

        m_tag = tagged ? fence.info.first(space) : QStringView();
        add(tagged ? fence.info.sliced(space + 1) : fence.info);
    } else {
        m_tag = fence.info;
    }
}

void FenceReader::add(QStringView line)
{
    const QStringView before = m_open->before;
    if (before.contains(u'>')) {
        if (line.startsWith(before)) line = line.sliced(before.size());
        else if (line.startsWith(before.trimmed())) line = line.sliced(before.trimmed().size());
    } else if (isQuotationOrIndent(before)) {
        qsizetype indent = 0;
        while (indent < before.size() && indent < line.size() && (line[indent] == u' ' || line[indent] == u'\t'))
            ++indent;
        line = line.sliced(indent);
    }
    m_block.body.append(line).append(u'\n');
}

void FenceReader::close(qsizetype end, bool closed)
{
    m_open.reset();
    if (isBlank(m_block.body)) return;
    m_block.end = end;
    m_block.closed = closed;
    m_block.tag = m_tag.toString().toLower();
    m_blocks.append(std::move(m_block));
}

} // namespace

QList<Block> fencedBlocks(QStringView text)
{
    return FenceReader(text).read();
}

QString withoutFenceLines(QStringView text)
{
    QString result;
    result.reserve(text.size() + 1);
    for (const QStringView line : linesOf(text)) {
        const std::optional<Fence> fence = fenceIn(line);
        if (!fence || !isQuotationOrIndent(fence->before) || !isTag(fence->info)) result.append(line).append(u'\n');
    }
    return result;
}

} // namespace kernelskill::llm
