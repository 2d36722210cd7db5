// SPDX-License-Identifier: Apache-2.0
// What `kernelskill skills` can do, an action a function. Each prints its result and returns the exit code.
#pragma once

#include "command.h"

#include "memory/longterm/skill_store.h"

#include <QJsonArray>

namespace kernelskill::cli::skill_actions {

struct Request
{
    QStringList arguments; // after the action
    QString state, search, reason, file;
    std::optional<int> revision;
    bool diff = false, json = false;

    [[nodiscard]] QString name() const { return arguments.value(0); }
};

// show.cpp
int list(SkillStore &store, const Request &request);
int show(SkillStore &store, const Request &request);
int history(SkillStore &store, const Request &request);
// provenance.cpp
int ledger(SkillStore &store, const Request &request);
int provenance(SkillStore &store, const Request &request);
int freeze(SkillStore &store, const Request &request);
// change.cpp
int pin(SkillStore &store, const Request &request);
int unpin(SkillStore &store, const Request &request);
int reject(SkillStore &store, const Request &request);
int accept(SkillStore &store, const Request &request);
int restore(SkillStore &store, const Request &request);
int undo(SkillStore &store, const Request &request);
int edit(SkillStore &store, const Request &request);
// interchange.cpp
int importFrom(SkillStore &store, const Request &request);
int exportTo(SkillStore &store, const Request &request);
// check.cpp; opens the memory itself, for a folder is checked without one
int check(const QString &memory, const Request &request);

// Shared.
[[nodiscard]] QString person(); // who changes are noted for
[[nodiscard]] QJsonObject toJson(const LedgerEntry &entry);
// "@@ -1,4 +1,5 @@" and lines, with three lines around each change.
[[nodiscard]] QStringList unifiedDiff(const LineDiff &diff);

} // namespace kernelskill::cli::skill_actions
