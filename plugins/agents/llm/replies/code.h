// SPDX-License-Identifier: Apache-2.0
// Text that may be code, read as such.
#pragma once

#include "replies/fences.h"
#include "replies/source.h"

#include <QStringList>

namespace kernelskill::llm {

struct CodePiece
{
    QString code;
    Source source{};
    bool embedded = false;   // it stood in a string of an object or of Python
    QString placeholder{};   // see placeholderIn
    QStringList notes{};     // what was undone: escapes, numbers, markers
};

// The code a text carries: as it is, escaped, numbered, marked as a diff, or in a string of an object.
[[nodiscard]] CodePiece pieceOf(const QString &text, const QString &entry);

// Without blank lines around it; ends in \n unless empty.
[[nodiscard]] QString asWholeFile(QString code);

// The text, when it is an object that the text's end cuts; else nothing.
[[nodiscard]] QString cutObjectIn(QStringView text);

} // namespace kernelskill::llm
