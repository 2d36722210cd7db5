// SPDX-License-Identifier: Apache-2.0
#include "replies/text.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace kernelskill::llm {

bool isBlank(QChar c)
{
    const char16_t u = c.unicode();
    return u <= 0x20 || u == 0xa0 || u == 0xad || (u >= 0x2000 && u <= 0x200d) || u == 0x2028 || u == 0x2029 ||
           u == 0x202f || u == 0x2060 || u == 0x3000 || u == 0xfeff;
}

bool isBlank(QStringView text)
{
    return std::ranges::all_of(text, [](QChar c) { return isBlank(c); });
}

bool isWordCharacter(QChar c)
{
    return c.isLetterOrNumber() || c == u'_';
}

QString cleanedForCode(const QString &text)
{
    QString result;
    result.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        const char16_t u = text[i].unicode();
        if (u == '\r') {
            if (i + 1 == text.size() || text[i + 1] != u'\n') result.append(u'\n');
        } else if (u == 0x2028 || u == 0x2029) {
            result.append(u'\n');
        } else if (u == 0xa0 || u == 0x202f || u == 0x3000) {
            result.append(u' ');
        } else if (u != 0 && u != 0xfeff && u != 0xad && u != 0x2060 && !(u >= 0x200b && u <= 0x200d)) {
            result.append(text[i]);
        }
    }
    return result;
}

QString htmlUnescaped(QStringView text)
{
    static constexpr std::array<std::pair<QStringView, char16_t>, 11> entities = {{
        {u"&lt;", u'<'}, {u"&gt;", u'>'}, {u"&quot;", u'"'}, {u"&#34;", u'"'}, {u"&#39;", u'\''}, {u"&#x27;", u'\''},
        {u"&apos;", u'\''}, {u"&nbsp;", u' '}, {u"&#10;", u'\n'}, {u"&#96;", u'`'}, {u"&amp;", u'&'},
    }};
    QString result;
    result.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        const auto *entity = entities.end();
        if (text[i] == u'&') {
            entity = std::ranges::find_if(entities, [&](const auto &e) { return text.sliced(i).startsWith(e.first); });
        }
        if (entity == entities.end()) {
            result.append(text[i]);
        } else {
            result.append(QChar(entity->second));
            i += entity->first.size() - 1;
        }
    }
    return result;
}

QString backslashesResolved(QStringView text)
{
    QString result;
    result.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] != u'\\' || i + 1 == text.size()) {
            result.append(text[i]);
            continue;
        }
        const char16_t next = text[++i].unicode();
        switch (next) {
        case 'n': result.append(u'\n'); break;
        case 't': result.append(u'\t'); break;
        case 'r': break;
        case '"': case '\'': case '\\': case '/': result.append(QChar(next)); break;
        default: result.append(u'\\').append(QChar(next));
        }
    }
    return result;
}

QString quoted(QStringView text, qsizetype most)
{
    text = text.trimmed();
    const qsizetype lineEnd = text.indexOf(u'\n');
    const QStringView line = (lineEnd < 0 ? text : text.first(lineEnd)).trimmed();
    return line.size() <= most ? QStringLiteral("“%1”").arg(line) : QStringLiteral("“%1…”").arg(line.first(most));
}

QString quotedEnd(QStringView text, qsizetype most)
{
    text = text.trimmed();
    const QString end = text.last(std::min(most, text.size())).toString().simplified();
    return text.size() <= most ? QStringLiteral("“%1”").arg(end) : QStringLiteral("“…%1”").arg(end);
}

QList<QStringView> linesOf(QStringView text)
{
    QList<QStringView> lines;
    lines.reserve(text.count(u'\n') + 1);
    qsizetype start = 0;
    for (qsizetype end = text.indexOf(u'\n'); end >= 0; end = text.indexOf(u'\n', start)) {
        lines.append(text.sliced(start, end - start));
        start = end + 1;
    }
    lines.append(text.sliced(start));
    return lines;
}

bool endsInLoop(QStringView text)
{
    constexpr qsizetype tail = 1000, longestPeriod = 250;
    text = text.trimmed();
    if (text.size() < tail + longestPeriod) return false;
    for (qsizetype period = 1; period <= longestPeriod; ++period) {
        qsizetype i = text.size() - 1;
        const qsizetype last = text.size() - tail;
        while (i >= last && text[i] == text[i - period])
            --i;
        if (i < last) return true;
    }
    return false;
}

QList<qsizetype> placesOf(QStringView needle, QStringView text, qsizetype most)
{
    if (needle.isEmpty() || needle.size() > text.size()) return {};
    std::vector<qsizetype> border(size_t(needle.size()), 0);
    const auto advance = [&](qsizetype matched, QChar c) {
        while (matched > 0 && (matched == needle.size() || needle[matched] != c))
            matched = border[size_t(matched - 1)];
        return matched + (needle[matched] == c ? 1 : 0);
    };
    for (qsizetype i = 1, matched = 0; i < needle.size(); ++i)
        border[size_t(i)] = matched = advance(matched, needle[i]);
    QList<qsizetype> places;
    for (qsizetype i = 0, matched = 0; i < text.size() && places.size() < most; ++i) {
        matched = advance(matched, text[i]);
        if (matched == needle.size()) places.append(i + 1 - needle.size());
    }
    return places;
}

static bool declines(QStringView answer)
{
    static const QStringList openings = {
        QStringLiteral("i can't"), QStringLiteral("i cannot"), QStringLiteral("i can not"), QStringLiteral("i'm sorry"), QStringLiteral("i am sorry"), QStringLiteral("sorry"), QStringLiteral("i won't"),
        QStringLiteral("i'm unable"), QStringLiteral("i am unable"), QStringLiteral("i'm not able"), QStringLiteral("as an ai"), QStringLiteral("unfortunately"), QStringLiteral("i must decline"),
    };
    const QString start = answer.trimmed().left(40).toString().toLower().replace(u'’', u'\'');
    return std::ranges::any_of(openings, [&](const QString &opening) { return start.startsWith(opening); });
}

QString whyNothing(QStringView answer, QStringView thought, const QString &wanted)
{
    if (isBlank(answer)) {
        return isBlank(thought) ? QStringLiteral("The reply is empty, without any %1.").arg(wanted)
                                : QStringLiteral("The reply is nothing but thinking, without any %1.").arg(wanted);
    }
    if (declines(answer)) return QStringLiteral("The model declined: %1.").arg(quoted(answer, 120));
    return QStringLiteral("The reply holds no %1; it begins %2.").arg(wanted, quoted(answer));
}

void reportCut(Extraction &extraction, const QString &what, QStringView text)
{
    if (endsInLoop(text)) {
        extraction.problem = QStringLiteral("The reply repeats itself to its end: %1. Write %2 afresh, shorter.").arg(quotedEnd(text), what);
        return;
    }
    extraction.truncated = true;
    extraction.problem = QStringLiteral("The reply stops in the middle of %1, after %2.").arg(what, quotedEnd(text));
}

} // namespace kernelskill::llm
