// SPDX-License-Identifier: Apache-2.0
// warp-shuffle-reduction, online-softmax, fewer-instructions: how a row becomes one value.
#include "patterns/program.h"
#include "skills/transform.h"

#include <algorithm>

namespace kernelskill::expert {

Result<QList<Change>> shuffleReduction(const TaskView &view, const Group &group)
{
    Schedule s = group.schedule;
    if (group.pattern != Pattern::Rows && group.pattern != Pattern::FullReduction)
        return inapplicable(QStringLiteral("nothing is reduced over threads"));
    if (group.pattern == Pattern::Rows && s.mapping == RowMapping::Thread)
        return inapplicable(
            QStringLiteral("each thread reduces its own row: there is nothing to combine before memory-coalescing"));
    if (s.shuffle) return inapplicable(QStringLiteral("partial results are combined with shuffles already"));
    s.shuffle = true;
    QList<Change> changes;
    const QString why =
        QStringLiteral("The tree in shared memory takes a barrier a step and leaves half of the threads idle in each. "
                       "Shuffles combine a warp "
                       "in registers; shared memory then holds one value a warp, with two barriers in all.");
    const auto cols = columnsOf(view, group);
    if (group.pattern == Pattern::Rows && cols && *cols <= 1024) {
        Schedule warp = s;
        warp.mapping = RowMapping::Warp;
        changes.append(
            {{{QStringLiteral("scope"), QStringLiteral("warp")}},
             warp,
             QStringLiteral("A row of %1 elements is little work for a block. One warp a row needs no barrier at all.")
                 .arg(*cols)});
    }
    changes.append({{{QStringLiteral("scope"), QStringLiteral("block")}}, s, why});
    return changes;
}

Result<QList<Change>> mergeSoftmaxPasses(const TaskView &view, const Group &group)
{
    Schedule s = group.schedule;
    const auto program = group.pattern == Pattern::Rows ? buildRows(view, group) : notThisPattern(group, QString());
    if (!program || !program->hasSoftmax) return inapplicable(QStringLiteral("there is no softmax here"));
    if (s.online) return inapplicable(QStringLiteral("maximum and sum are found in one pass already"));
    if (s.cachedVectors > 0)
        return inapplicable(QStringLiteral("the row is in registers: another pass over it costs no memory traffic"));
    s.online = true;
    return QList<Change>{{{{QStringLiteral("passes"), 2}},
                          s,
                          QStringLiteral("The row is read once for its maximum and again for the sum of exponentials. "
                                         "A running sum that is rescaled when a "
                                         "larger element turns up needs one pass for both.")}};
}

Result<QList<Change>> saveInstructions(const TaskView &view, const Group &group)
{
    Schedule s = group.schedule;
    const auto program = group.pattern == Pattern::Rows ? buildRows(view, group) : notThisPattern(group, QString());
    if (!program || !program->hasSoftmax)
        return inapplicable(QStringLiteral("nothing is computed for each element that is the same for all of them"));
    const bool logarithm = view.node(group.nodes.last()).op.contains(QLatin1String("log_softmax"));
    if (!s.reciprocal && !logarithm) {
        s.reciprocal = true;
        return QList<Change>{{{{QStringLiteral("hoist"), QStringLiteral("division")}},
                              s,
                              QStringLiteral("A division costs about ten instructions and is made for each element. "
                                             "One division a row and a multiplication an "
                                             "element give the same result within rounding.")}};
    }
    if (s.cachedVectors > 0 && !s.keepExponentials && !s.online && !logarithm) {
        s.keepExponentials = true;
        Group changed = group;
        changed.schedule = s;
        const auto kept = buildRows(view, changed);
        const bool keeps =
            kept && std::ranges::any_of(kept->phases, [](const RowPhase &phase) { return !phase.keep.isEmpty(); });
        if (keeps) {
            return QList<Change>{{{{QStringLiteral("keep"), QStringLiteral("exponentials")}},
                                  s,
                                  QStringLiteral("Each exponential is computed for the sum and again for the result. "
                                                 "The registers that hold the row can hold "
                                                 "the exponentials instead.")}};
        }
    }
    return inapplicable(QStringLiteral("what can be computed once is computed once"));
}

} // namespace kernelskill::expert
