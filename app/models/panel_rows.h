// SPDX-License-Identifier: Apache-2.0
// The rows of the Why and Evidence panels, built from core's value types. Pure functions; columns as in the panels:
// Why: name, value, needs. Evidence: name, value.
#pragma once

#include "models/tree_rows.h"
#include "session/trajectory.h"

#include <memory>

namespace kernelskill::panel_rows {

enum Role {
    KindRole = Qt::UserRole + 1, // Kind
    TruthRole,                   // int of Truth; absent: none
    SubtextRole,                 // second line of a row
    NoteRole,                    // at the right of a second line
    NoteColorRole,               // colour role of the note
    StateRole,                   // int of NodeState
    MonospaceRole,               // bool
    ClosedRole,                  // bool: a group that is closed until a person opens it
    StripeRole,                  // colour role of a bar at the left of a group and what is below it
};
enum class Kind { Section, Group, Item, Text, Ranked, Promise, Check, Note };

struct WhyInput
{
    const TrajectoryNode *node = nullptr;
    const RoundRecord *round = nullptr;
    const Retrieval *retrieval = nullptr;
    QHash<QString, QString> skillTitles; // name → title
};

// Sections: what decided (tier, bottlenecks and cases with predicates), methods, ranking, plan, promised and observed.
[[nodiscard]] std::unique_ptr<TreeRow> why(const WhyInput &input);
// Sections: verdict, checks, findings, metrics by kernel, manifest.
[[nodiscard]] std::unique_ptr<TreeRow> evidence(const Evaluation *evaluation, const TrajectoryNode *node);

} // namespace kernelskill::panel_rows
