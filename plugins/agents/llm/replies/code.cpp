// SPDX-License-Identifier: Apache-2.0
#include "replies/code.h"

#include "replies/extract.h"
#include "replies/objects.h"
#include "replies/text.h"
#include "replies/thinking.h"

#include <algorithm>
#include <array>
#include <ranges>

namespace kernelskill::llm {

namespace {

bool isDirective(QStringView line)
{
    static constexpr std::array<QStringView, 11> names = {u"include", u"define", u"pragma", u"if", u"ifdef", u"ifndef",
                                                          u"endif", u"undef", u"else", u"elif", u"error"};
    if (!line.startsWith(u'#')) return false;
    const QStringView rest = line.sliced(1).trimmed();
    return std::ranges::any_of(names, [&](QStringView name) {
        return rest.startsWith(name) && (rest.size() == name.size() || !rest[name.size()].isLetter());
    });
}

bool beginsCode(QStringView line)
{
    static constexpr std::array<QStringView, 25> words = {
        u"__global__", u"__device__", u"__host__", u"__constant__", u"__forceinline__", u"template", u"extern", u"static",
        u"struct", u"class", u"constexpr", u"const", u"namespace", u"using", u"typedef", u"inline", u"void", u"int",
        u"float", u"double", u"bool", u"auto", u"enum", u"unsigned", u"asm"};
    line = line.trimmed();
    if (isDirective(line) || line.startsWith(u"//") || line.startsWith(u"/*")) return true;
    if (line.isEmpty() || !QStringView(u";{}(),>\\*/").contains(line.back())) return false;
    return std::ranges::any_of(words, [&](QStringView word) {
        return line.startsWith(word) && line.size() > word.size() && !isWordCharacter(line[word.size()]);
    });
}

bool isMarkdown(QStringView line)
{
    line = line.trimmed();
    return line.startsWith(u"**") || ((line.startsWith(u"# ") || line.startsWith(u"##")) && !isDirective(line));
}

// Headings and bold lines between definitions; inside of them nothing is touched.
QString withoutMarkdown(QStringView code)
{
    QString result;
    int depth = 0;
    const QList<QStringView> lines = linesOf(code);
    const QString mask = maskedSource(code);
    const QList<QStringView> masked = linesOf(mask);
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (depth == 0 && isMarkdown(masked[i])) continue;
        depth += int(masked[i].count(u'{') - masked[i].count(u'}'));
        result.append(lines[i]);
        if (i + 1 < lines.size()) result.append(u'\n');
    }
    return result;
}

// From the first line that begins code to the last that ends a definition: what a fence would have held.
QString trimmedToCode(const QString &text)
{
    const QList<QStringView> all = linesOf(text);
    const auto first = std::ranges::find_if(all, beginsCode);
    if (first == all.end()) return {};
    const QStringView code = QStringView(text).sliced(first->data() - text.constData());
    const QString masked = maskedSource(code);
    qsizetype end = 0, position = 0;
    int depth = 0;
    for (const QStringView line : linesOf(masked)) {
        depth += int(line.count(u'{') - line.count(u'}'));
        position += line.size() + 1;
        const QStringView trimmed = line.trimmed();
        const bool ends = trimmed.endsWith(u'}') || trimmed.endsWith(u';') || isDirective(trimmed);
        if (depth > 0 || ends) end = position;
    }
    return withoutMarkdown(code.first(std::min(end, code.size())));
}

bool looksHtmlEscaped(const QString &code)
{
    if (!code.contains(u'&')) return false;
    return code.contains(u"#include &lt;") || code.contains(u"&lt;&lt;&lt;") || code.contains(u"&amp;&amp;") ||
           (code.contains(u"&lt;") && !code.contains(u'<')) || code.contains(u"&quot;");
}

// One line with \n written out.
bool looksBackslashed(const QString &code)
{
    const qsizetype written = code.count(u"\\n");
    return written >= 2 && code.trimmed().count(u'\n') * 4 < written;
}

QString withPlainQuotes(QString code)
{
    if (!code.contains(u'“') && !code.contains(u'”') && !code.contains(u'‘') && !code.contains(u'’')) return code;
    const QString masked = maskedSource(code);
    for (qsizetype i = 0; i < code.size(); ++i) {
        if (masked[i] == u'“' || masked[i] == u'”') code[i] = u'"';
        if (masked[i] == u'‘' || masked[i] == u'’') code[i] = u'\'';
    }
    return code;
}

void collectTexts(const QJsonValue &value, int depth, QStringList &texts)
{
    if (value.isString()) texts.append(value.toString());
    if (depth > 4) return;
    if (value.isArray()) {
        QStringList lines;
        for (const QJsonValue &item : value.toArray()) {
            if (item.isString()) lines.append(item.toString());
            else collectTexts(item, depth + 1, texts);
        }
        texts += lines;
        texts.append(lines.join(u'\n'));
    }
    for (const QJsonObject object = value.toObject(); const QJsonValue &member : object)
        collectTexts(member, depth + 1, texts);
}

// Of the texts in objects and in Python's triple quotes the last that defines the entry.
QString embedded(const QString &text, const QString &entry)
{
    QStringList texts;
    if (!text.contains(entry)) return {};
    for (const FoundObject &found : objectsIn(text)) {
        if (found.result.end == TolerantJson::End::Complete || found.result.end == TolerantJson::End::Open)
            collectTexts(found.result.object, 0, texts);
    }
    for (const QString &quotes : {QStringLiteral("\"\"\""), QStringLiteral("'''")})
        texts += text.split(quotes).mid(1);
    for (qsizetype i = texts.size(); i-- > 0;) {
        if (!texts[i].contains(entry)) continue;
        QString code = cleanedForCode(texts[i]);
        const QList<Block> inner = fencedBlocks(code);
        if (!inner.isEmpty()) code = inner.last().body;
        if (looksBackslashed(code)) code = backslashesResolved(code);
        if (sourceOf(code, entry).isWhole()) return code;
    }
    return {};
}

// Files that were joined need not include one another.
QString withoutOwnIncludes(const QString &code)
{
    static constexpr std::array<QStringView, 7> toolkit = {u"cu", u"cooperative_groups", u"mma", u"thrust", u"nv", u"math", u"std"};
    QString result;
    for (const QStringView line : linesOf(QStringView(code).chopped(1))) {
        const QStringView name = line.sliced(line.indexOf(u'"') + 1);
        const bool ofToolkit = std::ranges::any_of(toolkit, [&](QStringView start) { return name.startsWith(start); });
        const bool own = isDirective(line.trimmed()) && line.contains(u"include") && line.contains(u'"') && !ofToolkit;
        const bool guard = line.trimmed() == u"#pragma once";
        if (!own && !guard) result.append(line).append(u'\n');
    }
    return result;
}

} // namespace

QString asWholeFile(QString code)
{
    while (!code.isEmpty() && code.back().isSpace())
        code.chop(1);
    const QList<QStringView> lines = linesOf(code);
    qsizetype skipped = 0;
    for (const QStringView line : lines) {
        if (!isBlank(line)) break;
        skipped += line.size() + 1;
    }
    code = code.mid(std::min(skipped, code.size()));
    if (!code.isEmpty()) code.append(u'\n');
    return code;
}

CodePiece pieceOf(const QString &text, const QString &entry)
{
    CodePiece piece{.code = text};
    const auto becomes = [&](const QString &code, const QString &note) {
        piece.code = code;
        piece.notes.append(note);
    };
    if (const QString code = embedded(text, entry); !code.isEmpty()) {
        becomes(code, QStringLiteral("took the code out of a string"));
        piece.embedded = true;
    }
    if (looksBackslashed(piece.code)) {
        QString inside = piece.code.trimmed();
        if (inside.size() > 2 && inside.front() == u'"' && inside.back() == u'"') inside = inside.sliced(1).chopped(1);
        if (!inside.startsWith(u'{')) becomes(backslashesResolved(inside), QStringLiteral("resolved \\n and the like"));
    }
    if (looksHtmlEscaped(piece.code)) becomes(htmlUnescaped(piece.code), QStringLiteral("resolved HTML's entities"));
    if (const QString code = withoutLineNumbers(piece.code); !code.isEmpty()) becomes(code, QStringLiteral("took off line numbers"));
    if (const QString code = withoutDiffMarkers(piece.code); !code.isEmpty() && sourceOf(code, entry).isWhole())
        becomes(code, QStringLiteral("took the new side of a diff"));
    piece.code = withPlainQuotes(piece.code);
    piece.source = sourceOf(piece.code, entry);
    piece.placeholder = placeholderIn(piece.code);
    return piece;
}

QString cutObjectIn(QStringView text)
{
    const qsizetype first = text.indexOf(u'{');
    if (first < 0) return {};
    const QStringView before = text.first(first).trimmed();
    if (!before.isEmpty() && !before.endsWith(u"```json") && !before.endsWith(u"```")) return {};
    return TolerantJson(text).objectAt(first).end == TolerantJson::End::Cut ? text.toString() : QString();
}

namespace {

class CodeSearch
{
public:
    CodeSearch(const QString &entry, ExtractedCode &out) : m_entry(entry), m_out(out) {}

    bool in(const QString &text, bool atItsEnd = false);
    void explain();

private:
    bool inBlocks(const QString &text, bool atItsEnd);
    bool inAllBlocksTogether();
    bool inUnbalancedBlock();
    bool withoutFences(const QString &text);
    QList<qsizetype> needed(qsizetype chosen) const;
    void take(const QString &code, const QStringList &notes);
    bool isCutLater(qsizetype chosen, const QList<Block> &blocks) const;

    const QString &m_entry;
    ExtractedCode &m_out;
    QList<CodePiece> m_pieces;
    QString m_placeholder; // of code that would do otherwise
    QString m_cut;         // code that stops in the middle
    QString m_unclosed;    // the last block, when its fence does not close
    bool m_sawCode = false;
};

void CodeSearch::take(const QString &code, const QStringList &notes)
{
    m_out.code = asWholeFile(code);
    m_out.notes += notes;
}

// The other blocks that define what the chosen one uses and does not define, and the block of its includes.
QList<qsizetype> CodeSearch::needed(qsizetype chosen) const
{
    QSet<QString> missing = m_pieces[chosen].source.used - m_pieces[chosen].source.defined;
    bool includes = m_pieces[chosen].source.hasIncludes;
    QList<qsizetype> result = {chosen};
    const auto consider = [&](qsizetype i) {
        const Source &source = m_pieces[i].source;
        if (result.contains(i) || source.definesEntry || source.depth != 0 || !m_pieces[i].placeholder.isEmpty()) return false;
        const bool onlyIncludes = !includes && i < chosen && source.hasIncludes && !source.masked.contains(u'{');
        if (!onlyIncludes && !source.defined.intersects(missing)) return false;
        includes = includes || source.hasIncludes;
        missing.unite(source.used);
        result.append(i);
        for (const qsizetype taken : result)
            missing.subtract(m_pieces[taken].source.defined);
        return true;
    };
    const qsizetype first = std::max<qsizetype>(0, chosen - 16), last = std::min(m_pieces.size(), chosen + 16);
    for (bool again = true; again && result.size() < 16;) {
        again = false;
        for (qsizetype i = chosen; i-- > first;)
            again = consider(i) || again;
        for (qsizetype i = chosen + 1; i < last; ++i)
            again = consider(i) || again;
    }
    std::ranges::sort(result);
    return result;
}

// A version behind the chosen one that the reply's end cuts.
bool CodeSearch::isCutLater(qsizetype chosen, const QList<Block> &blocks) const
{
    if (chosen + 1 >= blocks.size() || blocks.last().closed) return false;
    const Source &last = m_pieces.last().source;
    return last.depth > 0 && (last.definesEntry || m_pieces.last().code.size() * 2 > m_pieces[chosen].code.size());
}

bool CodeSearch::inBlocks(const QString &text, bool atItsEnd)
{
    QList<Block> blocks = fencedBlocks(text);
    if (blocks.size() > 64) blocks = blocks.last(64);
    m_pieces.clear();
    m_unclosed = blocks.isEmpty() || blocks.last().closed ? QString() : blocks.last().body;
    for (const Block &block : blocks) {
        const bool mayHaveProse = !block.closed;
        const QString trimmed = mayHaveProse ? trimmedToCode(block.body) : QString();
        m_pieces.append(pieceOf(trimmed.isEmpty() ? block.body : trimmed, m_entry));
        m_sawCode = m_sawCode || beginsCode(m_pieces.last().code.trimmed().split(u'\n').first());
    }
    for (qsizetype i = blocks.size(); i-- > 0;) {
        const CodePiece &piece = m_pieces[i];
        const bool isCut = piece.source.definesEntry && piece.source.depth > 0 && !blocks[i].closed;
        if (isCut && i + 1 == blocks.size()) m_cut = piece.code;
        if (!piece.source.isWhole()) continue;
        if (!piece.placeholder.isEmpty()) {
            if (m_placeholder.isEmpty()) m_placeholder = piece.placeholder;
            continue;
        }
        if (atItsEnd && QStringView(text).sliced(blocks[i].end).trimmed().size() > 200) continue;
        if (isCutLater(i, blocks)) {
            m_cut = m_pieces.last().code;
            return false;
        }
        QString code;
        const QList<qsizetype> parts = needed(i);
        for (const qsizetype part : parts)
            code += (code.isEmpty() ? QString() : QStringLiteral("\n")) + asWholeFile(m_pieces[part].code);
        if (parts.size() > 1) code = withoutOwnIncludes(code);
        QStringList notes = piece.notes;
        if (parts.size() > 1) notes.append(QStringLiteral("joined %1 of %2 code blocks").arg(parts.size()).arg(blocks.size()));
        else if (blocks.size() > 1)
            notes.append(QStringLiteral("took code block %1 of %2: it defines %3").arg(i + 1).arg(blocks.size()).arg(m_entry));
        if (!blocks[i].closed) notes.append(QStringLiteral("the closing fence was missing"));
        if (!m_placeholder.isEmpty()) notes.append(QStringLiteral("skipped a later block that leaves parts out"));
        take(code, notes);
        return true;
    }
    return false;
}

// A file cut into blocks anywhere, even inside a function.
bool CodeSearch::inAllBlocksTogether()
{
    if (m_pieces.size() < 2) return false;
    QString code;
    for (const CodePiece &piece : m_pieces) {
        if (piece.placeholder.isEmpty()) code += piece.code;
    }
    const Source source = sourceOf(code, m_entry);
    if (!source.definesEntry || source.depth != 0) return false;
    take(code, {QStringLiteral("joined %1 code blocks").arg(m_pieces.size())});
    return true;
}

bool CodeSearch::withoutFences(const QString &text)
{
    const CodePiece all = pieceOf(withoutFenceLines(text), m_entry);
    if (all.embedded && all.source.isWhole() && all.placeholder.isEmpty()) {
        take(all.code, all.notes);
        return true;
    }
    const QString trimmed = trimmedToCode(all.code);
    const CodePiece piece = pieceOf(trimmed, m_entry);
    m_sawCode = m_sawCode || !trimmed.isEmpty();
    if (!piece.source.definesEntry) {
        if (m_cut.isEmpty() && piece.source.depth > 0) m_cut = trimmed;
        return false;
    }
    if (!piece.placeholder.isEmpty()) {
        if (m_placeholder.isEmpty()) m_placeholder = piece.placeholder;
        return false;
    }
    if (piece.source.depth > 0) {
        if (m_cut.isEmpty()) m_cut = trimmed;
        return false;
    }
    take(piece.code, all.notes + piece.notes + QStringList{QStringLiteral("took the code, which had no fence")});
    return true;
}

// A block whose braces do not balance, as those of two branches of an #if do not: the compiler is to judge.
bool CodeSearch::inUnbalancedBlock()
{
    for (const CodePiece &piece : m_pieces | std::views::reverse) {
        if (!piece.source.definesEntry || !piece.placeholder.isEmpty()) continue;
        take(piece.code, piece.notes + QStringList{QStringLiteral("its braces do not balance")});
        return true;
    }
    return false;
}

bool CodeSearch::in(const QString &text, bool atItsEnd)
{
    const QString clean = cleanedForCode(text);
    if (inBlocks(clean, atItsEnd)) return true;
    if (!m_cut.isEmpty() || !m_placeholder.isEmpty() || atItsEnd) return false;
    if (inAllBlocksTogether() || inUnbalancedBlock()) return true;
    if (clean.contains(m_entry) && withoutFences(clean)) return true;
    if (m_cut.isEmpty() && m_sawCode) m_cut = m_unclosed;
    if (m_cut.isEmpty()) m_cut = cutObjectIn(clean);
    return false;
}

void CodeSearch::explain()
{
    if (!m_placeholder.isEmpty()) {
        m_out.problem = QStringLiteral("The code leaves a part out: %1. The whole file is needed.").arg(quoted(m_placeholder));
    } else if (!m_cut.isEmpty()) {
        reportCut(m_out, QStringLiteral("the code"), m_cut);
    } else if (m_sawCode) {
        m_out.problem = QStringLiteral("No code of the reply defines %1.").arg(m_entry);
    }
}

} // namespace

ExtractedCode extractCode(const QString &reply, const QString &entry)
{
    ExtractedCode out;
    const Answer answer = withoutThinking(reply, out.notes);
    CodeSearch search(entry, out);
    if (search.in(answer.text)) return out;
    const bool answered = !isBlank(answer.text);
    if ((answer.guessed || !answered) && search.in(answer.thought, answer.neverEnds)) {
        out.notes.append(QStringLiteral("taken from the thinking"));
        return out;
    }
    if (answer.neverEnds && !answered) {
        reportCut(out, QStringLiteral("its thinking"), answer.thought);
        return out;
    }
    search.explain();
    if (out.problem.isEmpty()) out.problem = whyNothing(answer.text, answer.thought, QStringLiteral("code that defines %1").arg(entry));
    return out;
}

} // namespace kernelskill::llm
