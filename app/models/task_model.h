// SPDX-License-Identifier: Apache-2.0
// Tasks and the sessions that worked on them. Filled from values a worker collected.
#pragma once

#include "evaluation/evaluation.h"
#include "models/tree_rows.h"

#include <QDateTime>

#include <optional>

namespace kernelskill {

struct TaskEntry
{
    QString name, title, folder;
    bool bundled = true;
};

struct SessionEntry
{
    QString path, name, task, taskFolder;
    QDateTime modified;
    std::optional<Speedup> best;
    QString verdict; // of the best node
    bool ended = true;
    bool replay = false; // plays another session again
};

// Folders with a task.json below `folder`, by name; for a worker thread.
[[nodiscard]] QList<TaskEntry> tasksBelow(const QString &folder);
// Session files in `folder`, newest first; unreadable ones are left out. For a worker thread.
[[nodiscard]] QList<SessionEntry> sessionsIn(const QString &folder);
[[nodiscard]] std::optional<SessionEntry> sessionEntry(const QString &path);

class TaskModel : public TreeRowsModel
{
    Q_OBJECT
public:
    enum Role {
        FolderRole = Qt::UserRole + 1, // task rows
        SessionRole,                   // session rows: path
        SecondLineRole,                // "9.8× [8.7, 11.0] mod."
        RunningRole,                   // bool
        CountRole,                     // sessions of a task
        EndedRole,
    };
    explicit TaskModel(QObject *parent = nullptr);

    // `openPath`: the session in the window; `running`: whether a run writes to it now; `openText` replaces its second
    // line.
    void setContents(QList<TaskEntry> tasks, QList<SessionEntry> sessions);
    void setOpenSession(const QString &path, const QString &name, const QString &taskFolder, const QString &taskName,
                        const QString &secondLine, bool running);
    [[nodiscard]] const QList<TaskEntry> &tasks() const { return m_tasks; }
    [[nodiscard]] const QList<SessionEntry> &sessions() const { return m_sessions; }

private:
    void rebuild();
    QList<TaskEntry> m_tasks;
    QList<SessionEntry> m_sessions;
    QString m_openPath, m_openName, m_openFolder, m_openTask, m_openText;
    bool m_running = false;
};

} // namespace kernelskill
