// SPDX-License-Identifier: Apache-2.0
// Syntax colours of a whole text as spans of theme roles. For worker threads: each has definitions of its own.
#pragma once

#include "diff/syntax.h"

#include <QList>
#include <QString>
#include <QStringList>
#include <QThreadPool>

#include <utility>

namespace kernelskill {

struct SyntaxSpan
{
    int start = 0, length = 0; // UTF-16, within the line
    QString role;              // "syntax.keyword"
};

// Threads for comparing and colouring: they stay, since loading the definitions is most of the work of a short text. `warm`
// has them load those before they are wanted.
[[nodiscard]] QThreadPool &codeThreads();
void warmCodeThreads();

// One list of spans a line; text between spans has the plain text colour.
[[nodiscard]] QList<QList<SyntaxSpan>> highlight(const QStringList &lines, CodeLanguage language);
// Of two versions of a file: what both have is coloured once.
[[nodiscard]] std::pair<QList<QList<SyntaxSpan>>, QList<QList<SyntaxSpan>>>
highlightBoth(const QStringList &left, const QStringList &right, CodeLanguage language);

} // namespace kernelskill
