// SPDX-License-Identifier: Apache-2.0
// The better front end: clang's own AST, through libclang, which is loaded when it is there. It resolves macros, types
// and overloads; everything after the tree is the same as for the tokens.
#pragma once

#include "base/result.h"
#include "features/code_tree.h"
#include "task/task.h"

namespace kernelskill::expert {

// Fails with "features.clang" and the reason: no libclang, no headers of the simulator, or the candidate has errors.
[[nodiscard]] Result<CodeProgram> parseWithClang(const Candidate &candidate);

} // namespace kernelskill::expert
