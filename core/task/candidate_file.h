// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "task/candidate.h"

namespace kernelskill {

// A source file as one of a candidate's, under `name`. Errors: candidate.read, candidate.size (above 4 MB), candidate.text
// (not UTF-8).
[[nodiscard]] Result<CandidateFile> readCandidateFile(const QString &path, const QString &name);

} // namespace kernelskill
