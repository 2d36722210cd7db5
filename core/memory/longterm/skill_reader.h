// SPDX-License-Identifier: Apache-2.0
// SKILL.md as text. The folder form is readSkill in skill.h.
//
//   ---
//   name: shared-memory-tiling
//   description: What it does and when to use it.
//   license: Apache-2.0
//   metadata:
//     title: Shared-memory tiling
//     method: M8                       # left out by skills beyond the 24 methods
//     languages: cuda                  # "any": all
//     structures: S1; S3               # left out: all
//     gate: |                          # predicates over evidence fields; none may be false (also: requires)
//       reuse_possible
//     prohibits: |
//       Tiles that do not fit.
//     promises: |                      # metric: change — why
//       dram_throughput_pct: lower — Each element is read once a tile.
//     verified_by: H200                # device whose counters kept the promises
//   ---
//   Markdown
//
// This is the strict form, which we write: Agent Skills asks for texts in `metadata`, so a list is a text with one item
// a line, or one line with ';' between. Also read: YAML lists, promises as maps, a byte order mark, CRLF, spaces behind
// the dashes, unquoted values with ": " in them, keys we do not know. A skill without any metadata of ours is somebody
// else's: then even a bad name or a missing description is mended and told.
#pragma once

#include "memory/longterm/skill.h"

#include <optional>

namespace kernelskill {

inline constexpr qint64 maximumSkillTextBytes = 1 << 20;
// Grows when the same text is read as something else, so that stored readings are made anew.
inline constexpr int skillReaderVersion = 2;

struct SkillReading
{
    std::optional<Skill> skill;         // missing when there is an error
    QList<SkillDiagnostic> diagnostics; // all of them, by line
};

// `source` names the text in diagnostics. With `folderName` the name is compared with it, and stands in for a missing
// one.
[[nodiscard]] SkillReading examineSkillText(const QString &text, const QString &source, const QString &folderName = {});
// The same; the first error fails ("skill.syntax"), all errors are in its detail.
[[nodiscard]] Result<Skill> parseSkillText(const QString &text, const QString &source, const QString &folderName = {});

// "shared-memory-tiling" → "Shared memory tiling": what a skill without a title is called.
[[nodiscard]] QString titleFromName(const QString &name);

// UTF-8 with its byte order mark kept, so that toUtf8() gives the same bytes unless they were not UTF-8.
[[nodiscard]] QString decodeSkillText(const QByteArray &bytes);

} // namespace kernelskill
