// SPDX-License-Identifier: Apache-2.0
// Three steps. (1) Lines are replaced by small integers and compared with the O(NP) algorithm of dtl, after the common
// head and tail are cut off, since that is nearly all of a file in which one thing changed. (2) Inside each run of
// removed and added lines, lines that resemble each other are paired without crossing (a small dynamic programme over
// the share of common words): a pair becomes one Changed row. (3) Words of a pair are compared the same way as lines.
#include "diff/line_diff.h"

#include <dtl/dtl.hpp>

#include <QHash>

#include <algorithm>
#include <vector>

namespace kernelskill {

namespace {

// Above this many pairs of lines a run is paired by position: the programme below is quadratic.
constexpr qsizetype maximumPairsAligned = 40'000;
// Two lines with less in common than this are shown as removed and added.
constexpr double leastSimilarity = 0.34;

struct Token
{
    int start = 0, length = 0;
};

enum class Class { Word, Space, Other };

Class classOf(QChar character)
{
    if (character.isLetterOrNumber() || character == u'_') return Class::Word;
    return character.isSpace() ? Class::Space : Class::Other;
}

// Identifiers and numbers, runs of space, and single other characters.
std::vector<Token> tokens(QStringView line)
{
    std::vector<Token> result;
    for (int i = 0; i < line.size();) {
        const Class kind = classOf(line[i]);
        int end = i + 1;
        if (line[i].isHighSurrogate() && end < line.size()) ++end; // never cut a character in two
        while (kind != Class::Other && end < line.size() && classOf(line[end]) == kind)
            ++end;
        result.push_back({i, end - i});
        i = end;
    }
    return result;
}

// Equal texts get equal numbers.
class Numbering
{
public:
    int of(QStringView text)
    {
        const auto found = m_numbers.constFind(text);
        if (found != m_numbers.constEnd()) return *found;
        const int number = static_cast<int>(m_numbers.size());
        m_numbers.insert(text, number);
        return number;
    }

private:
    QHash<QStringView, int> m_numbers; // views into the caller's lines
};

struct Step
{
    DiffRow::Kind kind;
    int left, right; // −1 none
};

// Same, Removed and Added steps in order.
std::vector<Step> compare(const std::vector<int> &left, const std::vector<int> &right)
{
    size_t head = 0;
    while (head < left.size() && head < right.size() && left[head] == right[head])
        ++head;
    size_t tail = 0;
    while (tail < left.size() - head && tail < right.size() - head &&
           left[left.size() - 1 - tail] == right[right.size() - 1 - tail]) {
        ++tail;
    }
    std::vector<Step> steps;
    for (size_t i = 0; i < head; ++i)
        steps.push_back({DiffRow::Kind::Same, int(i), int(i)});
    const std::vector<int> a(left.begin() + qsizetype(head), left.end() - qsizetype(tail));
    const std::vector<int> b(right.begin() + qsizetype(head), right.end() - qsizetype(tail));
    if (a.empty() || b.empty()) {
        for (size_t i = 0; i < a.size(); ++i)
            steps.push_back({DiffRow::Kind::Removed, int(head + i), -1});
        for (size_t i = 0; i < b.size(); ++i)
            steps.push_back({DiffRow::Kind::Added, -1, int(head + i)});
    } else {
        dtl::Diff<int, std::vector<int>> difference(a, b);
        difference.onHuge();
        difference.compose();
        int i = int(head), j = int(head);
        for (const auto &[value, info] : difference.getSes().getSequence()) {
            if (info.type == dtl::SES_DELETE)
                steps.push_back({DiffRow::Kind::Removed, i++, -1});
            else if (info.type == dtl::SES_ADD)
                steps.push_back({DiffRow::Kind::Added, -1, j++});
            else
                steps.push_back({DiffRow::Kind::Same, i++, j++});
        }
    }
    for (size_t i = 0; i < tail; ++i) {
        steps.push_back({DiffRow::Kind::Same, int(left.size() - tail + i), int(right.size() - tail + i)});
    }
    return steps;
}

void appendRange(QList<WordRange> &ranges, const Token &token)
{
    if (!ranges.isEmpty() && ranges.last().start + ranges.last().length == token.start) {
        ranges.last().length += token.length;
    } else {
        ranges.append({token.start, token.length});
    }
}

void compareWords(const QString &left, const QString &right, DiffRow &row)
{
    const std::vector<Token> leftTokens = tokens(left), rightTokens = tokens(right);
    Numbering numbering;
    std::vector<int> a, b;
    for (const Token &token : leftTokens)
        a.push_back(numbering.of(QStringView(left).mid(token.start, token.length)));
    for (const Token &token : rightTokens)
        b.push_back(numbering.of(QStringView(right).mid(token.start, token.length)));
    for (const Step &step : compare(a, b)) {
        if (step.kind == DiffRow::Kind::Removed) appendRange(row.leftWords, leftTokens[size_t(step.left)]);
        if (step.kind == DiffRow::Kind::Added) appendRange(row.rightWords, rightTokens[size_t(step.right)]);
    }
}

// Sorted numbers of the words of a line (space left out), to compare many lines cheaply.
std::vector<int> bag(QStringView line, Numbering &numbering)
{
    std::vector<int> words;
    for (const Token &token : tokens(line)) {
        if (classOf(line[token.start]) != Class::Space)
            words.push_back(numbering.of(line.mid(token.start, token.length)));
    }
    std::ranges::sort(words);
    return words;
}

// Dice coefficient: twice the common words over all words.
double similarity(const std::vector<int> &a, const std::vector<int> &b)
{
    if (a.empty() && b.empty()) return 1;
    size_t common = 0;
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i] == b[j])
            ++common, ++i, ++j;
        else if (a[i] < b[j])
            ++i;
        else
            ++j;
    }
    return 2.0 * double(common) / double(a.size() + b.size());
}

using Pairs = std::vector<std::pair<int, int>>;

// Non-crossing pairs with the greatest sum of similarity, in order.
Pairs alignedPairs(const QList<QStringView> &left, const QList<QStringView> &right)
{
    const size_t n = size_t(left.size()), m = size_t(right.size());
    Numbering numbering;
    std::vector<std::vector<int>> a, b;
    for (QStringView line : left)
        a.push_back(bag(line, numbering));
    for (QStringView line : right)
        b.push_back(bag(line, numbering));
    std::vector<double> score((n + 1) * (m + 1), 0), alike(n * m);
    const auto at = [m](size_t i, size_t j) { return i * (m + 1) + j; };
    for (size_t i = n; i-- > 0;) {
        for (size_t j = m; j-- > 0;) {
            const double value = similarity(a[i], b[j]);
            alike[i * m + j] = value;
            score[at(i, j)] = std::max(score[at(i + 1, j)], score[at(i, j + 1)]);
            if (value >= leastSimilarity) {
                score[at(i, j)] = std::max(score[at(i, j)], value + score[at(i + 1, j + 1)]);
            }
        }
    }
    Pairs pairs;
    for (size_t i = 0, j = 0; i < n && j < m;) {
        const double value = alike[i * m + j];
        if (value >= leastSimilarity && score[at(i, j)] == value + score[at(i + 1, j + 1)]) {
            pairs.emplace_back(int(i++), int(j++));
        } else if (score[at(i, j)] == score[at(i + 1, j)]) {
            ++i;
        } else {
            ++j;
        }
    }
    return pairs;
}

Pairs pairsOf(const QList<QStringView> &left, const QList<QStringView> &right)
{
    if (left.size() * right.size() <= maximumPairsAligned) return alignedPairs(left, right);
    Pairs pairs;
    for (int i = 0; i < std::min(left.size(), right.size()); ++i)
        pairs.emplace_back(i, i);
    return pairs;
}

// Rows of one run of removed lines [leftStart, leftEnd) and added lines [rightStart, rightEnd).
void appendRun(LineDiff &diff, int leftStart, int leftEnd, int rightStart, int rightEnd)
{
    QList<QStringView> left, right;
    for (int i = leftStart; i < leftEnd; ++i)
        left.append(diff.leftLines[i]);
    for (int j = rightStart; j < rightEnd; ++j)
        right.append(diff.rightLines[j]);
    int i = leftStart, j = rightStart;
    const auto alone = [&](int toLeft, int toRight) {
        for (; i < toLeft; ++i)
            diff.rows.append({DiffRow::Kind::Removed, i, -1, {}, {}});
        for (; j < toRight; ++j)
            diff.rows.append({DiffRow::Kind::Added, -1, j, {}, {}});
    };
    for (const auto &[a, b] : pairsOf(left, right)) {
        alone(leftStart + a, rightStart + b);
        DiffRow row{DiffRow::Kind::Changed, i, j, {}, {}};
        compareWords(diff.leftLines[i], diff.rightLines[j], row);
        diff.rows.append(row);
        ++i, ++j;
    }
    alone(leftEnd, rightEnd);
}

QStringList linesOf(const QString &text)
{
    if (text.isEmpty()) return {};
    QStringList lines = text.split(u'\n');
    if (lines.last().isEmpty()) lines.removeLast(); // the final newline ends a line, it does not start one
    for (QString &line : lines) {
        if (line.endsWith(u'\r')) line.chop(1);
    }
    return lines;
}

void findHunks(LineDiff &diff)
{
    for (int row = 0; row < diff.rows.size(); ++row) {
        if (diff.rows[row].kind == DiffRow::Kind::Same) continue;
        if (!diff.hunks.isEmpty() && diff.hunks.last().first + diff.hunks.last().second == row) {
            ++diff.hunks.last().second;
        } else {
            diff.hunks.append({row, 1});
        }
    }
}

} // namespace

LineDiff diffLines(const QString &left, const QString &right, int maximumLines)
{
    LineDiff diff;
    diff.leftLines = linesOf(left);
    diff.rightLines = linesOf(right);
    diff.coarse = std::max(diff.leftLines.size(), diff.rightLines.size()) > maximumLines && left != right;
    if (diff.coarse) {
        for (int i = 0; i < diff.leftLines.size(); ++i)
            diff.rows.append({DiffRow::Kind::Removed, i, -1, {}, {}});
        for (int j = 0; j < diff.rightLines.size(); ++j)
            diff.rows.append({DiffRow::Kind::Added, -1, j, {}, {}});
        findHunks(diff);
        return diff;
    }
    Numbering numbering;
    std::vector<int> a, b;
    for (const QString &line : std::as_const(diff.leftLines))
        a.push_back(numbering.of(line));
    for (const QString &line : std::as_const(diff.rightLines))
        b.push_back(numbering.of(line));
    const std::vector<Step> steps = compare(a, b);
    for (size_t s = 0; s < steps.size();) {
        if (steps[s].kind == DiffRow::Kind::Same) {
            diff.rows.append({DiffRow::Kind::Same, steps[s].left, steps[s].right, {}, {}});
            ++s;
            continue;
        }
        // Removed and added lines between two equal ones form one run, in whatever order dtl names them.
        int leftStart = -1, leftEnd = -1, rightStart = -1, rightEnd = -1;
        for (; s < steps.size() && steps[s].kind != DiffRow::Kind::Same; ++s) {
            if (steps[s].left >= 0) leftStart = leftStart < 0 ? steps[s].left : leftStart, leftEnd = steps[s].left + 1;
            if (steps[s].right >= 0) {
                rightStart = rightStart < 0 ? steps[s].right : rightStart, rightEnd = steps[s].right + 1;
            }
        }
        appendRun(diff, leftStart, leftEnd, rightStart, rightEnd);
    }
    findHunks(diff);
    return diff;
}

} // namespace kernelskill
