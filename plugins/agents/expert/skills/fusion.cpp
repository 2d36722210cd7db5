// SPDX-License-Identifier: Apache-2.0
// kernel-fusion: neighbouring groups that one pattern covers become one kernel.
#include "plan/student_plan.h"
#include "skills/transform.h"

namespace kernelskill::expert {

namespace {

// The schedule a fused group goes on with: the one of the group that decides how threads are laid out.
const Group &leadingGroup(const Group &first, const Group &second)
{
    return first.pattern == Pattern::Pointwise ? second : first;
}

} // namespace

Result<QList<Step>> fuseKernels(const TaskView &view, const KernelPlan &plan)
{
    if (plan.groups.size() < 2)
        return inapplicable(QStringLiteral("there is one kernel already"));
    KernelPlan fused;
    for (const Group &group : plan.groups) {
        if (!fused.groups.isEmpty()) {
            Group &last = fused.groups.last();
            const Group &leader = leadingGroup(last, group);
            auto merged = groupOf(view, last.nodes + group.nodes, leader.schedule);
            if (merged) {
                merged->skills = last.skills;
                for (const QString &skill : group.skills + QStringList{QStringLiteral("kernel-fusion")}) {
                    if (!merged->skills.contains(skill))
                        merged->skills.append(skill);
                }
                last = *merged;
                continue;
            }
        }
        fused.groups.append(group);
    }
    if (fused.groups.size() == plan.groups.size())
        return inapplicable(QStringLiteral("no two neighbouring kernels fit one pattern"));
    const qsizetype before = plan.groups.size(), after = fused.groups.size();
    return QList<Step>{{{{QStringLiteral("kernels"), after}}, fused,
                        QStringLiteral("Each kernel writes its result to memory and the next reads it back. %1 kernels instead of %2 keep the intermediates in "
                                       "registers.")
                            .arg(after)
                            .arg(before)}};
}

} // namespace kernelskill::expert
