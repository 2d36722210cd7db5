// SPDX-License-Identifier: Apache-2.0
// What the window has to do with language models: settings of agents, waits for a provider, ends that can be resumed.
#include "shell/main_window.h"

#include "agents/agent_settings_panel.h"
#include "models/limits.h"
#include "plugin/plugin_settings.h"
#include "shell/banner.h"
#include "shell/question_panel.h"
#include "shell/tab_panel.h"
#include "tasks/limit_field.h"
#include "tasks/resume_panel.h"
#include "tasks/start_panel.h"
#include "trajectory/trajectory_panel.h"
#include "transcript/log_panel.h"

#include <QApplication>
#include <QComboBox>
#include <QDateTime>
#include <QDockWidget>
#include <QPushButton>
#include <QStackedWidget>
#include <QTimer>

using namespace Qt::StringLiterals;

namespace kernelskill {

void MainWindow::connectModels()
{
    connect(m_start, &StartPanel::agentSettingsWanted, this, [this] { showAgentSettings(); });
    connect(m_resumePanel, &ResumePanel::agentSettingsWanted, this, [this] { showAgentSettings(); });
    connect(m_resumePanel, &ResumePanel::resumeWanted, this, &MainWindow::resumeRun);
    connect(m_agentSettings, &AgentSettingsPanel::choicesWanted, m_run, &RunController::listChoices);
    connect(m_agentSettings, &AgentSettingsPanel::saved, this, [this](const QString &agent) { m_agentsSaved.append(agent); });
    connect(m_run, &RunController::choicesListed, m_agentSettings, &AgentSettingsPanel::showChoices);
    connect(m_run, &RunController::stateChanged, this, [this] {
        if (!m_run->isActive()) return;
        m_resumePanel->hide();
        m_agentsSaved.clear();
    });
    connect(m_question, &QuestionPanel::answered, this, [this] {
        if (m_code->currentIndex() == 0) m_trajectory->view()->setFocus(); // and does not fall to whatever comes next
    });
    connect(m_document, &SessionDocument::reset, m_resumePanel, &QWidget::hide); // of the session before
}

// A page of the right dock from the first time on.
void MainWindow::showAgentSettings(const QString &agent)
{
    if (!m_rightTabs->contains(m_agentSettings)) m_rightTabs->insertPage(5, tr("Agents"), m_agentSettings);
    m_rightDock->show();
    m_rightTabs->setCurrentPage(m_agentSettings);
    const QString wanted = agent.isEmpty() ? m_cast->currentData().toString().section(u';', 0, 0) : agent;
    m_agentSettings->showAgent(wanted);
    m_agentSettings->setFocus();
}

void MainWindow::resumeRun()
{
    if (m_run->isActive() || m_document->path().isEmpty()) return;
    const auto limit = limits::thatEnded(m_document->trajectory().endedBy);
    const bool mustRaise = limit && *limit != limits::Limit::Time;
    if (mustRaise && m_resumePanel->isHidden()) { // without a larger limit it would end at once
        offerResume();
        m_resumePanel->field()->setFocus();
        return;
    }
    if (!m_resumePanel->isHidden() && !m_resumePanel->resumeButton()->isEnabled()) {
        m_resumePanel->field()->setFocus();
        return;
    }
    Changes changes;
    if (!m_resumePanel->isHidden()) changes.budget = m_resumePanel->budget();
    changes.agentSettings = changedAgentSettings();
    m_banner->hide();
    m_run->resume(m_document->path(), memoryPath(), changes);
    m_selection->setFollow(true);
}

// What a session was begun with goes before what is stored; so what a person changed since has to be said.
QMap<QString, QJsonObject> MainWindow::changedAgentSettings() const
{
    QMap<QString, QJsonObject> changed;
    const QJsonObject ofSession = m_document->trajectory().settings["agent_settings"_L1].toObject();
    for (const QString &agent : m_agentsSaved) {
        const QJsonObject begun = ofSession[agent].toObject(), stored = storedSettings(u"agent"_s, agent);
        for (auto setting = begun.begin(); setting != begun.end(); ++setting) {
            const QString now = settingText(stored[setting.key()]);
            if (!now.isEmpty() && now != settingText(*setting)) changed[agent].insert(setting.key(), now);
        }
    }
    return changed;
}

void MainWindow::offerResume()
{
    if (m_run->isActive() || m_document->isEmpty()) {
        m_resumePanel->hide();
        return;
    }
    m_resumePanel->offer(m_document->trajectory());
}

// Counts down by the window's clock and goes away when the time is over.
void MainWindow::showWaiting()
{
    const auto &waiting = m_document->trajectory().waiting;
    const qint64 now_ms = QDateTime::currentMSecsSinceEpoch();
    const bool waits = waiting && m_run->isActive() && m_run->state() != RunState::Stopping && waiting->until_ms > now_ms;
    if (!waits) {
        m_waiting->hide();
        return;
    }
    if (m_waiting->isHidden() && m_waitingShown_ms == waiting->until_ms) return; // dismissed
    m_waitingShown_ms = waiting->until_ms;
    const qint64 left_s = (waiting->until_ms - now_ms + 999) / 1000;
    const QString until = QDateTime::fromMSecsSinceEpoch(waiting->until_ms).toString(u"HH:mm:ss"_s);
    m_waiting->show(Banner::Severity::Info,
                    tr("Waits until %1 (%2:%3): %4 — everything so far is saved")
                        .arg(until).arg(left_s / 60).arg(left_s % 60, 2, 10, QLatin1Char('0')).arg(waiting->why),
                    {}, tr("Stop"), [this] { m_run->stop(); });
}

void MainWindow::showFailure(const Error &error)
{
    m_question->hide();
    if (error.code.startsWith("settings."_L1))
        m_banner->show(Banner::Severity::Error, u"%1 (%2)"_s.arg(error.message, error.code), error.detail, tr("Agent settings…"),
                       [this] { showAgentSettings(); });
    else
        m_banner->show(error);
    m_log->note(error.message);
    if (m_document->isEmpty()) // nothing came of it: the start stays at hand
        m_start->show();
    offerResume();
}

} // namespace kernelskill
