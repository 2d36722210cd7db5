// SPDX-License-Identifier: Apache-2.0
#include "plan/student_plan.h"

#include "features/code_parser.h"
#include "features/host_code.h"
#include "patterns/program.h"

namespace kernelskill::expert {

Result<Group> groupOf(const TaskView &view, const QStringList &nodes, const Schedule &schedule)
{
    constexpr Pattern order[] = {Pattern::Pointwise, Pattern::MatrixProduct, Pattern::Transpose, Pattern::FullReduction,
                                 Pattern::Rows};
    Error error;
    for (const Pattern pattern : order) {
        const Group group{pattern, nodes, schedule, {}};
        const Result<void> legal = checkGroup(view, group);
        if (legal) return group;
        error = legal.error();
    }
    error.code = QStringLiteral("expert.unsupported");
    return std::unexpected(error);
}

Result<KernelPlan> studentPlan(const TaskView &view)
{
    KernelPlan plan;
    QStringList pending; // operators that could not stand alone yet
    Error error;
    for (const OperatorNode &node : view.graph().nodes) {
        pending.append(node.id);
        auto group = groupOf(view, pending);
        if (group) {
            // A student starts with 16×16 blocks for matrices and 256 threads for everything else.
            if (group->pattern == Pattern::Rows) group->schedule.threads = 128;
            plan.groups.append(*group);
            pending.clear();
        } else {
            error = group.error();
        }
    }
    if (!pending.isEmpty()) return std::unexpected(error);
    return plan;
}

namespace {

// The schedule a fused group goes on with: the one of the group that decides how threads are laid out.
const Group &leadingGroup(const Group &first, const Group &second)
{
    return first.pattern == Pattern::Pointwise ? second : first;
}

} // namespace

Result<KernelPlan> fusedPlan(const TaskView &view, const KernelPlan &plan)
{
    KernelPlan fused;
    for (const Group &group : plan.groups) {
        if (!fused.groups.isEmpty()) {
            Group &last = fused.groups.last();
            auto merged = groupOf(view, last.nodes + group.nodes, leadingGroup(last, group).schedule);
            if (merged) {
                merged->skills = last.skills;
                for (const QString &skill : group.skills) {
                    if (!merged->skills.contains(skill)) merged->skills.append(skill);
                }
                last = *merged;
                continue;
            }
        }
        fused.groups.append(group);
    }
    if (fused.groups.size() == plan.groups.size())
        return failure(QStringLiteral("expert.inapplicable"),
                       QStringLiteral("no two neighbouring kernels fit one pattern"));
    return fused;
}

Result<KernelPlan> planOf(const TaskView &view, const Candidate &candidate)
{
    auto carried = KernelPlan::fromJson(candidate.agentData);
    if (!carried) {
        auto plan = studentPlan(view);
        // Code that launches once has fused its operators already.
        if (plan && hostFactsOf(parseTokens(candidate.mainText()), candidate.entryPoint).launches == 1)
            return fusedPlan(view, *plan).value_or(*plan);
        return plan;
    }
    // A plan from another task, or edited by hand, must not reach emission.
    for (const Group &group : carried->groups) {
        for (const QString &id : group.nodes) {
            if (!view.isNode(id)) return studentPlan(view);
        }
        if (auto legal = checkGroup(view, group); !legal) return studentPlan(view);
    }
    return carried;
}

} // namespace kernelskill::expert
