// SPDX-License-Identifier: Apache-2.0
// The difference of two texts as text: changed lines with + and −, a little around them, gaps as "…".
#pragma once

#include <QString>

namespace kernelskill {

// At most `mostLines` lines, then a line that says so.
[[nodiscard]] QString differenceText(const QString &before, const QString &after, int contextLines = 2, int mostLines = 160);

} // namespace kernelskill
