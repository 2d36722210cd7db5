// SPDX-License-Identifier: Apache-2.0
// What a session copies into its file at its start: the task, and the memory it ranks with. Later changes elsewhere do
// not reach a run.
#pragma once

#include "engine/journal.h"
#include "engine/run_settings.h"
#include "memory/longterm/skill_store.h"
#include "retrieval/policy.h"
#include "retrieval/ranking.h"
#include "task/task.h"

#include <QTemporaryDir>

#include <memory>

namespace kernelskill {

struct MemorySnapshot
{
    Policy policy;
    QList<Skill> skills; // by name
    QStringList problems; // why something else serves than what a person wrote
    RankingStatistics statistics;

    // Reads policy.yaml and the skills of `store` (of the shipped folder when null). Frozen: rows of the task under
    // test do not count. Off: skills are names only and there are no statistics.
    [[nodiscard]] static Result<MemorySnapshot> take(const RunSettings &settings, const SkillStore *store,
                                                     const QString &taskName);
    // Data of memory.snapshot; its blobs go into the same transaction.
    [[nodiscard]] Result<QJsonObject> store(Journal &journal) const;
    [[nodiscard]] static Result<MemorySnapshot> load(const Journal &journal);
    [[nodiscard]] const Skill *skill(const QString &name) const;
};

// The text files of a task's folder.
[[nodiscard]] QJsonObject taskFiles(const Task &task);

// A task as its session holds it. Read from its folder when that is still what it was, else from the session's copy,
// which is written to a folder that lives as long as this object.
struct SessionTask
{
    Task task;
    std::shared_ptr<QTemporaryDir> restored;
};
[[nodiscard]] Result<SessionTask> taskOf(const SessionFile &file, const Trajectory &trajectory);

} // namespace kernelskill
