// SPDX-License-Identifier: Apache-2.0
// As much of the preprocessor as kernels need: macros with and without arguments, conditional parts, nothing of
// includes.
#pragma once

#include "memory/shortterm/code_tokens.h"

namespace kernelskill::expert {

using Tokens = QList<CodeToken>;

// Position of the bracket that closes the one at `open`, the number of tokens when there is none.
[[nodiscard]] qsizetype closingBracket(const Tokens &tokens, qsizetype open);
// Tokens of the source as the compiler for device code (compute capability 8.0) would see them.
[[nodiscard]] Tokens preprocessed(const QString &source);

} // namespace kernelskill::expert
