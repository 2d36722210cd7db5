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
//     languages: [cuda]
//     structures: [S1, S3]             # left out: all
//     gate: ["reuse_possible"]         # predicates over evidence fields; none may be false (also: requires)
//     prohibits: ["Do not …"]
//     promises:
//       - {metric: dram_throughput_pct, change: lower, why: Each element is read once a tile.}
//   ---
//   Markdown
//
// Agent Skills asks for strings in `metadata`; so lists may also be strings, elements separated by ";", and a promise
// may be "metric: change — why".
#pragma once

#include "memory/longterm/skill.h"

namespace kernelskill {

// `source` names the text in errors. The name is not compared with a folder here.
[[nodiscard]] Result<Skill> parseSkillText(const QString &text, const QString &source);

} // namespace kernelskill
