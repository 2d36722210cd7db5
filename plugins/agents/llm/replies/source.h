// SPDX-License-Identifier: Apache-2.0
// What is to be known of C++ text without a compiler: does it define a function, is it whole, does it leave something out.
#pragma once

#include <QSet>
#include <QString>

namespace kernelskill::llm {

struct Source
{
    QString masked;            // of the same length; comments and the insides of literals are spaces
    QSet<QString> defined;     // functions, types, macros, constants of the file
    QSet<QString> used;        // all words
    int depth = 0;             // braces left open at the end
    bool definesEntry = false;
    bool hasIncludes = false;
    [[nodiscard]] bool isWhole() const { return definesEntry && depth == 0; }
};

// One pass over the text.
[[nodiscard]] Source sourceOf(const QString &code, const QString &entry);
// The same length; comments and the insides of literals are spaces, line ends stay.
[[nodiscard]] QString maskedSource(QStringView code);

// The line that stands for code left out ("// rest of the kernel unchanged"), trimmed; empty when there is none.
[[nodiscard]] QString placeholderIn(QStringView code);

// Numbers in front of all lines, one more each line, taken off; nothing when they are not.
[[nodiscard]] QString withoutLineNumbers(const QString &code);
// The new side of a text whose lines all begin with + - or a space as in a diff; nothing when they do not.
[[nodiscard]] QString withoutDiffMarkers(const QString &code);

} // namespace kernelskill::llm
