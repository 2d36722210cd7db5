// SPDX-License-Identifier: Apache-2.0
#include "task/source_text.h"

#include <QRegularExpression>
#include <QSet>

namespace kernelskill {

bool isIdentifier(const QString &text)
{
    static const QRegularExpression pattern(QStringLiteral("\\A[A-Za-z_][A-Za-z0-9_]*\\z"));
    return pattern.match(text).hasMatch();
}

bool isPlainName(const QString &text)
{
    static const QRegularExpression pattern(QStringLiteral("\\A[A-Za-z0-9_][A-Za-z0-9_.-]*\\z"));
    return pattern.match(text).hasMatch();
}

bool isReservedWord(const QString &text)
{
    static const QSet<QString> words = [] {
        const QString list = QStringLiteral(
            "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class "
            "compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype "
            "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline "
            "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
            "register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct "
            "switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void "
            "volatile wchar_t while xor xor_eq blockIdx blockDim threadIdx gridDim warpSize");
        const QStringList parts = list.split(u' ');
        return QSet<QString>(parts.cbegin(), parts.cend());
    }();
    return words.contains(text);
}

QString withoutComments(const QString &source)
{
    enum class In { Code, Line, Block, Text, Character };
    In in = In::Code;
    QString result = source;
    for (qsizetype i = 0; i < result.size(); ++i) {
        const QChar c = source[i];
        const QChar next = i + 1 < source.size() ? source[i + 1] : QChar();
        const bool blank = in != In::Code && c != u'\n';
        if (in == In::Code) {
            if (c == u'/' && next == u'/') in = In::Line;
            else if (c == u'/' && next == u'*') in = In::Block;
            else if (c == u'"') in = In::Text;
            else if (c == u'\'' && (i == 0 || !source[i - 1].isLetterOrNumber())) in = In::Character;
            if (in == In::Line || in == In::Block) {
                result[i] = u' ';
                result[++i] = u' ';
            }
            continue;
        }
        if (in == In::Line && c == u'\n') in = In::Code;
        else if (in == In::Block && c == u'*' && next == u'/') {
            result[i] = u' ';
            result[++i] = u' ';
            in = In::Code;
            continue;
        } else if ((in == In::Text || in == In::Character) && c == u'\\' && i + 1 < source.size()) {
            result[i] = u' ';
            if (next != u'\n') result[i + 1] = u' ';
            ++i;
            continue;
        } else if ((in == In::Text && c == u'"') || (in == In::Character && c == u'\'') ||
                   ((in == In::Text || in == In::Character) && c == u'\n')) {
            in = In::Code;
            continue;
        }
        if (blank) result[i] = u' ';
    }
    return result;
}

bool mentionsFunction(const QString &source, const QString &name)
{
    const QRegularExpression pattern(QStringLiteral("\\b%1\\s*\\(").arg(QRegularExpression::escape(name)));
    return pattern.match(withoutComments(source)).hasMatch();
}

} // namespace kernelskill
