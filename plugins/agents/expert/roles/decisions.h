// SPDX-License-Identifier: Apache-2.0
// What the roles decide, as plain functions: the agent only wraps them in coroutines, tests call them directly.
#pragma once

#include "agent/roles.h"

namespace kernelskill::expert {

[[nodiscard]] Result<QList<CodeChange>> firstCandidates(const GenerateRequest &request);

// Walks the allowed methods, best first, and takes the first change that was not tried. A skill whose changes brought
// nothing so far in this run comes after those that were not tried: eight rounds are few.
[[nodiscard]] Result<Plan> choosePlan(const PlanRequest &request);
[[nodiscard]] Result<CodeChange> applyPlan(const OptimizeRequest &request);

[[nodiscard]] Result<Diagnosis> findCause(const DiagnoseRequest &request);
[[nodiscard]] Result<CodeChange> applyFix(const RepairRequest &request);

} // namespace kernelskill::expert
