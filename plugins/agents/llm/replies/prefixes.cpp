// SPDX-License-Identifier: Apache-2.0
// What stands in front of all lines of code that was copied from a listing or a diff.
#include "replies/source.h"

#include "replies/text.h"

#include <algorithm>
#include <optional>

namespace kernelskill::llm {

namespace {

struct NumberedLine
{
    qint64 number = -1;
    QStringView rest; // with the separator
};

std::optional<NumberedLine> numbered(QStringView line)
{
    qsizetype begin = 0;
    while (begin < line.size() && line[begin].isSpace())
        ++begin;
    qsizetype end = begin;
    while (end < line.size() && line[end].isDigit() && end - begin < 7)
        ++end;
    if (end == begin) return std::nullopt;
    return NumberedLine{line.sliced(begin, end - begin).toLongLong(), line.sliced(end)};
}

// The sign between number and code: "|", ":", "→" or only blanks. Code like "0.5f," has neither.
QString separatorOf(QStringView rest)
{
    qsizetype at = 0;
    while (at < rest.size() && rest[at] == u' ')
        ++at;
    if (at < rest.size() && QStringView(u"|:│→.)").contains(rest[at])) return rest.first(at + 1).toString();
    if (rest.startsWith(u'\t')) return QStringLiteral("\t");
    return rest.startsWith(u' ') ? QStringLiteral(" ") : QString();
}

} // namespace

QString withoutLineNumbers(const QString &code)
{
    QList<QStringView> lines = linesOf(code);
    while (!lines.isEmpty() && isBlank(lines.last()))
        lines.removeLast();
    if (lines.size() < 2) return {};
    QList<QStringView> rests;
    qint64 expected = -1;
    QString separator;
    for (const QStringView line : lines) {
        const std::optional<NumberedLine> parts = numbered(line);
        if (!parts || (expected >= 0 && parts->number != expected)) return {};
        expected = parts->number + 1;
        if (separator.isEmpty()) separator = separatorOf(parts->rest);
        if (!isBlank(parts->rest) && separatorOf(parts->rest).isEmpty()) return {};
        rests.append(parts->rest);
    }
    const auto behind = [&](QStringView rest) { return rest.sliced(std::min(rest.size(), separator.size())); };
    const bool spaced = std::ranges::all_of(rests, [&](QStringView rest) {
        return isBlank(rest) || behind(rest).isEmpty() || behind(rest).startsWith(u' ');
    });
    const bool isSpace = separator == QStringView(u" ") || separator == QStringView(u"\t");
    QString result;
    for (const QStringView rest : rests)
        result.append(behind(rest).sliced(spaced && !isSpace && !behind(rest).isEmpty() ? 1 : 0)).append(u'\n');
    return result;
}

QString withoutDiffMarkers(const QString &code)
{
    QString result;
    qsizetype added = 0;
    for (const QStringView line : linesOf(code)) {
        if (line.startsWith(u"+++") || line.startsWith(u"---") || line.startsWith(u"@@") || line.startsWith(u"diff ") ||
            line.startsWith(u"index ") || line.startsWith(u'\\'))
            continue;
        if (line.startsWith(u'-')) continue;
        if (line.isEmpty() || line[0] == u'+' || line[0] == u' ') {
            added += line.startsWith(u'+');
            result.append(line.isEmpty() ? line : line.sliced(1)).append(u'\n');
            continue;
        }
        return {};
    }
    return added > 0 ? result : QString();
}

} // namespace kernelskill::llm
