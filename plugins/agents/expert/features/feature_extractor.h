// SPDX-License-Identifier: Apache-2.0
// The 18 code features of the retrieval policy, read off CUDA source. They look at the text alone, so they are as right
// for a student's or a language model's code as for this agent's own.
#pragma once

#include "agent/roles.h"

#include <QMap>

namespace kernelskill::expert {

enum class FrontEnd {
    Automatic, // clang's AST where libclang is present and reads the candidate without error, otherwise tokens
    Ast,       // an error where that is not so
    Tokens
};

struct ExtractedFeatures
{
    Features features;              // all 18
    QMap<QString, QString> origins; // feature → "ast", "tokens" or "override"
    QStringList notes;              // why the AST was not used, overrides that say nothing, …
};

// A comment "// @has_reuse: true" (or "// @kernel_structure_id: S1") anywhere in the candidate decides that feature.
[[nodiscard]] Result<ExtractedFeatures> extractWithOrigins(const Candidate &candidate,
                                                           FrontEnd frontEnd = FrontEnd::Automatic);
// One sentence or a few on where the values come from, for the transcript.
[[nodiscard]] QString describeOrigins(const ExtractedFeatures &found);
[[nodiscard]] Result<Features> extractFeatures(const Candidate &candidate);
[[nodiscard]] const QStringList &featureNames(); // the 18

} // namespace kernelskill::expert
