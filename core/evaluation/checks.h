// SPDX-License-Identifier: Apache-2.0
// How evaluators write down their checks, and the one rule that turns checks into a verdict.
#pragma once

#include "evaluation/evaluation.h"
#include "task/expression.h"

#include <QString>

namespace kernelskill::checks {

[[nodiscard]] Check passed(const QString &name, const QString &detail = {});
[[nodiscard]] Check failed(const QString &name, const QString &detail);
[[nodiscard]] Check notMade(const QString &name, const QString &reason);
[[nodiscard]] Check that(bool holds, const QString &name, const QString &detailWhenFailed);

[[nodiscard]] bool isFailed(const Check &check);
[[nodiscard]] bool isNotMade(const Check &check);

// "rows=7 cols=515", sorted by name: how sizes are written in the names of checks.
[[nodiscard]] QString describe(const Sizes &sizes);
// "outputs rows=7 cols=515 seed 1" or "outputs rows=7 cols=515 zeros": every check of results starts with "outputs".
[[nodiscard]] QString outputsName(const Sizes &sizes, const QString &inputs);

// A finding that has no place.
[[nodiscard]] Finding finding(const QString &kind, const QString &message);

// Finding kinds that say the program did something no correct program does, even when its outputs are right.
[[nodiscard]] bool isSuspicious(const Finding &finding);

// Sets status and verdict from what was recorded:
//   status BuildFailed, Timeout or Crashed           → failed
//   a failed check whose name starts with "outputs"  → status wrong, verdict wrong
//   any other failed check or a suspicious finding   → suspect
//   a check that was not made, or no check at all    → unproven
//   everything passed                                → verified
void conclude(Evaluation &evaluation);

// The first reason a person should read: first failed check, else first finding, else first check not made.
[[nodiscard]] QString reason(const Evaluation &evaluation);

} // namespace kernelskill::checks
