// SPDX-License-Identifier: Apache-2.0
// The syntax definitions of the window and what theme role each of their formats has. A repository belongs to one thread.
#pragma once

#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Format>

#include <QString>

namespace kernelskill {

enum class CodeLanguage { Plain, Cuda, Ptx, Sass };

// Invalid for Plain, and when the definition is missing, which is warned of.
[[nodiscard]] KSyntaxHighlighting::Definition syntaxDefinition(CodeLanguage language);
// "syntax.keyword"; empty: plain text.
[[nodiscard]] QString syntaxRole(const KSyntaxHighlighting::Format &format);

} // namespace kernelskill
