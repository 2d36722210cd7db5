// SPDX-License-Identifier: Apache-2.0
// CUDA C++ as tokens, without comments and spacing. No preprocessor: a directive is one token.
#pragma once

#include <QList>
#include <QString>

namespace kernelskill {

struct CodeToken
{
    enum class Kind { Identifier, Number, Text, Punctuation, Directive };
    Kind kind = Kind::Punctuation;
    QString text; // Directive: the whole line, comments gone, runs of space made one
};

// Never fails: what is not C++ comes out as punctuation. An unfinished literal or comment ends with the text.
[[nodiscard]] QList<CodeToken> codeTokens(const QString &source);

} // namespace kernelskill
