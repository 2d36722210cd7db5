// SPDX-License-Identifier: Apache-2.0
// What the memory knows of one skill, as rows: the ledger by GPU, structure and kind of time; the nodes it shaped; its
// revisions and changes of state. Built from core's value types. Pure functions.
#pragma once

#include "memory/longterm/skill_store.h"
#include "models/tree_rows.h"
#include "session/trajectory.h"

#include <memory>

namespace kernelskill::skill_rows {

enum Role {
    SessionPathRole = Qt::UserRole + 1, // of the node behind a row; empty: not known
    SessionRole,                        // session id
    NodeRole,                           // int; absent: no node
    VerdictRole,                        // int of NodeState
    KindRole,                           // int of TimeKind; absent: no time
    WonRole,                            // 1 won, −1 lost, 0 neither
    SkillRole,                          // whose row it is
    RevisionRole,                       // int; absent on changes of state
    StateRole,                          // int of SkillState, on changes of state
    CurrentRole,                        // true: the revision in use
    GroupRole,                          // true: sums of the rows below it
    NodesRole,                          // int: nodes below
};

enum LedgerColumn { TaskColumn, NodeColumn, BottleneckColumn, PromisesColumn, GainColumn, VerdictColumn, OutcomeColumn };
[[nodiscard]] QStringList ledgerHeaders();
// Groups by GPU, structure and kind of time with their sums; the uses below, newest first, at most `limit` in all.
[[nodiscard]] std::unique_ptr<TreeRow> ledger(const QList<LedgerEntry> &entries, qsizetype limit = 250);

enum ProvenanceColumn { WhereColumn, ShapedColumn };
[[nodiscard]] QStringList provenanceHeaders();
// Tasks, and below each the nodes the skill shaped, newest first. `open`: the session in the window, whose nodes count
// although a frozen run wrote none of them down.
struct OpenSession
{
    QString path, name;
    const Trajectory *trajectory = nullptr;
};
[[nodiscard]] std::unique_ptr<TreeRow> provenance(const QString &skill, const QList<LedgerEntry> &entries,
                                                  const OpenSession &open, qsizetype limit = 250);

enum RevisionColumn { NumberColumn, WhenColumn, WhoColumn, WhyColumn };
[[nodiscard]] QStringList revisionHeaders();
// Newest first, with the changes of state between them. `person`: the author who is called "you".
[[nodiscard]] std::unique_ptr<TreeRow> revisions(const QList<SkillRevision> &history,
                                                 const QList<SkillStateChange> &states, int current,
                                                 const QString &person);

// "3 of 4": promises kept of those whose counters were read; empty when none was promised.
[[nodiscard]] QString promisesKept(const LedgerEntry &entry);
// 1 won, −1 lost, 0 neither: as the store counts them.
[[nodiscard]] int outcomeOf(const LedgerEntry &entry);
[[nodiscard]] QString sessionName(const LedgerEntry &entry); // of its file, else the id

} // namespace kernelskill::skill_rows
