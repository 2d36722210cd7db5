// SPDX-License-Identifier: Apache-2.0
#include "models/task_model.h"

#include "models/node_text.h"
#include "session/session_file.h"
#include "session/trajectory.h"
#include "settings/numbers.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

// Below its task a session need not repeat the task's name: "row_softmax 30 Nov 04-29" → "30 Nov 04:29".
QString shownName(const QString &name, const QString &task)
{
    if (!name.startsWith(task + u' ')) return name;
    static const QRegularExpression time(u"(\\d\\d)-(\\d\\d)(?=$| )"_s);
    return name.mid(task.size() + 1).replace(time, u"\\1:\\2"_s);
}

} // namespace

QList<TaskEntry> tasksBelow(const QString &folder)
{
    QList<TaskEntry> tasks;
    const QDir dir(folder);
    for (const QString &name : dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
        QFile file(dir.filePath(name + u"/task.json"_s));
        if (!file.open(QIODevice::ReadOnly)) continue;
        const QJsonObject task = QJsonDocument::fromJson(file.readAll()).object();
        tasks.append({task["name"_L1].toString(name), task["title"_L1].toString(), dir.absoluteFilePath(name), true});
    }
    return tasks;
}

std::optional<SessionEntry> sessionEntry(const QString &path)
{
    auto file = SessionFile::open(path, true);
    if (!file) return std::nullopt;
    const auto events = file->events();
    if (!events) return std::nullopt;
    const Trajectory trajectory = Trajectory::fold(*events);
    const QFileInfo info(path);
    SessionEntry entry{info.absoluteFilePath(),
                       info.completeBaseName(),
                       trajectory.taskName,
                       trajectory.taskFolder,
                       info.lastModified(),
                       std::nullopt,
                       {},
                       !trajectory.endedBy.isEmpty(),
                       !trajectory.recording.isEmpty()};
    if (const TrajectoryNode *best = trajectory.node(trajectory.best)) {
        entry.best = node_text::speedup(*best);
        entry.verdict = toString(best->state);
    }
    return entry;
}

QList<SessionEntry> sessionsIn(const QString &folder)
{
    QList<SessionEntry> sessions;
    const QDir dir(folder);
    for (const QString &name : dir.entryList({u"*.kss"_s}, QDir::Files, QDir::Time)) {
        if (auto entry = sessionEntry(dir.filePath(name))) sessions.append(*entry);
    }
    return sessions;
}

TaskModel::TaskModel(QObject *parent) : TreeRowsModel({tr("Task"), QString()}, {1}, parent) {}

void TaskModel::setContents(QList<TaskEntry> tasks, QList<SessionEntry> sessions)
{
    m_tasks = std::move(tasks);
    m_sessions = std::move(sessions);
    rebuild();
}

void TaskModel::setOpenSession(const QString &path, const QString &name, const QString &taskFolder,
                               const QString &taskName, const QString &secondLine, bool running)
{
    m_openPath = path;
    m_openName = name;
    m_openFolder = taskFolder;
    m_openTask = taskName;
    m_openText = secondLine;
    m_running = running;
    rebuild();
}

void TaskModel::rebuild()
{
    auto root = std::make_unique<TreeRow>();
    const auto belongs = [](const TaskEntry &task, const QString &name, const QString &folder) {
        return (!folder.isEmpty() && QDir(folder) == QDir(task.folder)) || (!name.isEmpty() && name == task.name);
    };
    QList<TaskEntry> tasks = m_tasks;
    const bool openKnown = m_openTask.isEmpty() || std::ranges::any_of(tasks, [&](const TaskEntry &task) {
                               return belongs(task, m_openTask, m_openFolder);
                           });
    if (!openKnown) tasks.append({m_openTask, {}, m_openFolder, false});
    for (const TaskEntry &task : std::as_const(tasks)) {
        TreeRow *row =
            root->add(task.folder, {task.name, QString()},
                      {{FolderRole, task.folder},
                       {Qt::ToolTipRole, task.title.isEmpty() ? task.folder : task.title + u'\n' + task.folder}});
        int count = 0;
        const auto add = [&](const QString &path, const QString &name, const QString &second, bool running,
                             bool ended) {
            row->add(path, {shownName(name, task.name), QString()},
                     {{SessionRole, path},
                      {SecondLineRole, second},
                      {RunningRole, running},
                      {EndedRole, ended},
                      {Qt::ToolTipRole, path}});
            ++count;
        };
        if (!m_openPath.isEmpty() && belongs(task, m_openTask, m_openFolder))
            add(m_openPath, m_openName, m_openText, m_running, !m_running);
        for (const SessionEntry &session : std::as_const(m_sessions)) {
            if (session.path == m_openPath || !belongs(task, session.task, session.taskFolder)) continue;
            const QString second = (session.replay ? u"replay · "_s : QString()) +
                                   (session.best ? numbers::speedupValue(session.best->value) + u' ' +
                                                       numbers::bounds(session.best->interval) + u' ' +
                                                       numbers::kindShort(session.best->kind)
                                                 : u"no speedup"_s);
            add(session.path, session.name, second, false, session.ended);
        }
        row->cells[1] = count > 0 ? QString::number(count) : QString();
        row->data.insert(CountRole, count);
    }
    setRows(std::move(root));
}

} // namespace kernelskill
