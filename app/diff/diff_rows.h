// SPDX-License-Identifier: Apache-2.0
// What a diff view shows: compared texts, and the rows left after folding, side by side or unified. Pure values.
#pragma once

#include "diff/code_highlighter.h"
#include "diff/line_diff.h"

#include <QHash>
#include <QSet>

namespace kernelskill {

// A mark on a source line, with its words.
struct LineNote
{
    QString text;
    bool isError = false; // a finding; else a hot spot
};

struct DiffSide
{
    QString text;
    QHash<int, LineNote> notes; // 0-based line
};

// Compared and coloured; made in a worker.
struct DiffContents
{
    LineDiff diff;
    QList<QList<SyntaxSpan>> leftSpans, rightSpans;
    QHash<int, LineNote> leftNotes, rightNotes;
    bool single = false; // only a right side: nothing to compare with
};
[[nodiscard]] DiffContents compareTexts(const DiffSide &left, const DiffSide &right, CodeLanguage language,
                                        bool single);

struct ViewRow
{
    enum class Kind { Line, Fold };
    Kind kind = Kind::Line;
    DiffRow::Kind change = DiffRow::Kind::Same;
    int left = -1, right = -1; // 0-based lines; −1 filler
    int diffRow = -1;          // first row of the diff it stands for
    int hidden = 0;            // Fold: lines it hides
    int hunk = -1;             // index of its hunk
};

// `context` unchanged lines stay around each hunk; folds shorter than 3 lines are not made. `opened` holds the diff row
// at which an opened fold starts. Unified: a changed row becomes its removed lines, then its added ones.
[[nodiscard]] QList<ViewRow> viewRows(const LineDiff &diff, bool unified, bool fold, const QSet<int> &opened = {},
                                      int context = 3);

} // namespace kernelskill
