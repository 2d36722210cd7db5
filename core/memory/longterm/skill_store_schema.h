// SPDX-License-Identifier: Apache-2.0
// Tables of memory.db and how an older file becomes the newest.
//
//   contents     bytes of texts and attachments, once each, by SHA-256
//   skills       name, current revision, state; what its folder on disk was when it was taken in
//   revisions    text (a content) with author and reason, and what the reader made of it
//   attachments  files of a revision's folder
//   changes      each change of revision or state with what was before: history, and what undo takes back
//   skill_text   full-text index over the current revisions
//   ledger       one row an application of a skill; sessions: where a session's file is
//   sums         the ledger's sums by skill, architecture, bottleneck, structure and kind of time; task_sums: also by
//                task; skill_sums: by skill and kind alone, for lists. All are kept in the transaction of each ledger
//                row. frozen_sums and frozen_task_sums: as they stood when frozen
#pragma once

#include "base/result.h"

#include <QSqlDatabase>

namespace kernelskill {

inline constexpr int skillStoreSchemaVersion = 4;

// Brings the file to skillStoreSchemaVersion, step by step, each step one transaction. "memory.newer" when a newer
// program wrote it, "memory.not_a_memory" when it is somebody else's database: it is left as it is.
[[nodiscard]] Result<void> migrateSkillStore(const QSqlDatabase &database);

} // namespace kernelskill
