// SPDX-License-Identifier: Apache-2.0
// Small questions about C++ source and names, asked by readers before any compiler is.
#pragma once

#include <QString>

namespace kernelskill {

[[nodiscard]] bool isIdentifier(const QString &text);   // ASCII letter or _, then letters, digits, _
[[nodiscard]] bool isReservedWord(const QString &text); // of C++ or CUDA
[[nodiscard]] bool isPlainName(const QString &text);    // letters, digits, "_", "-", "."; fit for a file's name
// Comments and the insides of texts as spaces; lines and columns stay.
[[nodiscard]] QString withoutComments(const QString &source);
// Whether `name` stands before an opening parenthesis outside comments and texts.
[[nodiscard]] bool mentionsFunction(const QString &source, const QString &name);

} // namespace kernelskill
