// SPDX-License-Identifier: Apache-2.0
// Runs of failed repairs fold to a count: the candidate that failed stays, the repairs that failed after it hide behind
// it until somebody wants to see them. A fold holds what is settled and needs no attention: repairs that are still
// going on, and nodes that are pinned, named, edited by a person, suspect, built on or not as recorded stay outside.
#pragma once

#include "models/session_document.h"

#include <QHash>
#include <QObject>
#include <QSet>

namespace kernelskill {

struct FailedRepairs
{
    int head = -1;      // the failed candidate they are repairs of
    QList<int> repairs; // made from it or from one another, in the order of their making; two at least
    bool operator==(const FailedRepairs &) const = default;
};

// In the order of their heads.
[[nodiscard]] QList<FailedRepairs> failedRepairs(const Trajectory &trajectory);

// Which of them are open. What is selected is always to be seen: a selection within a fold opens it. UI thread.
class RepairFolds : public QObject
{
    Q_OBJECT
public:
    RepairFolds(SessionDocument *document, NodeSelection *selection, QObject *parent = nullptr);

    [[nodiscard]] const QList<FailedRepairs> &runs() const { return m_runs; }
    [[nodiscard]] QList<int> repairsOf(int head) const; // empty: no run begins there
    [[nodiscard]] bool isOpen(int head) const { return m_open.contains(head) || head == m_followed; }
    [[nodiscard]] int headOf(int node) const { return m_heads.value(node, -1); } // of the run it is a repair of; −1 none
    // For each node where it is to be seen: itself, or the head of the closed fold that it is in.
    [[nodiscard]] QList<int> shownAs() const;
    [[nodiscard]] bool anyClosed() const;

    void setOpen(int head, bool open); // closing takes a selection within to the head
    void toggle(int head) { setOpen(head, !isOpen(head)); }
    void setAllOpen(bool open);

Q_SIGNALS:
    // Neither is said when the document is reset: what looks at it looks anew.
    void runsChanged(); // runs came, grew or went; before changed()
    void changed();     // what is hidden

private:
    void startAnew();
    void takeRuns();
    bool keepSelectionSeen(); // whether that changed what is open

    SessionDocument *m_document;
    NodeSelection *m_selection;
    int m_generation = -1; // of the document that the runs are of
    QList<FailedRepairs> m_runs;
    QHash<int, int> m_heads; // repair → head
    QSet<int> m_open;
    int m_followed = -1; // head of the run that following a live run led into: open as long as it is there
};

} // namespace kernelskill
