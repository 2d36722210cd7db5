// SPDX-License-Identifier: Apache-2.0
// One skill of the long-term memory: expert knowledge as a folder in Agent Skills form, plus its state here.
#pragma once

#include "base/result.h"

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

namespace kernelskill {

enum class SkillState { Active, Pinned, Rejected, Quarantined, Draft };
[[nodiscard]] QString toString(SkillState state);
[[nodiscard]] SkillState skillStateFromString(const QString &text); // unknown text: Draft

struct PromisedChange
{
    QString metric; // catalogue name
    QString change; // "lower", "higher", "at most N", "at least N"
    QString why;
};

struct Skill
{
    QString name;        // "shared-memory-tiling": folder name, [a-z0-9-], ≤64
    QString title;       // "Shared-memory tiling"
    QString description; // Agent Skills: what it does and when to use it, ≤1024
    QString method;      // "M8"; empty for skills beyond the 24 methods
    QStringList languages{QStringLiteral("cuda")};
    QStringList structures;  // "S0"…"S4" it fits; empty: all
    QStringList requires_;   // predicates over evidence fields that must not be false (metadata `gate`)
    QStringList prohibits;   // what it must not do, in words
    QList<PromisedChange> promises;
    QString body;        // Markdown below the front matter
    QString source;      // file it was read from
    int revision = 1;
    SkillState state = SkillState::Active;
    QString stateReason;

    [[nodiscard]] QByteArray digest() const; // over everything but state and revision
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static Skill fromJson(const QJsonObject &object);
};

// Reads <folder>/SKILL.md: YAML front matter (name, description, license, metadata {…}) and Markdown. Errors name file and line.
[[nodiscard]] Result<Skill> readSkill(const QString &folder);
[[nodiscard]] QString writeSkillText(const Skill &skill);

} // namespace kernelskill
