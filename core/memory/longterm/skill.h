// SPDX-License-Identifier: Apache-2.0
// One skill of the long-term memory: expert knowledge as a folder in Agent Skills form, plus its state here.
#pragma once

#include "base/result.h"
#include "memory/longterm/skill_diagnostic.h"

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

// A key of the front matter this program has no use for and keeps.
struct SkillField
{
    QString key, value;
    friend bool operator==(const SkillField &, const SkillField &) = default;
};

struct Skill
{
    QString name;                                  // "shared-memory-tiling": folder name, [a-z0-9-], ≤64
    QString title;                                 // "Shared-memory tiling"
    QString description;                           // Agent Skills: what it does and when to use it, ≤1024
    QString method;                                // "M8"; empty for skills beyond the 24 methods
    QStringList languages{QStringLiteral("cuda")}; // empty: any
    QStringList structures;                        // "S0"…"S4" it fits; empty: all
    QStringList requires_; // predicates over evidence fields that must not be false (metadata `gate`)
    QStringList prohibits; // what it must not do, in words
    QList<PromisedChange> promises;
    QString verifiedBy;              // device whose counters kept the promises (metadata `verified_by`)
    QString body;                    // Markdown below the front matter, lines end in \n
    QString license, compatibility;  // Agent Skills
    QString allowedTools;            // Agent Skills, as the text says it; never acted on
    QList<SkillField> otherFields;   // other keys beside name, …: values in YAML
    QList<SkillField> otherMetadata; // other keys in metadata: values as texts
    bool foreign = false;            // it has no metadata of ours, so no gate and no promises: somebody else's skill
    QString text;                    // the whole SKILL.md as it was read; empty when made by hand. Not in the JSON form
    QList<SkillDiagnostic> diagnostics; // notes and warnings of its reader. Not in the JSON form
    QString source;                     // file it was read from
    int revision = 1;
    SkillState state = SkillState::Active;
    QString stateReason;

    [[nodiscard]] QByteArray digest() const; // over what it says: not text's spelling, state, revision or source
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static Skill fromJson(const QJsonObject &object);
};

// Reads <folder>/SKILL.md: YAML front matter (name, description, license, metadata {…}) and Markdown. Errors name file
// and line. What is merely odd is read leniently and told in `diagnostics`.
[[nodiscard]] Result<Skill> readSkill(const QString &folder);
// The text it was read from as long as that says what the skill says, else a new one in strict form: every value of
// metadata is one text.
[[nodiscard]] QString writeSkillText(const Skill &skill);

} // namespace kernelskill
