// SPDX-License-Identifier: Apache-2.0
// kernel-fusion: neighbouring groups that one pattern covers become one kernel.
#include "plan/student_plan.h"
#include "skills/transform.h"

namespace kernelskill::expert {

Result<QList<Step>> fuseKernels(const TaskView &view, const KernelPlan &plan)
{
    if (plan.groups.size() < 2) return inapplicable(QStringLiteral("there is one kernel already"));
    auto fused = fusedPlan(view, plan);
    if (!fused) return std::unexpected(fused.error());
    const QString skill = QStringLiteral("kernel-fusion");
    for (Group &group : fused->groups) {
        if (!plan.group(group.id()) || plan.group(group.id())->nodes != group.nodes) {
            group.skills.removeAll(skill);
            group.skills.append(skill);
        }
    }
    const qsizetype before = plan.groups.size(), after = fused->groups.size();
    return QList<Step>{{{{QStringLiteral("kernels"), after}},
                        *fused,
                        QStringLiteral("Each kernel writes its result to memory and the next reads it back. With %1 "
                                       "instead of %2 the intermediates "
                                       "stay in registers.")
                            .arg(after)
                            .arg(before)}};
}

} // namespace kernelskill::expert
