// SPDX-License-Identifier: Apache-2.0
// Recorded sessions: played again through the engine, or shown event by event.
#include "shell/main_window.h"

#include "engine/replay.h"
#include "models/recording_player.h"
#include "shell/banner.h"
#include "tasks/replay_panel.h"
#include "tasks/start_panel.h"
#include "tasks/task_panel.h"

#include <QFutureWatcher>
#include <QtConcurrentRun>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

// With the task as it was: from its folder where that is still the same, else from the session's own copy.
Result<std::pair<RunSettings, SessionTask>> readReplay(const QString &path, const QString &speed)
{
    auto settings = replaySettings(path, speed);
    if (!settings) return std::unexpected(settings.error());
    auto file = SessionFile::open(path, true);
    if (!file) return std::unexpected(file.error());
    auto events = file->events();
    if (!events) return std::unexpected(events.error());
    auto task = taskOf(*file, Trajectory::fold(*events));
    if (!task) return std::unexpected(task.error());
    settings->taskFolder = task->task.folder;
    return std::pair(*settings, *task);
}

} // namespace

namespace {

QString whileARunGoes()
{
    return MainWindow::tr("A run is under way; stop it before a recording is played.");
}

} // namespace

void MainWindow::connectReplay()
{
    connect(m_replayAction, &QAction::triggered, this, [this] { askForReplay(m_document->path()); });
    connect(m_showAction, &QAction::triggered, this, [this] { playRecording(m_document->path()); });
    connect(m_showPlay, &QAction::triggered, this, [this] { m_player->isPlaying() ? m_player->pause() : m_player->play(); });
    connect(m_showStep, &QAction::triggered, m_player, &RecordingPlayer::step);
    connect(m_showEnd, &QAction::triggered, m_player, &RecordingPlayer::end);
    connect(m_replay, &ReplayPanel::startRequested, this, &MainWindow::startReplay);
    connect(m_tasks, &TaskPanel::replayWanted, this, &MainWindow::askForReplay);
    connect(m_tasks, &TaskPanel::showWanted, this, &MainWindow::playRecording);
    connect(m_player, &RecordingPlayer::changed, this, [this] { m_stateTimer->start(); });
}

void MainWindow::askForReplay(const QString &path)
{
    if (path.isEmpty()) {
        m_banner->show(Banner::Severity::Info, tr("Open a session first: its agents' steps can be played again."));
        return;
    }
    if (refusesWhileRunning(whileARunGoes())) return;
    m_start->hide();
    if (m_replay->session() != path) m_replay->setStopsAtPlans(m_perspective == "Teach"_L1);
    m_replay->setSession(path);
}

// The record is read in a worker; then it is a run as any other, with another agent.
void MainWindow::startReplay()
{
    if (refusesWhileRunning(whileARunGoes())) return;
    using Read = Result<std::pair<RunSettings, SessionTask>>;
    auto *watcher = new QFutureWatcher<Read>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher] {
        watcher->deleteLater();
        const Read read = watcher->result();
        if (!read) {
            m_banner->show(read.error());
            return;
        }
        RunSettings settings = read->first;
        settings.stepMode = m_replay->stopsAtPlans();
        if (!isUsable(settings.evaluator, settings.device)) {
            const QStringList chosen = chosenEvaluator();
            settings.evaluator = chosen.value(0);
            settings.device = chosen.value(1);
        }
        m_replay->hide();
        m_replayedTask = read->second.restored; // until another replay: the run reads it
        begin(settings, newSessionPath(read->second.task.name, tr(" replay")));
    });
    watcher->setFuture(QtConcurrent::run(readReplay, m_replay->session(), m_replay->speed()));
}

// Whether an evaluator is there with this device; an empty device is whatever it has.
bool MainWindow::isUsable(const QString &evaluator, const QString &device) const
{
    for (const DeviceInfo &found : m_run->facts().devices.value(evaluator)) {
        if (found.usable && (device.isEmpty() || found.id == device)) return true;
    }
    return false;
}

void MainWindow::playRecording(const QString &path)
{
    if (path.isEmpty()) {
        m_banner->show(Banner::Severity::Info, tr("Open a session first: what happened in it can be shown again."));
        return;
    }
    if (refusesWhileRunning(whileARunGoes())) return;
    m_start->hide();
    m_replay->hide();
    const int generation = ++m_loadGeneration;
    m_loading = true;
    auto *watcher = new QFutureWatcher<Result<SessionContents>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, generation] {
        watcher->deleteLater();
        if (generation != m_loadGeneration) return;
        m_loading = false;
        auto contents = watcher->result();
        if (!contents) {
            m_banner->show(contents.error());
            return;
        }
        m_banner->hide();
        m_player->begin(std::move(*contents));
        m_selection->setFollow(true);
        m_player->play();
    });
    watcher->setFuture(QtConcurrent::run(readSession, path));
}

} // namespace kernelskill
