// SPDX-License-Identifier: Apache-2.0
// Sessions and runs: opening, starting, what title, bars and panels say of them.
#include "shell/main_window.h"

#include "base/paths.h"
#include "diff/diff_panel.h"
#include "memory/skills_panel.h"
#include "models/limits.h"
#include "models/node_text.h"
#include "models/recording_player.h"
#include "models/round_progress.h"
#include "models/session_follower.h"
#include "settings/icons.h"
#include "settings/numbers.h"
#include "settings/theme.h"
#include "shell/banner.h"
#include "shell/question_panel.h"
#include "shell/state_label.h"
#include "tasks/progress_panel.h"
#include "tasks/replay_panel.h"
#include "tasks/start_panel.h"
#include "tasks/task_panel.h"
#include "trajectory/trajectory_panel.h"
#include "transcript/log_panel.h"

#include <QApplication>
#include <QComboBox>
#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>
#include <QtConcurrentRun>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

// Ends that more time, money or the person's word can undo.
bool canResume(const Trajectory &trajectory)
{
    static const QStringList open{QString(), u"person"_s, u"time"_s, u"money"_s, u"tokens"_s,
                                  u"calls"_s, u"provider"_s, u"error"_s};
    return open.contains(trajectory.endedBy);
}

QString endSentence(const Trajectory &trajectory)
{
    const QString &by = trajectory.endedBy;
    if (by.isEmpty()) return MainWindow::tr("Not ended: can be resumed");
    if (by == "rounds"_L1) return MainWindow::tr("Ended after %1 rounds").arg(trajectory.lastRound());
    if (by == "person"_L1) return MainWindow::tr("Stopped by you: can be resumed");
    if (by == "exhausted"_L1) return MainWindow::tr("Ended: nothing allowed is left to try");
    if (by == "plateau"_L1) return MainWindow::tr("Ended: no new best for several rounds");
    if (by == "roofline"_L1) return MainWindow::tr("Ended: near enough to the roofline");
    if (by == "recording"_L1) return MainWindow::tr("Ended: %1").arg(trajectory.endMessage);
    if (by == "error"_L1) return MainWindow::tr("Ended by an error: can be resumed");
    if (by == "provider"_L1) return MainWindow::tr("Ended: the provider takes no calls; can be resumed");
    return MainWindow::tr("Ended: no %1 left; can be resumed").arg(by);
}

} // namespace

bool MainWindow::refusesWhileRunning(const QString &sentence)
{
    if (!m_run->isActive()) return false;
    m_banner->show(Banner::Severity::Info, sentence, {}, tr("Stop"), [this] {
        m_run->stop();
        m_banner->hide();
    });
    return true;
}

void MainWindow::connectRun()
{
    connect(m_run, &RunController::factsFound, this, &MainWindow::showFacts);
    connect(m_run, &RunController::eventHappened, this,
            [this](const Event &event, const QHash<QString, QByteArray> &blobs) {
                m_player->end(); // a show is over when something happens
                m_document->apply(event, blobs);
                if (event.kind == "node.evaluated"_L1) m_skills->reload();
            });
    connect(m_run, &RunController::progressed, m_document, &SessionDocument::setStage);
    connect(m_run, &RunController::asked, m_question, &QuestionPanel::ask);
    connect(m_question, &QuestionPanel::answered, m_run, &RunController::answer);
    connect(m_run, &RunController::stateChanged, this, [this] {
        if (m_run->isActive())
            m_clock->start();
        else
            m_clock->stop();
        showRunState();
        showSessionFacts();
    });
    connect(m_run, &RunController::ended, this, [this](const QString &by, const QString &message) {
        m_question->hide();
        m_skills->reload();
        m_tasks->reload();
        if (by == "error"_L1)
            m_banner->show(Banner::Severity::Error, message);
        else if (!isActiveWindow())
            QApplication::alert(this);
        offerResume();
        if (m_options.select >= 0) m_selection->select(m_options.select);
    });
    connect(m_run, &RunController::failed, this, &MainWindow::showFailure);
    connect(m_pause, &QAction::triggered, m_run, &RunController::togglePause);
    connect(m_step, &QAction::triggered, m_run, &RunController::step);
    connect(m_stop, &QAction::triggered, m_run, &RunController::stop);
    connect(m_resume, &QAction::triggered, this, &MainWindow::resumeRun);
    // Many events come in one burst; bars and title are written once for it.
    m_stateTimer->setSingleShot(true);
    m_stateTimer->setInterval(0);
    connect(m_stateTimer, &QTimer::timeout, this, [this] {
        showRunState();
        showSessionFacts();
    });
    const auto later = [this] { m_stateTimer->start(); };
    connect(m_document, &SessionDocument::nodesChanged, this, later);
    connect(m_document, &SessionDocument::stageChanged, this, later);
    connect(m_document, &SessionDocument::roundsChanged, this, later);
}

QString MainWindow::memoryPath() const
{
    return paths::dataFolder() + u"/memory.db"_s;
}

QString MainWindow::newSessionPath(const QString &taskFolder, const QString &suffix) const
{
    const QDir folder(paths::sessionsFolder());
    folder.mkpath(u"."_s);
    const QString stem = QDir(taskFolder).dirName() + QDateTime::currentDateTime().toString(u" d MMM HH-mm"_s) + suffix;
    QString path = folder.filePath(stem + u".kss"_s);
    for (int number = 2; QFileInfo::exists(path); ++number)
        path = folder.filePath(u"%1 (%2).kss"_s.arg(stem).arg(number));
    return path;
}

QStringList MainWindow::chosenEvaluator() const
{
    return m_evaluator->currentData().toStringList();
}

RunSettings MainWindow::chosenSettings() const
{
    RunSettings settings;
    m_start->fill(settings);
    // "AGENT", or "AGENT;role=agent,…"
    const QMap<Role, QString> byRole = settings.cast; // goes before the tool bar's
    const QString cast = m_cast->currentData().toString();
    if (const QString agent = cast.section(u';', 0, 0); !agent.isEmpty()) settings.agent = agent;
    for (const QString &pair : cast.section(u';', 1).split(u',', Qt::SkipEmptyParts)) {
        if (const auto role = roleFromString(pair.section(u'=', 0, 0))) settings.cast[*role] = pair.section(u'=', 1);
    }
    settings.cast.insert(byRole);
    const QStringList evaluator = chosenEvaluator();
    if (!evaluator.value(0).isEmpty()) {
        settings.evaluator = evaluator.value(0);
        settings.device = evaluator.value(1);
    }
    settings.longTerm = LongTerm(m_memory->currentData().toInt());
    return settings;
}

void MainWindow::startRun()
{
    const RunSettings settings = chosenSettings();
    if (settings.taskFolder.isEmpty()) {
        m_banner->show(Banner::Severity::Warning, tr("There is no task to run: open a task folder first."));
        return;
    }
    if (refusesWhileRunning(tr("A run is under way; stop it before you start another."))) return;
    if (const QString wrong = m_start->mistake(); !wrong.isEmpty()) {
        m_banner->show(Banner::Severity::Warning, wrong);
        return;
    }
    begin(settings, newSessionPath(settings.taskFolder));
}

void MainWindow::begin(const RunSettings &settings, const QString &path)
{
    m_banner->hide();
    m_start->hide();
    m_replay->hide();
    m_player->forget();
    ++m_loadGeneration; // a file still being read is no longer wanted
    m_loading = false;
    m_document->clear();
    m_document->setPath(path);
    m_selection->setFollow(true);
    rememberFile(path);
    m_run->start(settings, path, memoryPath());
}

void MainWindow::openPath(const QString &path)
{
    const QFileInfo info(path);
    if (!info.exists()) {
        m_banner->show(Banner::Severity::Error, tr("%1 does not exist.").arg(path));
        return;
    }
    const QString folder = info.isDir()                        ? info.absoluteFilePath()
                           : info.fileName() == "task.json"_L1 ? info.absolutePath()
                                                               : QString();
    if (info.isFile() && info.suffix() == "cu"_L1) {
        openCode(path);
        return;
    }
    if (folder.isEmpty()) {
        openSession(info.absoluteFilePath());
        return;
    }
    if (!QFileInfo::exists(folder + u"/task.json"_s)) {
        m_banner->show(Banner::Severity::Error, tr("%1 holds no task.json, so it is no task folder.").arg(folder));
        return;
    }
    m_tasks->addTaskFolder(folder);
    m_start->setTaskFolder(folder);
    m_start->show();
}

void MainWindow::openSession(const QString &path)
{
    if (path == m_document->path() && !m_document->isEmpty()) {
        m_player->end();
        return;
    }
    if (refusesWhileRunning(tr("A run is under way; stop it before you open another session."))) return;
    const int generation = ++m_loadGeneration;
    m_loading = true;
    auto *watcher = new QFutureWatcher<Result<SessionContents>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, generation, path] {
        watcher->deleteLater();
        if (generation != m_loadGeneration) return;
        m_loading = false;
        const auto contents = watcher->result();
        if (!contents) {
            m_banner->show(contents.error());
            return;
        }
        m_start->hide();
        m_player->forget();
        m_document->setContents(*contents);
        if (contents->damage)
            m_banner->show(Banner::Severity::Warning,
                           contents->damage->message + tr(". What can be read is shown; the file is left as it is."));
        rememberFile(path);
        if (m_options.select >= 0) m_selection->select(m_options.select);
        m_tasks->selectSession(path);
        showSessionFacts();
        showRunState();
        offerResume();
        if (m_runPending) {
            m_runPending = false;
            if (canResume(m_document->trajectory())) m_resume->trigger();
        }
        Q_EMIT sessionOpened();
    });
    watcher->setFuture(QtConcurrent::run(readSession, path));
}

void MainWindow::saveCopy()
{
    if (m_document->path().isEmpty() || m_document->isEmpty()) {
        m_banner->show(Banner::Severity::Info, tr("There is no session to copy yet. Sessions are saved as they run."));
        return;
    }
    const QString target = QFileDialog::getSaveFileName(
        this, tr("Save a copy"), QFileInfo(m_document->path()).fileName(), tr("Sessions (*.kss)"));
    if (target.isEmpty()) return;
    QFile::remove(target); // the dialog asked
    if (!QFile::copy(m_document->path(), target))
        m_banner->show(Banner::Severity::Error, tr("The copy cannot be written to %1.").arg(target));
}

QString MainWindow::taskFacts() const
{
    const Trajectory &trajectory = m_document->trajectory();
    if (trajectory.taskName.isEmpty()) return {};
    QJsonObject task = QJsonDocument::fromJson(m_document->blob(trajectory.taskBlob)).object();
    if (!task.contains("sizes"_L1)) {
        QFile file(trajectory.taskFolder + u"/task.json"_s);
        if (file.open(QIODevice::ReadOnly)) task = QJsonDocument::fromJson(file.readAll()).object();
    }
    QStringList facts{trajectory.taskName};
    QStringList dtypes;
    for (const QJsonValue &parameter : task["parameters"_L1].toArray()) {
        const QString dtype = parameter["dtype"_L1].toString();
        if (parameter["kind"_L1].toString() == "tensor"_L1 && !dtypes.contains(dtype)) dtypes.append(dtype);
    }
    if (!dtypes.isEmpty()) facts.append(dtypes.join(u", "_s));
    // Sizes in the order in which shapes name them; a JSON object forgets its own.
    QStringList names;
    for (const QJsonValue &parameter : task["parameters"_L1].toArray()) {
        for (const QJsonValue &extent : parameter["shape"_L1].toArray()) {
            if (const QString name = extent.toString(); !names.contains(name)) names.append(name);
        }
    }
    const auto sizeText = [&names](const QJsonObject &sizes) {
        QStringList keys = sizes.keys(), values;
        std::ranges::stable_sort(keys, {}, [&](const QString &key) { return size_t(names.indexOf(key)); });
        for (const QString &key : std::as_const(keys))
            values.append(u"%1 %2"_s.arg(key, numbers::fixed(sizes[key].toDouble(), 0)));
        return values.join(u" × "_s);
    };
    const QJsonValue time = task["sizes"_L1]["time"_L1];
    if (time.isObject()) facts.append(sizeText(time.toObject()));
    for (const QJsonValue &entry : time.toArray())
        facts.append(sizeText(entry["size"_L1].toObject()));
    return facts.join(u" · "_s);
}

void MainWindow::showSessionFacts()
{
    const Trajectory &trajectory = m_document->trajectory();
    const QString recorded = QFileInfo(trajectory.recording["path"_L1].toString()).completeBaseName();
    m_trajectory->setFacts(taskFacts() + (recorded.isEmpty() ? QString() : tr(" · replay of %1").arg(recorded)));
    QString second;
    if (const TrajectoryNode *best = m_document->node(trajectory.best)) {
        if (const auto speedup = node_text::speedup(*best))
            second = numbers::speedupValue(speedup->value) + u' ' + numbers::bounds(speedup->interval) + u' ' +
                     numbers::kindShort(speedup->kind);
    }
    if (second.isEmpty() && m_run->isActive()) second = tr("starting");
    if (!recorded.isEmpty()) second.prepend(tr("replay · "));
    const bool any = !m_document->path().isEmpty() && (!trajectory.taskName.isEmpty() || m_run->isActive());
    m_tasks->model()->setOpenSession(
        any ? m_document->path() : QString(), QFileInfo(m_document->path()).completeBaseName(),
        trajectory.taskFolder.isEmpty() && m_run->isActive() ? m_start->taskFolder() : trajectory.taskFolder,
        trajectory.taskName, second, m_run->isActive());
    if (m_run->isActive()) m_tasks->selectSession(m_document->path());

    const int planned = trajectory.settings["rounds"_L1].toInt();
    QList<BudgetLine> budget;
    if (!m_document->isEmpty()) {
        if (planned > 0)
            budget.append({tr("Rounds"), tr("%1 of %2").arg(trajectory.lastRound()).arg(planned),
                           double(trajectory.lastRound()) / planned});
        double seconds = m_run->elapsed_s();
        if (!m_run->isActive() && m_document->events().size() > 1)
            seconds = double(m_document->events().last().time_ms - m_document->events().first().time_ms) / 1000;
        for (const limits::Use &use : limits::uses(trajectory, seconds))
            budget.append({use.title, use.text, use.share});
    }
    m_progress->setProgress(roundProgress(*m_document, m_run->isActive()), budget);
}

void MainWindow::enableRunActions()
{
    const Trajectory &trajectory = m_document->trajectory();
    const RunState state = m_run->state();
    const bool active = m_run->isActive(), shown = m_player->isActive();
    m_pause->setEnabled(state == RunState::Running || state == RunState::Paused || state == RunState::Pausing);
    const bool paused = state == RunState::Paused || state == RunState::Pausing;
    m_pause->setText(paused ? tr("Continue") : tr("Pause"));
    m_pause->setIcon(themedIcon(paused ? u"play"_s : u"pause"_s));
    m_step->setEnabled(active && state != RunState::Starting && state != RunState::Stopping);
    m_stop->setEnabled(active && state != RunState::Stopping);
    const bool elsewhere = trajectory.endedBy.isEmpty() && m_follower->isWorkedOnElsewhere();
    m_resume->setEnabled(!active && !shown && !elsewhere && !m_document->isEmpty() && canResume(trajectory));
    for (QAction *action : {m_replayAction, m_showAction})
        action->setEnabled(!active && !m_document->isEmpty());
    for (QAction *action : {m_showPlay, m_showStep, m_showEnd})
        action->setEnabled(shown);
    m_newRun->setEnabled(!active);
}

void MainWindow::showRunState()
{
    const Trajectory &trajectory = m_document->trajectory();
    const RunState state = m_run->state();
    const bool active = m_run->isActive();
    m_trajectory->view()->setLive(active);
    const int round = trajectory.lastRound(), planned = trajectory.settings["rounds"_L1].toInt();
    QString stage;
    for (const TrajectoryNode &node : trajectory.nodes) {
        if (node.state == NodeState::Running) stage = m_document->stageText(node.id);
    }
    if (const QString told = m_document->roleText(); active && !told.isEmpty()) stage = told;
    if (const auto &waiting = trajectory.waiting; active && waiting && waiting->until_ms > QDateTime::currentMSecsSinceEpoch())
        stage = tr("waits until %1").arg(QDateTime::fromMSecsSinceEpoch(waiting->until_ms).toString(u"HH:mm:ss"_s));
    enableRunActions();
    showWaiting();

    QString words;
    switch (state) {
    case RunState::Idle:
        words = m_player->isActive()    ? tr("Recording, %1 of %2 events").arg(m_player->position()).arg(m_player->count())
                : m_document->isEmpty() ? tr("Ready")
                : trajectory.endedBy.isEmpty() && m_follower->isWorkedOnElsewhere() ? tr("Round %1, run by another program").arg(round)
                                        : endSentence(trajectory);
        break;
    case RunState::Starting:
        words = tr("Starting");
        break;
    case RunState::Running:
        words = tr("Round %1").arg(round) + (stage.isEmpty() ? QString() : u" · "_s + stage);
        break;
    case RunState::Pausing:
        words = tr("Pausing after this step");
        break;
    case RunState::Paused:
        words = tr("Paused in round %1").arg(round);
        break;
    case RunState::Stopping:
        words = tr("Stopping");
        break;
    }
    m_stateLabel->setState(active                ? std::optional(NodeState::Running)
                           : trajectory.best > 0 ? std::optional(NodeState::Verified)
                                                 : std::nullopt,
                           words);
    m_stageBar->setVisible(active && m_document->stageTotal() > 0);
    m_stageBar->setRange(0, std::max(1, m_document->stageTotal()));
    m_stageBar->setValue(m_document->stageDone());
    m_elapsedLabel->setText(active ? numbers::elapsed_s(m_run->elapsed_s()) : QString());
    m_roundsLabel->setText(planned > 0 ? tr("%1 of %2 rounds").arg(round).arg(planned) : QString());
    m_moneyLabel->setText(limits::modelsLine(trajectory));
    m_memoryLabel->setText(
        m_document->isEmpty()
            ? QString()
            : tr("memory %1").arg(trajectory.settings["long_term"_L1].toString(m_memory->currentText())));
    const QString evaluator = trajectory.settings["evaluator"_L1].toString();
    const Evaluation *baseline = m_document->evaluation(0);
    m_evaluatorLabel->setText(
        evaluator.isEmpty()
            ? QString()
            : evaluator + (m_document->deviceId().isEmpty() ? QString() : u" · "_s + m_document->deviceId()) +
                  (baseline ? u" · "_s + toString(baseline->kind) : QString()));
    showTitle(stage);
}

// The task, what plays it, and where it stands.
void MainWindow::showTitle(const QString &stage)
{
    const Trajectory &trajectory = m_document->trajectory();
    const bool active = m_run->isActive();
    const int round = trajectory.lastRound(), planned = trajectory.settings["rounds"_L1].toInt();
    QStringList title;
    if (!trajectory.taskName.isEmpty()) {
        title.append(trajectory.taskName);
        if (const QString of = QFileInfo(trajectory.recording["path"_L1].toString()).completeBaseName(); !of.isEmpty())
            title.append(tr("replay of %1").arg(of));
        if (m_player->isActive()) title.append(tr("recording"));
        if (active) {
            title.append(planned > 0 ? tr("round %1 of %2").arg(round).arg(planned) : tr("round %1").arg(round));
            if (!stage.isEmpty()) title.append(stage);
            title.append(numbers::elapsed_s(m_run->elapsed_s()));
            if (trajectory.cost_usd > 0) title.append(numbers::money(trajectory.cost_usd));
        } else {
            title.append(QFileInfo(m_document->path()).completeBaseName());
        }
    }
    setWindowTitle(title.isEmpty() ? tr("KernelSkill Workbench") : title.join(u" · "_s));
}

bool MainWindow::isSettled() const
{
    const Trajectory &trajectory = m_document->trajectory();
    const bool runShown = m_run->isActive() && m_options.atRound >= 0 && trajectory.lastRound() >= m_options.atRound &&
                          !trajectory.nodes.isEmpty() && trajectory.nodes.last().state == NodeState::Running &&
                          m_document->stageTotal() > 0;
    return !m_loading && (!m_run->isActive() || runShown) && !m_runPending && m_tasks->isLoaded() &&
           m_diff->view()->isSettled() && m_skills->isSettled();
}

} // namespace kernelskill
