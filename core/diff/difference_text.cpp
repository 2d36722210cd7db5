// SPDX-License-Identifier: Apache-2.0
#include "diff/difference_text.h"

#include "diff/line_diff.h"

#include <QSet>

namespace kernelskill {

QString differenceText(const QString &before, const QString &after, int contextLines, int mostLines)
{
    const LineDiff diff = diffLines(before, after);
    QSet<qsizetype> shown;
    for (qsizetype i = 0; i < diff.rows.size(); ++i) {
        if (diff.rows[i].kind == DiffRow::Kind::Same) continue;
        for (qsizetype near = i - contextLines; near <= i + contextLines; ++near)
            shown.insert(near);
    }
    QStringList lines;
    bool gap = false;
    for (qsizetype i = 0; i < diff.rows.size(); ++i) {
        if (!shown.contains(i)) {
            gap = true;
            continue;
        }
        if (gap && !lines.isEmpty()) lines.append(QStringLiteral("…"));
        gap = false;
        const DiffRow &row = diff.rows[i];
        if (row.kind == DiffRow::Kind::Same) {
            lines.append(QStringLiteral("  ") + diff.rightLines[row.right]);
            continue;
        }
        if (row.left >= 0) lines.append(QStringLiteral("- ") + diff.leftLines[row.left]);
        if (row.right >= 0) lines.append(QStringLiteral("+ ") + diff.rightLines[row.right]);
    }
    if (lines.size() > mostLines) {
        lines = lines.mid(0, mostLines);
        lines.append(QStringLiteral("… (cut; the nodes hold all of it)"));
    }
    return lines.join(u'\n');
}

} // namespace kernelskill
