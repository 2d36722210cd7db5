// SPDX-License-Identifier: Apache-2.0
#include "replies/source.h"

#include "replies/text.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kernelskill::llm {

namespace {

class Masker
{
public:
    explicit Masker(QStringView code) : m_code(code) { m_out.reserve(code.size()); }
    QString run();

private:
    void keep() { m_out.append(m_code[m_at++]); }
    void hide(qsizetype end);
    void literal(QChar quote);
    [[nodiscard]] bool isRawString() const;
    [[nodiscard]] bool isSeparator() const;

    QStringView m_code;
    QString m_out;
    qsizetype m_at = 0;
};

void Masker::hide(qsizetype end)
{
    end = std::min(end, m_code.size());
    for (; m_at < end; ++m_at)
        m_out.append(m_code[m_at] == u'\n' ? u'\n' : u' ');
}

void Masker::literal(QChar quote)
{
    keep();
    while (m_at < m_code.size() && m_code[m_at] != quote && m_code[m_at] != u'\n')
        hide(m_at + (m_code[m_at] == u'\\' ? 2 : 1));
    if (m_at < m_code.size() && m_code[m_at] == quote) keep();
}

bool Masker::isRawString() const
{
    return m_at > 0 && m_code[m_at - 1] == u'R' && (m_at == 1 || !m_code[m_at - 2].isLetterOrNumber());
}

// 1'000'000
bool Masker::isSeparator() const
{
    return m_at > 0 && m_at + 1 < m_code.size() && m_code[m_at - 1].isDigit() && m_code[m_at + 1].isLetterOrNumber();
}

QString Masker::run()
{
    while (m_at < m_code.size()) {
        const QChar c = m_code[m_at], next = m_at + 1 < m_code.size() ? m_code[m_at + 1] : QChar();
        if (c == u'/' && next == u'/') {
            const qsizetype end = m_code.indexOf(u'\n', m_at);
            hide(end < 0 ? m_code.size() : end);
        } else if (c == u'/' && next == u'*') {
            const qsizetype end = m_code.indexOf(u"*/", m_at + 2);
            hide(end < 0 ? m_code.size() : end + 2);
        } else if (c == u'"' && isRawString()) {
            const qsizetype open = m_code.sliced(m_at, std::min<qsizetype>(20, m_code.size() - m_at)).indexOf(u'(');
            const QString closing = u')' + m_code.sliced(m_at + 1, std::max<qsizetype>(0, open - 1)).toString() + u'"';
            const qsizetype end = open < 0 ? -1 : m_code.indexOf(closing, m_at);
            if (end < 0) literal(u'"');
            else hide(end + closing.size());
        } else if (c == u'"' || (c == u'\'' && !isSeparator())) {
            literal(c);
        } else {
            keep();
        }
    }
    return m_out;
}

bool isControlWord(QStringView word)
{
    return word == u"if" || word == u"for" || word == u"while" || word == u"switch" || word == u"return" ||
           word == u"catch" || word == u"sizeof" || word == u"alignof" || word == u"decltype" || word == u"defined";
}

bool introducesName(QStringView word)
{
    return word == u"struct" || word == u"class" || word == u"enum" || word == u"union" || word == u"using" ||
           word == u"define" || word == u"concept";
}

bool isLasting(QStringView word)
{
    return word == u"constexpr" || word == u"const" || word == u"static" || word == u"__constant__" || word == u"__device__";
}

// One pass over masked text: words, brackets, and which call-like words have a body behind their bracket.
class Reader
{
public:
    Reader(Source &source, QStringView text, const QString &entry) : m_source(source), m_text(text), m_entry(entry) {}
    void run();

private:
    void word();
    void closeParenthesis();
    [[nodiscard]] bool bodyFollows(qsizetype at) const;
    [[nodiscard]] QChar nextSign(qsizetype at) const;

    Source &m_source;
    QStringView m_text;
    const QString &m_entry;
    qsizetype m_at = 0;
    QStringView m_before, m_last; // the word before the last one, and the last
    QSet<QStringView> m_used, m_definedViews; // as views first: most words come often
    bool m_lasting = false;       // a constant is being defined, perhaps
    std::vector<QStringView> m_parentheses; // what each was opened behind
};

QChar Reader::nextSign(qsizetype at) const
{
    while (at < m_text.size() && m_text[at].isSpace())
        ++at;
    return at < m_text.size() ? m_text[at] : QChar();
}

void Reader::word()
{
    const qsizetype begin = m_at;
    while (m_at < m_text.size() && isWordCharacter(m_text[m_at]))
        ++m_at;
    m_before = m_last;
    m_last = m_text.sliced(begin, m_at - begin);
    if (m_last[0].isDigit()) return;
    m_used.insert(m_last);
    const QChar next = nextSign(m_at);
    m_lasting = m_lasting || isLasting(m_last);
    const bool constant = m_lasting && m_source.depth == 0 && m_parentheses.empty() && (next == u'=' || next == u'[' || next == u';') &&
                          !m_before.isEmpty();
    if (introducesName(m_before) || constant) m_source.defined.insert(m_last.toString());
}

// Behind the bracket of a parameter list: { with at most const, noexcept, -> type or an initialiser list in between.
bool Reader::bodyFollows(qsizetype at) const
{
    const qsizetype limit = std::min(m_text.size(), at + 200);
    for (; at < limit; ++at) {
        const QChar c = m_text[at];
        if (c == u'{') return true;
        if (!c.isSpace() && !isWordCharacter(c) && !QStringView(u"->:&*").contains(c)) return false;
    }
    return false;
}

void Reader::closeParenthesis()
{
    if (m_parentheses.empty()) return;
    const QStringView name = m_parentheses.back();
    m_parentheses.pop_back();
    if (name.isEmpty() || !m_parentheses.empty() || isControlWord(name) || !bodyFollows(m_at)) return;
    if (m_definedViews.size() < 10'000 && !m_definedViews.contains(name)) {
        m_definedViews.insert(name);
        m_source.defined.insert(name.toString());
    }
    m_source.definesEntry = m_source.definesEntry || name == m_entry;
}

void Reader::run()
{
    bool justWord = false; // a word stands right in front
    while (m_at < m_text.size()) {
        const QChar c = m_text[m_at];
        if (isWordCharacter(c)) {
            word();
            justWord = true;
            continue;
        }
        ++m_at;
        if (c.isSpace()) continue;
        if (c == u'(') m_parentheses.push_back(justWord ? m_last : QStringView());
        else if (c == u')') closeParenthesis();
        else if (c == u'{') ++m_source.depth;
        else if (c == u'}') --m_source.depth;
        if (c == u'{' || c == u'}' || c == u';') {
            m_parentheses.clear();
            m_lasting = false;
        }
        if (c != u'*' && c != u'&' && c != u'>' && c != u'#') m_last = {};
        justWord = false;
    }
    for (const QStringView word : std::as_const(m_used))
        m_source.used.insert(word.toString());
}

// One of the words, standing alone.
bool hasWord(const QString &text, std::initializer_list<QStringView> words)
{
    return std::ranges::any_of(words, [&](QStringView word) {
        for (qsizetype at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
            const qsizetype end = at + word.size();
            if ((at == 0 || !text[at - 1].isLetter()) && (end == text.size() || !text[end].isLetter())) return true;
        }
        return false;
    });
}

// `text` is a comment without its marks, or a line that is only dots.
bool standsForCode(QStringView comment)
{
    if (comment.size() > 200) return false;
    QString text = comment.toString().toLower().simplified();
    const bool dots = text.contains(u"...") || text.contains(u'…') || text.contains(u". . .");
    const QString bare = QString(text).remove(u'.').remove(u'…').trimmed();
    if (dots && bare.isEmpty()) return true;
    static constexpr std::initializer_list<QStringView> subjects = {QStringView(u"rest"), QStringView(u"remaining"), QStringView(u"remainder"), QStringView(u"existing"), QStringView(u"previous"),
                                      QStringView(u"original"), QStringView(u"other"), QStringView(u"code"), QStringView(u"kernel"), QStringView(u"kernels"),
                                      QStringView(u"implementation"), QStringView(u"function"), QStringView(u"functions"), QStringView(u"everything")};
    static constexpr std::initializer_list<QStringView> states = {QStringView(u"unchanged"), QStringView(u"omitted"), QStringView(u"elided"), QStringView(u"not shown"), QStringView(u"as before"),
                                    QStringView(u"same as"), QStringView(u"as above"), QStringView(u"is the same"), QStringView(u"are the same"),
                                    QStringView(u"remains the same"), QStringView(u"remain the same"), QStringView(u"stays the same"),
                                    QStringView(u"stay the same"), QStringView(u"stays as it is"), QStringView(u"goes here"), QStringView(u"for brevity")};
    const bool subject = hasWord(text, subjects), state = hasWord(text, states);
    if (dots && (subject || state)) return true;
    if (dots && (text.startsWith(u"...") || text.startsWith(u'…')) && (bare.startsWith(u'(') || text.endsWith(u"...") || text.endsWith(u'…')))
        return true;
    static const QStringList alone = {QStringLiteral("unchanged"), QStringLiteral("(unchanged)"), QStringLiteral("same as before"), QStringLiteral("same as above"),
                                      QStringLiteral("as before"), QStringLiteral("your code here"), QStringLiteral("code here"), QStringLiteral("omitted"),
                                      QStringLiteral("existing code"), QStringLiteral("rest of code"), QStringLiteral("rest of the code"), QStringLiteral("todo: implement")};
    if (alone.contains(bare)) return true;
    return subject && state && bare.split(u' ').size() <= 12;
}

QStringView withoutCommentMarks(QStringView line)
{
    line = line.trimmed();
    while (!line.isEmpty() && (line[0] == u'/' || line[0] == u'*' || line[0] == u'['))
        line = line.sliced(1);
    while (!line.isEmpty() && (line.back() == u'/' || line.back() == u'*' || line.back() == u']'))
        line.chop(1);
    return line.trimmed();
}

} // namespace

QString maskedSource(QStringView code)
{
    return Masker(code).run();
}

Source sourceOf(const QString &code, const QString &entry)
{
    Source source;
    source.masked = maskedSource(code);
    source.hasIncludes = source.masked.contains(u"#include");
    Reader(source, source.masked, entry).run();
    return source;
}

QString placeholderIn(QStringView code)
{
    for (const QStringView line : linesOf(code)) {
        const QStringView text = line.trimmed();
        if (text.isEmpty()) continue;
        if (text.contains(u"{ ... }") || text.contains(u"{...}") || text.contains(u"{ … }") || text.contains(u"{…}"))
            return text.toString();
        qsizetype comment = text.indexOf(u"//");
        if (comment < 0) comment = text.indexOf(u"/*");
        const bool whole = comment == 0 || text[0] == u'.' || text[0] == u'…' || text[0] == u'[' || text[0] == u'*';
        if (!whole && comment < 0) continue;
        const QStringView said = withoutCommentMarks(whole ? text : text.sliced(comment));
        // Behind code a comment must have dots too: it may tell of the code it stands behind.
        if (!whole && !said.contains(u"...") && !said.contains(u'…')) continue;
        if (standsForCode(said)) return text.toString();
    }
    return {};
}

} // namespace kernelskill::llm
