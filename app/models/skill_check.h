// SPDX-License-Identifier: Apache-2.0
// What is wrong with a SKILL.md as it is typed, each with its place. Pure but for the gate check it is lent.
#pragma once

#include "memory/longterm/skill_reader.h"
#include "retrieval/gate_check.h"

namespace kernelskill {

struct SkillFinding
{
    int line = 0;                      // 0-based
    qsizetype column = 0, length = -1; // characters of the line; length −1: to its end
    QString message, allowed;          // allowed: what may stand there instead; may be empty
    bool isError = true;               // such a text cannot be saved
};

struct SkillCheck
{
    std::optional<Skill> skill; // missing when it cannot be read
    QList<SkillFinding> findings; // by line
    [[nodiscard]] const SkillFinding *firstError() const;
};

// `gates` may be null: then gates are taken as they are. The text must name the skill `name`.
[[nodiscard]] SkillCheck checkSkillText(const QString &text, const QString &name, GateCheck *gates);

// 0-based line on which the gate begins; −1: there is none.
[[nodiscard]] int gateLine(const QString &text);

} // namespace kernelskill
