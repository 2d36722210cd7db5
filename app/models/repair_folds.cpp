// SPDX-License-Identifier: Apache-2.0
#include "models/repair_folds.h"

#include <QSignalBlocker>

#include <algorithm>
#include <numeric>
#include <vector>

namespace kernelskill {

namespace {

constexpr qsizetype fewestRepairs = 2; // one alone takes no more room than its count

bool failed(const TrajectoryNode &node)
{
    return node.state == NodeState::Failed || node.state == NodeState::Wrong;
}

bool canHide(const TrajectoryNode &node)
{
    return node.kind == u"repair" && failed(node) && !node.pinned && node.note.isEmpty() && !node.isHuman && !node.isBase &&
           !node.wasBase && node.divergence.isEmpty();
}

} // namespace

QList<FailedRepairs> failedRepairs(const Trajectory &trajectory)
{
    const auto &nodes = trajectory.nodes;
    const auto parentOf = [](const TrajectoryNode &node) { return node.parent < node.id ? node.parent : -1; };
    std::vector<int> children(static_cast<size_t>(nodes.size()), 0);
    for (const TrajectoryNode &node : nodes) {
        if (parentOf(node) >= 0) ++children[size_t(node.parent)];
    }
    // Parents come before their children: one pass carries each run on. Where repairs part, the node stays to be seen.
    QHash<int, int> headOf; // of the repairs so far
    QHash<int, QList<int>> repairs;
    for (const TrajectoryNode &node : nodes) {
        const int parent = parentOf(node);
        if (parent < 0 || !canHide(node) || children[size_t(node.id)] > 1 || !failed(nodes[parent])) continue;
        const int head = headOf.value(parent, parent);
        headOf.insert(node.id, head);
        repairs[head].append(node.id);
    }
    const int newest = nodes.isEmpty() || !trajectory.endedBy.isEmpty() ? -1 : nodes.last().id;
    QList<FailedRepairs> runs;
    for (auto run = repairs.cbegin(); run != repairs.cend(); ++run) {
        const bool goesOn = newest >= 0 && (run->last() == newest || run->contains(nodes[newest].parent));
        if (run->size() >= fewestRepairs && !goesOn) runs.append({run.key(), *run});
    }
    std::ranges::sort(runs, {}, &FailedRepairs::head);
    return runs;
}

RepairFolds::RepairFolds(SessionDocument *document, NodeSelection *selection, QObject *parent)
    : QObject(parent), m_document(document), m_selection(selection)
{
    connect(document, &SessionDocument::reset, this, &RepairFolds::startAnew);
    connect(document, &SessionDocument::nodesChanged, this, &RepairFolds::takeRuns);
    connect(selection, &NodeSelection::changed, this, [this] {
        const bool resetting = m_generation != m_document->generation();
        if (!resetting && keepSelectionSeen()) Q_EMIT changed();
    });
    startAnew();
}

void RepairFolds::startAnew()
{
    const QSignalBlocker quiet(this);
    m_generation = m_document->generation();
    m_open.clear();
    m_followed = -1;
    takeRuns();
}

void RepairFolds::takeRuns()
{
    QList<FailedRepairs> runs = failedRepairs(m_document->trajectory());
    const bool differ = runs != m_runs;
    if (differ) {
        m_runs = std::move(runs);
        m_heads.clear();
        for (const FailedRepairs &run : std::as_const(m_runs)) {
            for (const int repair : run.repairs)
                m_heads.insert(repair, run.head);
        }
    }
    const bool seen = keepSelectionSeen();
    if (differ) Q_EMIT runsChanged();
    if (differ || seen) Q_EMIT changed();
}

bool RepairFolds::keepSelectionSeen()
{
    const int head = headOf(m_selection->selected());
    const bool following = m_selection->follows() && m_document->trajectory().endedBy.isEmpty();
    const int followed = following ? head : -1;
    const bool opens = head >= 0 && !isOpen(head);
    const bool closes = m_followed >= 0 && m_followed != head && !m_open.contains(m_followed);
    if (head >= 0 && !following) m_open.insert(head);
    m_followed = followed;
    return opens || closes;
}

QList<int> RepairFolds::repairsOf(int head) const
{
    const auto found = std::ranges::lower_bound(m_runs, head, {}, &FailedRepairs::head);
    return found == m_runs.end() || found->head != head ? QList<int>() : found->repairs;
}

QList<int> RepairFolds::shownAs() const
{
    QList<int> shown(m_document->trajectory().nodes.size());
    std::iota(shown.begin(), shown.end(), 0);
    for (const FailedRepairs &run : m_runs) {
        if (isOpen(run.head)) continue;
        for (const int repair : run.repairs)
            shown[repair] = run.head; // which is never hidden itself
    }
    return shown;
}

bool RepairFolds::anyClosed() const
{
    return std::ranges::any_of(m_runs, [this](const FailedRepairs &run) { return !isOpen(run.head); });
}

void RepairFolds::setOpen(int head, bool open)
{
    if (repairsOf(head).isEmpty() || isOpen(head) == open) return;
    if (open) {
        m_open.insert(head);
    } else {
        if (headOf(m_selection->selected()) == head) m_selection->select(head);
        m_open.remove(head);
        m_followed = m_followed == head ? -1 : m_followed;
    }
    Q_EMIT changed();
}

void RepairFolds::setAllOpen(bool open)
{
    if (!open && headOf(m_selection->selected()) >= 0) m_selection->select(headOf(m_selection->selected()));
    m_open.clear();
    m_followed = -1;
    if (open) {
        for (const FailedRepairs &run : std::as_const(m_runs))
            m_open.insert(run.head);
    }
    Q_EMIT changed();
}

} // namespace kernelskill
