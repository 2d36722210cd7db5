// SPDX-License-Identifier: Apache-2.0
// A plan as a candidate: solve.cu with everything it needs, and the plan itself in agentData.
#pragma once

#include "plan/kernel_plan.h"
#include "plan/task_view.h"

namespace kernelskill::expert {

// Deterministic: the same plan gives the same text.
[[nodiscard]] Result<Candidate> emitCandidate(const TaskView &view, const KernelPlan &plan);

} // namespace kernelskill::expert
