// SPDX-License-Identifier: Apache-2.0
// What a skill says, as rich text in the theme's colours: description, gate, promises and how they were kept, what it
// must not do, and its advice.
#pragma once

#include "memory/longterm/ledger.h"
#include "memory/longterm/skill.h"
#include "retrieval/retrieval.h"
#include "session/trajectory.h"

#include <QHash>
#include <QString>

namespace kernelskill {

struct SkillPage
{
    const Skill *skill = nullptr;
    QString body;                    // Markdown; the skill of a list has none
    QString gateTrouble;             // why the policy cannot tell its gate; empty: it can
    QHash<QString, Truth> gateTruth; // of its predicates over the evidence of `gateOf`; empty: no evidence at hand
    QString gateOf;                  // "round 4"
    const TrajectoryNode *node = nullptr;    // selected and made by this skill; else null
    const QList<LedgerEntry> *ledger = nullptr; // its uses
    bool wide = false;               // gate and promises beside the advice
};

[[nodiscard]] QString skillHtml(const SkillPage &page);

} // namespace kernelskill
