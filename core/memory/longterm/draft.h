// SPDX-License-Identifier: Apache-2.0
// A skill in the making: an idea of a planner's own that won twice, written down so that a person can judge it. Pure.
#pragma once

#include "memory/longterm/skill_store.h"

namespace kernelskill {

struct DraftEvidence
{
    QString name;             // of the idea, a skill's name
    QString rationale;        // the planner's words
    QStringList languages;    // of the candidates
    QList<LedgerEntry> wins;  // verified applications whose interval lies above 1, oldest first
    QString before, after;    // the code of the last one, without and with it
};

// Wins after which an idea is written down.
inline constexpr int winsForADraft = 2;

// Of `ledger` the verified applications whose whole interval lies above 1.
[[nodiscard]] QList<LedgerEntry> winsOf(const QList<LedgerEntry> &ledger);

// SKILL.md of the draft: the rationale, the structures and bottlenecks it won on, what moved the same way in all wins as
// promises, the change of code as a difference, and the nodes it comes from.
[[nodiscard]] QString draftSkillText(const DraftEvidence &evidence);

} // namespace kernelskill
