// SPDX-License-Identifier: Apache-2.0
// Code blocks of Markdown as models write it: any number of ` or ~ from 3 on, indented, quoted, unclosed, in one line.
#pragma once

#include <QList>
#include <QString>

namespace kernelskill::llm {

struct Block
{
    QString tag;           // all that stands behind the opening fence, lower-case
    QString body;          // lines, each ends in \n; without the fence's own indentation
    qsizetype begin = 0;   // of the opening fence's line
    qsizetype end = 0;     // behind the closing one's
    bool closed = false;
};

// Those with a body, in order.
[[nodiscard]] QList<Block> fencedBlocks(QStringView text);
// The text without the lines that are fences.
[[nodiscard]] QString withoutFenceLines(QStringView text);

} // namespace kernelskill::llm
