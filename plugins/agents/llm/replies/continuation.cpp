// SPDX-License-Identifier: Apache-2.0
#include "replies/extract.h"
#include "replies/text.h"

#include <algorithm>
#include <vector>

namespace kernelskill::llm {

namespace {

constexpr qsizetype longestOverlap = 64 * 1024;

bool isFenceLine(QStringView line)
{
    line = line.trimmed();
    return line.startsWith(u"```") || line.startsWith(u"~~~");
}

bool endsInsideFence(QStringView text)
{
    return std::ranges::count_if(linesOf(text), isFenceLine) % 2 == 1;
}

// A few words and the fence opened anew, in front of what goes on.
QStringView withoutPreface(QStringView second)
{
    qsizetype position = 0;
    int lines = 0;
    for (const QStringView line : linesOf(second.left(600))) {
        position += line.size() + 1;
        if (isFenceLine(line)) {
            // A bare fence is the closing one, unless it opens the text and more than an end stands behind it.
            const bool opens = line.trimmed().size() > 3 || (lines == 0 && second.sliced(std::min(position, second.size())).contains(u"```"));
            return opens ? second.sliced(std::min(position, second.size())) : second;
        }
        if (!isBlank(line) && ++lines > 3) break;
        if (line.contains(u';') || line.contains(u'{') || line.contains(u'}')) break; // code already
    }
    return second;
}

// Length of the longest end of `first` that begins `second`.
qsizetype overlapOf(QStringView first, QStringView second)
{
    second = second.left(longestOverlap);
    first = first.last(std::min(first.size(), second.size()));
    if (second.isEmpty()) return 0;
    std::vector<qsizetype> border(size_t(second.size()), 0);
    for (qsizetype i = 1, k = 0; i < second.size(); ++i) {
        while (k > 0 && second[k] != second[i])
            k = border[size_t(k - 1)];
        if (second[k] == second[i]) ++k;
        border[size_t(i)] = k;
    }
    qsizetype k = 0;
    for (const QChar c : first) {
        while (k > 0 && (k == second.size() || second[k] != c))
            k = border[size_t(k - 1)];
        if (second[k] == c) ++k;
    }
    return k;
}

// Chance makes short ends agree, and closing braces; a repetition is a dozen characters, or the whole last line.
bool isRepetition(QStringView first, QStringView overlap)
{
    const qsizetype begin = first.size() - overlap.size();
    const auto letters = std::ranges::count_if(overlap, isWordCharacter);
    const QStringView lineBefore = first.first(begin).sliced(first.first(begin).lastIndexOf(u'\n') + 1);
    if (overlap.size() >= 20 && letters >= 2) return true;
    return letters >= 4 && (overlap.size() >= 12 || isBlank(lineBefore));
}

bool startsAnew(QStringView first, QStringView second)
{
    const qsizetype same = std::min<qsizetype>(200, first.size());
    return same >= 40 && second.startsWith(first.first(same));
}

} // namespace

QString joinContinuation(const QString &first, const QString &second)
{
    if (first.isEmpty() || isBlank(second)) return first.isEmpty() ? second : first;
    if (startsAnew(first, second)) return second.size() > first.size() ? second : first;
    QStringView more = second;
    if (endsInsideFence(first) || !isFenceLine(QStringView(first).left(200))) more = withoutPreface(second);
    const bool unwrapped = more.size() != second.size();
    for (const QStringView candidate : {more, more.trimmed()}) {
        const qsizetype overlap = overlapOf(first, candidate);
        if (overlap > 0 && isRepetition(first, candidate.first(overlap))) {
            const qsizetype from = candidate.data() - more.data() + overlap;
            return first + more.sliced(from).toString();
        }
    }
    const bool lineEnds = !first.endsWith(u'\n') && QStringView(u";{}>").contains(first.back());
    return first + (unwrapped && lineEnds ? QStringLiteral("\n") : QString()) + more.toString();
}

} // namespace kernelskill::llm
