// SPDX-License-Identifier: Apache-2.0
#include "memory/shortterm/code_tokens.h"

#include <algorithm>
#include <array>

namespace kernelskill {

namespace {

using Kind = CodeToken::Kind;

// Longest first, so that the first that fits is the right one. ">>" stays two tokens: it may close two template lists.
constexpr std::array punctuators{
    "<<<", ">>>", "<<=", ">>=", "...", "->*", "<=>", "<<", "<=", ">=", "==", "!=", "&&", "||",
    "++",  "--",  "+=",  "-=",  "*=",  "/=",  "%=",  "&=", "|=", "^=", "->", "::", ".*", "##"};

bool startsIdentifier(QChar character)
{
    return character.isLetter() || character == u'_' || character == u'$';
}

bool continuesIdentifier(QChar character)
{
    return startsIdentifier(character) || character.isDigit();
}

class Lexer
{
public:
    explicit Lexer(QString source) : m_source(std::move(source)) {}
    QList<CodeToken> run();

private:
    [[nodiscard]] QChar at(qsizetype offset) const
    {
        const qsizetype index = m_position + offset;
        return index < m_source.size() ? m_source[index] : QChar();
    }
    [[nodiscard]] bool skipSpaceOrComment();
    void directive();
    void identifier();
    void number();
    void quoted();
    void rawText();
    void punctuation();
    void add(Kind kind, qsizetype end)
    {
        m_tokens.append({kind, m_source.mid(m_position, end - m_position)});
        m_position = end;
    }

    QString m_source;
    qsizetype m_position = 0;
    bool m_lineStart = true;
    QList<CodeToken> m_tokens;
};

bool Lexer::skipSpaceOrComment()
{
    if (at(0).isSpace()) {
        if (at(0) == u'\n') m_lineStart = true;
        ++m_position;
        return true;
    }
    if (at(0) != u'/' || (at(1) != u'/' && at(1) != u'*')) return false;
    const bool line = at(1) == u'/';
    const qsizetype end =
        line ? m_source.indexOf(u'\n', m_position) : m_source.indexOf(QStringLiteral("*/"), m_position + 2);
    m_position = end < 0 ? m_source.size() : end + (line ? 0 : 2);
    return true;
}

void Lexer::directive()
{
    QString text;
    while (m_position < m_source.size() && at(0) != u'\n') {
        if (at(0) == u'/' && (at(1) == u'/' || at(1) == u'*')) {
            (void)skipSpaceOrComment();
            text += u' ';
        } else {
            text += at(0);
            ++m_position;
        }
    }
    m_tokens.append({Kind::Directive, text.simplified()});
}

void Lexer::identifier()
{
    qsizetype end = m_position + 1;
    while (end < m_source.size() && continuesIdentifier(m_source[end]))
        ++end;
    const QStringView name = QStringView(m_source).mid(m_position, end - m_position);
    if (end < m_source.size() && m_source[end] == u'"' && name.endsWith(u'R') && name.size() <= 3) {
        rawText();
        return;
    }
    add(Kind::Identifier, end);
}

void Lexer::number()
{
    qsizetype end = m_position + 1;
    while (end < m_source.size()) {
        const QChar character = m_source[end];
        const QChar before = m_source[end - 1].toLower();
        const bool sign =
            (character == u'+' || character == u'-') && (before == u'e' || before == u'p') &&
            // 0x1e+2 is a sum, 0x1p+2 and 1e+2 are one number
            (before == u'p' ||
             !QStringView(m_source).mid(m_position, 2).startsWith(QLatin1String("0x"), Qt::CaseInsensitive));
        const bool separator = character == u'\'' && end + 1 < m_source.size() && m_source[end + 1].isLetterOrNumber();
        if (!continuesIdentifier(character) && character != u'.' && !sign && !separator) break;
        ++end;
    }
    QString text = m_source.mid(m_position, end - m_position);
    m_tokens.append({Kind::Number, text.remove(u'\'')});
    m_position = end;
}

void Lexer::quoted()
{
    const QChar quote = at(0);
    qsizetype end = m_position + 1;
    while (end < m_source.size() && m_source[end] != quote && m_source[end] != u'\n')
        end += m_source[end] == u'\\' ? 2 : 1;
    add(Kind::Text, std::min(end + 1, m_source.size()));
}

void Lexer::rawText()
{
    const qsizetype quote = m_source.indexOf(u'"', m_position);
    const qsizetype parenthesis = m_source.indexOf(u'(', quote);
    if (parenthesis < 0) {
        add(Kind::Text, m_source.size());
        return;
    }
    const QString closing = u')' + m_source.mid(quote + 1, parenthesis - quote - 1) + u'"';
    const qsizetype end = m_source.indexOf(closing, parenthesis);
    add(Kind::Text, end < 0 ? m_source.size() : end + closing.size());
}

void Lexer::punctuation()
{
    const QStringView rest = QStringView(m_source).mid(m_position, 3);
    for (const char *text : punctuators) {
        if (rest.startsWith(QLatin1String(text))) {
            add(Kind::Punctuation, m_position + qsizetype(std::char_traits<char>::length(text)));
            return;
        }
    }
    add(Kind::Punctuation, m_position + 1);
}

QList<CodeToken> Lexer::run()
{
    while (m_position < m_source.size()) {
        if (skipSpaceOrComment()) continue;
        const bool lineStart = std::exchange(m_lineStart, false);
        if (lineStart && at(0) == u'#')
            directive();
        else if (startsIdentifier(at(0)))
            identifier();
        else if (at(0).isDigit() || (at(0) == u'.' && at(1).isDigit()))
            number();
        else if (at(0) == u'"' || at(0) == u'\'')
            quoted();
        else
            punctuation();
    }
    return m_tokens;
}

} // namespace

QList<CodeToken> codeTokens(const QString &source)
{
    QString joined = source;
    joined.remove(u'\r');
    joined.replace(QStringLiteral("\\\n"), QString()); // lines continue before anything else is looked at
    return Lexer(joined).run();
}

} // namespace kernelskill
