// SPDX-License-Identifier: Apache-2.0
// A run and the window go separate ways: closing while it runs, and watching one that runs elsewhere.
#include "shell/main_window.h"

#include "memory/skill_detail.h"
#include "memory/skills_panel.h"
#include "models/recording_player.h"
#include "models/session_follower.h"
#include "shell/banner.h"

#include <QCloseEvent>
#include <QCoreApplication>
#include <QProcess>
#include <QSettings>
#include <QSplitter>
#include <QStandardPaths>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

// A role that a person plays asks in a window.
bool needsAPerson(const QJsonObject &settings)
{
    if (settings["agent"_L1].toString() == "manual"_L1) return true;
    for (const QJsonValue &agent : settings["cast"_L1].toObject())
        if (agent.toString() == "manual"_L1) return true;
    return settings["step_mode"_L1].toBool();
}

// Beside this program, else in PATH; empty when nowhere.
QString commandLineProgram()
{
    const QString own = QStandardPaths::findExecutable(u"kernelskill"_s, {QCoreApplication::applicationDirPath()});
    return own.isEmpty() ? QStandardPaths::findExecutable(u"kernelskill"_s) : own;
}

} // namespace

void MainWindow::connectFollowing()
{
    // What this window shows of its own accord does not come from the file.
    const auto pause = [this] { m_follower->setPaused(m_run->isActive() || m_player->isActive()); };
    connect(m_player, &RecordingPlayer::changed, this, pause);
    connect(m_run, &RunController::stateChanged, this, [this, pause] {
        pause();
        if (!m_run->isActive()) m_closeAsked = false;
        if (m_leaving && !m_run->isActive()) goOnWithoutWindow();
    });
    connect(m_follower, &SessionFollower::followed, this, [this] { m_stateTimer->start(); });
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (m_run->isActive() && !m_closeAsked) {
        m_closeAsked = true;
        askBeforeClosing();
        event->ignore();
        return;
    }
    m_settings->setValue(u"window/geometry"_s, saveGeometry());
    m_settings->setValue(u"memory/unsaved"_s, m_skills->detail()->keptEdits());
    m_settings->setValue(u"perspectives/%1/docks"_s.arg(m_perspective), saveState());
    m_settings->setValue(u"perspectives/%1/centre"_s.arg(m_perspective), m_centre->saveState());
    QMainWindow::closeEvent(event);
}

void MainWindow::askBeforeClosing()
{
    const QString text = tr("A run is under way. Close again to stop it; it can be resumed later.");
    if (needsAPerson(m_document->trajectory().settings) || commandLineProgram().isEmpty()) {
        m_banner->show(Banner::Severity::Info, text);
        return;
    }
    m_banner->show(Banner::Severity::Info, text, {}, tr("Let it go on without the window"), [this] {
        m_leaving = true;
        m_banner->show(Banner::Severity::Info, tr("The run goes on by itself as soon as its step is over; open its session again to watch it."));
        m_run->stop();
    });
}

// The session is closed here: the command line takes it up where it was stopped.
void MainWindow::goOnWithoutWindow()
{
    m_leaving = false;
    QProcess program;
    program.setProgram(commandLineProgram());
    program.setArguments({u"session"_s, u"resume"_s, m_document->path()});
    program.setStandardInputFile(QProcess::nullDevice());
    program.setStandardOutputFile(QProcess::nullDevice());
    program.setStandardErrorFile(QProcess::nullDevice());
    if (!program.startDetached()) {
        m_closeAsked = false;
        m_banner->show(Banner::Severity::Error,
                       tr("%1 cannot be started, so the run was stopped; it can be resumed here.").arg(commandLineProgram()));
        return;
    }
    close();
}

} // namespace kernelskill
