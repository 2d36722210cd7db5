// SPDX-License-Identifier: Apache-2.0
// The skill memory in the window: what its panel says and asks for, and what is dropped onto the window.
#include "shell/main_window.h"

#include "base/paths.h"
#include "memory/skills_panel.h"
#include "session/session_file.h"
#include "shell/banner.h"
#include "shell/tab_panel.h"

#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QSettings>
#include <QtConcurrentRun>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

bool holdsSkills(const QString &path)
{
    const QFileInfo info(path);
    if (!info.isDir()) return info.fileName() == "SKILL.md"_L1;
    if (QFileInfo::exists(path + u"/SKILL.md"_s)) return true;
    const QDir folder(path);
    for (const QString &name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        if (QFileInfo::exists(folder.filePath(name + u"/SKILL.md"_s))) return true;
    }
    return false;
}

bool isArchive(const QString &path)
{
    for (const QString &end : {u".zip"_s, u".tar"_s, u".tar.gz"_s, u".tgz"_s}) {
        if (path.endsWith(end, Qt::CaseInsensitive)) return QFileInfo(path).isFile();
    }
    return false;
}

// A session that was moved within the sessions' folder is still found, by its id.
QString findSession(const QString &session)
{
    const QDir folder(paths::sessionsFolder());
    for (const QString &name : folder.entryList({u"*.kss"_s}, QDir::Files)) {
        const auto file = SessionFile::open(folder.filePath(name), true);
        if (file && file->id() == session) return folder.filePath(name);
    }
    return {};
}

} // namespace

void MainWindow::connectSkills()
{
    m_skills->detail()->restoreEdits(m_settings->value(u"memory/unsaved"_s).toMap());
    connect(m_skills, &SkillsPanel::failed, this, [this](const Error &error) { m_banner->show(error); });
    connect(m_skills, &SkillsPanel::said, this,
            [this](const QString &sentence) { m_banner->show(Banner::Severity::Info, sentence); });
    connect(m_skills, &SkillsPanel::stateChanged, m_run, &RunController::applySkillState);
    connect(m_skills, &SkillsPanel::textChanged, m_run, &RunController::applySkillText);
    connect(m_skills, &SkillsPanel::nodeWanted, this, &MainWindow::openNode);
    connect(m_skills, &SkillsPanel::shown, this, &MainWindow::showSkillsPage);
}

void MainWindow::showSkillsPage()
{
    const bool left = m_leftTabs->contains(m_skills);
    (left ? m_leftDock : m_rightDock)->show();
    (left ? m_leftTabs : m_rightTabs)->setCurrentPage(m_skills);
    if (!m_bottomTabs->contains(m_skills->detail())) return;
    m_bottomDock->show();
    m_bottomTabs->setCurrentPage(m_skills->detail());
}

// The session at that node: the one in the window, one that is opened, or one that has to be found first.
void MainWindow::openNode(const QString &sessionPath, const QString &session, int node)
{
    if (!sessionPath.isEmpty() && sessionPath == m_document->path()) {
        m_selection->select(node);
        return;
    }
    if (sessionPath.isEmpty() || !QFileInfo::exists(sessionPath)) {
        auto *watcher = new QFutureWatcher<QString>(this);
        connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, sessionPath, node] {
            watcher->deleteLater();
            if (const QString found = watcher->result(); !found.isEmpty())
                openNode(found, {}, node);
            else
                m_banner->show(Banner::Severity::Warning,
                               sessionPath.isEmpty()
                                   ? tr("The file of that session is not known, and it is not among the sessions here.")
                                   : tr("%1 is gone, and the session is not among the sessions here.").arg(sessionPath));
        });
        watcher->setFuture(QtConcurrent::run(findSession, session));
        return;
    }
    // Another one may be opened in between: then that one counts.
    connect(
        this, &MainWindow::sessionOpened, this,
        [this, sessionPath, node] {
            if (m_document->path() == sessionPath) m_selection->select(node);
        },
        Qt::SingleShotConnection);
    openSession(sessionPath);
}

void MainWindow::openDropped(const QString &path)
{
    const QFileInfo info(path);
    const bool isTask = info.isDir() && QFileInfo::exists(path + u"/task.json"_s);
    if (!isTask && (holdsSkills(path) || isArchive(path))) {
        m_skills->importFrom(info.fileName() == "SKILL.md"_L1 ? info.absolutePath() : info.absoluteFilePath());
        return;
    }
    if (info.isDir() && !isTask) {
        m_banner->show(Banner::Severity::Error,
                       tr("%1 holds neither a task.json, as a task does, nor a SKILL.md, as a skill does.").arg(path));
        return;
    }
    openPath(path);
}

} // namespace kernelskill
