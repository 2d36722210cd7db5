// SPDX-License-Identifier: Apache-2.0
// Tables of memory.db and how an older file becomes the newest.
#pragma once

#include "base/result.h"

#include <QSqlDatabase>

namespace kernelskill {

inline constexpr int skillStoreSchemaVersion = 2;

// Brings the file to skillStoreSchemaVersion, step by step, each step one transaction. "memory.newer" when a newer
// program wrote it: it is left as it is.
[[nodiscard]] Result<void> migrateSkillStore(const QSqlDatabase &database);

} // namespace kernelskill
