// SPDX-License-Identifier: Apache-2.0
// An invented memory beside the invented session: skills of every state, uses on two GPUs, revisions, drafts that wait.
#pragma once

#include "base/result.h"

#include <QString>

namespace kernelskill {

// The shipped skills at `memory`; those the session at `session` used have its nodes in their ledger.
[[nodiscard]] Result<void> writeExampleMemory(const QString &memory, const QString &session);

} // namespace kernelskill
