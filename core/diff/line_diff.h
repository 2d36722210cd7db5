// SPDX-License-Identifier: Apache-2.0
// Line and word difference of two texts as rows for a side-by-side view. Pure; for a worker thread.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace kernelskill {

struct WordRange { int start = 0, length = 0; }; // UTF-16 offsets in the line

struct DiffRow
{
    enum class Kind { Same, Changed, Added, Removed };
    Kind kind = Kind::Same;
    int left = -1, right = -1; // 0-based line numbers, −1 none (filler)
    QList<WordRange> leftWords, rightWords; // what changed inside a Changed row
};

struct LineDiff
{
    QStringList leftLines, rightLines;
    QList<DiffRow> rows;
    QList<QPair<int, int>> hunks; // first row, row count of each run of non-Same rows
    bool coarse = false;          // too large to align: everything removed, then added
};

[[nodiscard]] LineDiff diffLines(const QString &left, const QString &right, int maximumLines = 20'000);

} // namespace kernelskill
