// SPDX-License-Identifier: Apache-2.0
// From a compiler's or linker's output to findings at the candidate's own lines.
#pragma once

#include "evaluation/evaluation.h"

#include <QList>
#include <QString>

namespace kernelskill {

// A path as the compiler printed it, in the build folder ("./src/solve.cu"), as the candidate knows it
// ("solve.cu"). Paths outside the candidate come back unchanged.
[[nodiscard]] QString candidatePath(const QString &printed);

// Errors only, each one once (the two passes of a CUDA compilation print most of them twice), in order. An error inside
// a header of ours is moved to the candidate's line that asked for it when the compiler said where that was. When the
// output holds no error that can be understood, one finding carries its last lines.
[[nodiscard]] QList<Finding> compileErrors(const QString &output, const QString &mainFile);

} // namespace kernelskill
