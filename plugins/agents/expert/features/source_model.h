// SPDX-License-Identifier: Apache-2.0
// CUDA source as functions and tokens: as much structure as the features need, no more.
#pragma once

#include "memory/shortterm/code_tokens.h"

#include <QSet>
#include <QStringList>

#include <optional>

namespace kernelskill::expert {

using Tokens = QList<CodeToken>;

struct SourceFunction
{
    QString name;
    bool isKernel = false; // __global__
    bool isDevice = false; // __device__
    Tokens parameters;     // between the parentheses
    Tokens body;           // between the braces
};

[[nodiscard]] QList<SourceFunction> functionsOf(const QString &source);

// Position of the bracket that closes the one at `open`, the number of tokens when there is none.
[[nodiscard]] qsizetype closing(const Tokens &tokens, qsizetype open);
[[nodiscard]] bool isIdentifierToken(const CodeToken &token);
[[nodiscard]] QStringList identifiersIn(const Tokens &tokens); // in order, without repetition
[[nodiscard]] QString joined(const Tokens &tokens);
[[nodiscard]] bool isVectorType(const QString &name); // float4, half2, …

// The most kernel launches one call of `entry` makes: branches count once, a launch in a loop counts as two.
[[nodiscard]] int launchesOf(const QList<SourceFunction> &functions, const QString &entry);

} // namespace kernelskill::expert
