// SPDX-License-Identifier: Apache-2.0
// What the search line finds: every action of the menus, then what is open, then what could be opened.
#include "shell/main_window.h"

#include "memory/skills_panel.h"
#include "models/node_text.h"
#include "models/task_model.h"
#include "shell/palette_line.h"
#include "shell/tab_panel.h"
#include "tasks/start_panel.h"
#include "tasks/task_panel.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>
#include <QMenuBar>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

QString plain(QString text)
{
    return text.remove(u'&').remove(u'…').trimmed();
}

void collectActions(const QString &path, const QList<QAction *> &actions, QList<PaletteEntry> &entries)
{
    for (QAction *action : actions) {
        if (action->isSeparator() || !action->isVisible()) continue;
        const QString name = path.isEmpty() ? plain(action->text()) : path + u": "_s + plain(action->text());
        if (QMenu *menu = action->menu()) {
            Q_EMIT menu->aboutToShow(); // menus that are made when they are needed
            collectActions(plain(menu->title()), menu->actions(), entries);
        } else {
            entries.append({name, action->shortcut().toString(QKeySequence::NativeText), MainWindow::tr("Action"),
                            action->isEnabled(), [action] { action->trigger(); }});
        }
    }
}

} // namespace

QList<PaletteEntry> MainWindow::paletteEntries()
{
    QList<PaletteEntry> entries;
    for (QAction *top : menuBar()->actions()) {
        if (QMenu *menu = top->menu()) {
            Q_EMIT menu->aboutToShow();
            collectActions({}, menu->actions(), entries);
        }
    }
    for (QAction *action : m_perspectives->actions())
        entries.append({tr("Perspective: %1").arg(action->text()), action->shortcut().toString(QKeySequence::NativeText), tr("Action"),
                        true, [action] { action->trigger(); }});
    for (const TrajectoryNode &node : m_document->trajectory().nodes) {
        const QString name = node.note.isEmpty() ? node_text::title(node) : node.note + u" – "_s + node_text::title(node);
        entries.append({u"%1 %2"_s.arg(node.id).arg(name), node_text::headline(node), tr("Node"), true,
                        [this, id = node.id] { m_selection->select(id); }});
    }
    for (const Skill &skill : m_skills->model()->skills())
        entries.append({skill.title.isEmpty() ? skill.name : skill.title, (skill.method + u' ' + toString(skill.state)).trimmed(), tr("Skill"), true,
                        [this, name = skill.name] { showSkill(name); }});
    for (const TaskEntry &task : m_tasks->model()->tasks())
        entries.append({task.title.isEmpty() ? task.name : task.title, task.name, tr("Task"), true, [this, folder = task.folder] {
                            m_start->setTaskFolder(folder);
                            m_start->show();
                        }});
    for (const SessionEntry &session : m_tasks->model()->sessions())
        entries.append({session.name, session.task, tr("Session"), true, [this, path = session.path] { openSession(path); }});
    return entries;
}

void MainWindow::showSkill(const QString &name)
{
    showSkillsPage();
    m_skills->selectSkill(name);
}

} // namespace kernelskill
