// SPDX-License-Identifier: Apache-2.0
#include "diff/diff_rows.h"

#include <tuple>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int shortestFold = 3;

QString withoutTabs(const QString &text)
{
    QString result = text;
    return result.replace(u'\t', u"    "_s);
}

int hunkOf(const LineDiff &diff, int row)
{
    for (qsizetype i = 0; i < diff.hunks.size(); ++i) {
        if (row >= diff.hunks[i].first && row < diff.hunks[i].first + diff.hunks[i].second) return int(i);
    }
    return -1;
}

void addHunkUnified(QList<ViewRow> &rows, const LineDiff &diff, int from, int to, int hunk)
{
    for (int row = from; row < to; ++row) {
        const DiffRow &entry = diff.rows[row];
        if (entry.left >= 0) rows.append({ViewRow::Kind::Line, DiffRow::Kind::Removed, entry.left, -1, row, 0, hunk});
    }
    for (int row = from; row < to; ++row) {
        const DiffRow &entry = diff.rows[row];
        if (entry.right >= 0) rows.append({ViewRow::Kind::Line, DiffRow::Kind::Added, -1, entry.right, row, 0, hunk});
    }
}

} // namespace

DiffContents compareTexts(const DiffSide &left, const DiffSide &right, CodeLanguage language, bool single)
{
    DiffContents contents;
    const QString rightText = withoutTabs(right.text);
    contents.single = single;
    contents.diff = diffLines(single ? rightText : withoutTabs(left.text), rightText);
    if (single) {
        contents.rightSpans = highlight(contents.diff.rightLines, language);
        contents.leftSpans = contents.rightSpans;
    } else {
        std::tie(contents.leftSpans, contents.rightSpans) =
            highlightBoth(contents.diff.leftLines, contents.diff.rightLines, language);
    }
    contents.leftNotes = left.notes;
    contents.rightNotes = right.notes;
    return contents;
}

QList<ViewRow> viewRows(const LineDiff &diff, bool unified, bool fold, const QSet<int> &opened, int context)
{
    QList<ViewRow> rows;
    const int count = int(diff.rows.size());
    int row = 0;
    while (row < count) {
        if (diff.rows[row].kind != DiffRow::Kind::Same) {
            int end = row;
            while (end < count && diff.rows[end].kind != DiffRow::Kind::Same)
                ++end;
            const int hunk = hunkOf(diff, row);
            if (unified) {
                addHunkUnified(rows, diff, row, end, hunk);
            } else {
                for (int i = row; i < end; ++i)
                    rows.append(
                        {ViewRow::Kind::Line, diff.rows[i].kind, diff.rows[i].left, diff.rows[i].right, i, 0, hunk});
            }
            row = end;
            continue;
        }
        int end = row;
        while (end < count && diff.rows[end].kind == DiffRow::Kind::Same)
            ++end;
        const int hideFrom = row == 0 ? row : row + context;
        const int hideTo = end == count ? end : end - context;
        const bool folds =
            fold && !diff.hunks.isEmpty() && hideTo - hideFrom >= shortestFold && !opened.contains(hideFrom);
        for (int i = row; i < end; ++i) {
            if (folds && i == hideFrom) {
                rows.append({ViewRow::Kind::Fold, DiffRow::Kind::Same, diff.rows[i].left, diff.rows[i].right, i,
                             hideTo - hideFrom, -1});
                i = hideTo - 1;
                continue;
            }
            rows.append({ViewRow::Kind::Line, DiffRow::Kind::Same, diff.rows[i].left, diff.rows[i].right, i, 0, -1});
        }
        row = end;
    }
    return rows;
}

} // namespace kernelskill
