// SPDX-License-Identifier: Apache-2.0
// The plan that stands for code nobody planned: what a student writes for this graph.
#pragma once

#include "plan/kernel_plan.h"
#include "plan/task_view.h"

namespace kernelskill::expert {

// One naive kernel an operator where every intermediate has a place in memory; otherwise neighbours are fused until it
// has. An error when no template fits.
[[nodiscard]] Result<KernelPlan> studentPlan(const TaskView &view);

// The pattern under which `nodes` can be one kernel, most specific first; the error of the last try when there is none.
[[nodiscard]] Result<Group> groupOf(const TaskView &view, const QStringList &nodes, const Schedule &schedule = {});

// Neighbouring groups joined where one pattern covers both; an error when there are none.
[[nodiscard]] Result<KernelPlan> fusedPlan(const TaskView &view, const KernelPlan &plan);

// The plan a candidate carries, or the student's when it carries none.
[[nodiscard]] Result<KernelPlan> planOf(const TaskView &view, const Candidate &candidate);

} // namespace kernelskill::expert
