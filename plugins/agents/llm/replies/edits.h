// SPDX-License-Identifier: Apache-2.0
// Edits as models write them: blocks between markers, and hunks of a diff.
#pragma once

#include "replies/extract.h"

namespace kernelskill::llm {

struct FoundEdits
{
    QList<Edit> edits;
    QStringList notes;
    QString problem;      // one block or hunk that can't be used makes all unusable
    bool truncated = false;
    qsizetype end = 0;    // behind the last of them
};

// Blocks between markers of five or more < = >, whatever words stand behind them.
[[nodiscard]] FoundEdits markedEdits(QStringView text);
// Hunks of a unified diff; what it says of line numbers is not looked at.
[[nodiscard]] FoundEdits diffEdits(QStringView text);

} // namespace kernelskill::llm
