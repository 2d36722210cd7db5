// SPDX-License-Identifier: Apache-2.0
// Menus, tool bar, perspectives and search of the window.
#include "shell/main_window.h"

#include "agents/agent_settings_panel.h"
#include "base/paths.h"
#include "diff/diff_panel.h"
#include "memory/skills_panel.h"
#include "models/node_text.h"
#include "models/repair_folds.h"
#include "settings/numbers.h"
#include "settings/icons.h"
#include "settings/theme.h"
#include "evidence/row_view.h"
#include "shell/node_actions.h"
#include "shell/palette_line.h"
#include "shell/tab_panel.h"
#include "tasks/start_panel.h"
#include "tasks/task_panel.h"
#include "trajectory/trajectory_panel.h"
#include "transcript/transcript_panel.h"
#include "transcript/usage_strip.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QToolBar>
#include <QToolButton>

using namespace Qt::StringLiterals;

namespace kernelskill {

void MainWindow::buildMenus()
{
    menuBar()->setFixedHeight(themeSize("menuBar"));
    QMenu *file = menuBar()->addMenu(tr("&File"));
    m_newRun = new QAction(themedIcon(u"plus"_s), tr("New run"), this);
    m_newRun->setShortcut(QKeySequence::New);
    connect(m_newRun, &QAction::triggered, this, [this] {
        if (const QString folder = m_tasks->currentTaskFolder(); !folder.isEmpty()) m_start->setTaskFolder(folder);
        m_start->show();
    });
    file->addAction(m_newRun);
    file->addAction(tr("&Open session…"), QKeySequence::Open, this, &MainWindow::openDialog);
    file->addAction(tr("Open &task folder…"), this, &MainWindow::openTaskDialog);
    m_recent = file->addMenu(tr("&Recent"));
    connect(m_recent, &QMenu::aboutToShow, this, &MainWindow::updateRecentFiles);
    file->addSeparator();
    file->addAction(tr("Save a &copy as…"), QKeySequence::SaveAs, this, &MainWindow::saveCopy);
    file->addSeparator();
    file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);

    QMenu *edit = menuBar()->addMenu(tr("&Edit"));
    edit->addAction(tr("&Search or do anything"), QKeySequence(u"Ctrl+K"_s), this, [this] { m_search->open(); });
    edit->addAction(tr("Copy &facts of the node"), QKeySequence(u"Ctrl+Shift+C"_s), this, &MainWindow::copyNodeLink);

    QMenu *view = menuBar()->addMenu(tr("&View"));
    view->addAction(tr("Zoom &in"), QKeySequence::ZoomIn, this, [this] { m_trajectory->view()->zoomBy(1.25); });
    view->addAction(tr("Zoom &out"), QKeySequence::ZoomOut, this, [this] { m_trajectory->view()->zoomBy(0.8); });
    view->addAction(tr("&Fit trajectory"), QKeySequence(u"Ctrl+0"_s), this, [this] { m_trajectory->view()->fit(); });
    view->addAction(tr("&Show failed repairs"), this, [this] { m_trajectory->folds()->setAllOpen(true); });
    view->addAction(tr("F&old failed repairs"), this, [this] { m_trajectory->folds()->setAllOpen(false); });
    view->addAction(tr("&Maximise diff"), QKeySequence(u"F11"_s), this, &MainWindow::toggleMaximisedDiff);
    view->addAction(tr("&Transcript of the node"), QKeySequence(u"Ctrl+T"_s), this, &MainWindow::showTranscript);
    view->addAction(tr("&Calls to models by role"), this, [this] {
        showTranscript();
        m_transcript->usage()->setUnfolded(true);
    });
    view->addSeparator();
    view->addAction(tr("&Next change"), QKeySequence(u"F8"_s), this,
                    [this] { m_diff->view()->goToHunk(m_diff->view()->currentHunk() + 1); });
    view->addAction(tr("&Previous change"), QKeySequence(u"Shift+F8"_s), this,
                    [this] { m_diff->view()->goToHunk(m_diff->view()->currentHunk() - 1); });

    buildRunMenu();
    buildNodeMenu();

    m_skills->actions()->fill(menuBar()->addMenu(tr("&Skills")));

    QMenu *window = menuBar()->addMenu(tr("&Window"));
    for (QDockWidget *dock : {m_leftDock, m_bottomDock, m_rightDock})
        window->addAction(dock->toggleViewAction());
    window->addSeparator();
    QMenu *theming = window->addMenu(tr("&Theme"));
    auto *modes = new QActionGroup(this);
    for (const auto &[text, mode] :
         {std::pair(tr("As the &desktop"), ThemeMode::System), std::pair(tr("&Light"), ThemeMode::Light),
          std::pair(tr("&Dark"), ThemeMode::Dark)}) {
        QAction *action = theming->addAction(text, this, [mode] { theme().setMode(mode); });
        action->setCheckable(true);
        action->setChecked(mode == m_options.theme);
        modes->addAction(action);
    }
    QMenu *help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&Doctor"), this, &MainWindow::showDoctor)->setToolTip(tr("What this machine has and lacks"));
    help->addAction(tr("&About"), this, [this] {
        QMessageBox::about(this, tr("KernelSkill Workbench"),
                           tr("Optimises GPU kernels with a team of agents and a memory of skills.\n\n"
                              "The workbench is free software under the GPL, version 3 or later; "
                              "its core, agents and evaluators are under the Apache licence 2.0."));
    });
}

void MainWindow::buildRunMenu()
{
    QMenu *run = menuBar()->addMenu(tr("&Run"));
    m_pause = new QAction(themedIcon(u"pause"_s), tr("Pause"), this);
    m_pause->setShortcut(QKeySequence(u"F6"_s));
    m_step = new QAction(themedIcon(u"step"_s), tr("Step"), this);
    m_step->setShortcut(QKeySequence(u"F10"_s));
    m_step->setToolTip(tr("One step of the loop, then pause (F10)"));
    m_stop = new QAction(themedIcon(u"stop"_s), tr("Stop"), this);
    m_stop->setShortcut(QKeySequence(u"Shift+F5"_s));
    m_resume = new QAction(themedIcon(u"play"_s), tr("Resume session"), this);
    m_resume->setShortcut(QKeySequence(u"F5"_s));
    run->addActions({m_newRun, m_resume, m_pause, m_step, m_stop});
    run->addSeparator();
    m_replayAction = run->addAction(themedIcon(u"replay"_s), tr("R&eplay this session…"));
    m_replayAction->setToolTip(tr("Its agents' steps again, judged anew"));
    m_showAction = run->addAction(tr("Play recor&ding"));
    m_showAction->setToolTip(tr("Shows what happened, event by event; nothing is evaluated"));
    run->addAction(tr("A&gent settings…"), this, [this] { showAgentSettings(); })->setToolTip(tr("Model, address, key and the like"));
    run->addAction(tr("&Cast by role…"), this, [this] {
        m_start->show();
        m_start->showCast(true);
    });
    run->addSeparator();
    m_showPlay = run->addAction(tr("Play or pause the recording"), QKeySequence(u"Ctrl+Space"_s));
    m_showStep = run->addAction(tr("Next step of the recording"), QKeySequence(u"Ctrl+Right"_s));
    m_showEnd = run->addAction(tr("End the recording's show"));
}

void MainWindow::buildNodeMenu()
{
    QMenu *node = menuBar()->addMenu(tr("&Node"));
    node->addAction(tr("Select &best"), this, [this] { m_selection->select(m_document->trajectory().best); });
    node->addAction(tr("Select b&ase"), this, [this] { m_selection->select(m_document->trajectory().base); });
    node->addAction(tr("Compare with &baseline"), this, [this] { m_selection->compareWith(0); });
    node->addAction(tr("Compare with &parent"), this, [this] { m_selection->compareWith(-1); });
    node->addAction(tr("Compare side by si&de"), QKeySequence(u"Ctrl+Shift+D"_s), this, &MainWindow::compareChosen)
        ->setToolTip(tr("The marked nodes (Shift and a click), else baseline, A, B and best"));
    node->addAction(tr("Mar&k for a comparison"), QKeySequence(u"Ctrl+M"_s), this, [this] { m_selection->toggleMark(m_selection->selected()); });
    node->addAction(tr("Clear the marks"), this, [this] { m_selection->clearMarks(); });
    node->addAction(tr("&Edit code…"), QKeySequence(u"Ctrl+E"_s), this, [this] { editNode(m_selection->selected()); });
    node->addAction(tr("&Name node…"), QKeySequence(u"F2"_s), this,
                    [this] { m_nodeActions->editNote(m_selection->selected()); });
    QMenu *more = node->addMenu(tr("&With the selected node"));
    connect(more, &QMenu::aboutToShow, this, [this, more] {
        more->clear();
        m_nodeActions->fill(more, m_selection->selected());
    });
}

void MainWindow::buildToolBar()
{
    auto *bar = new QToolBar(tr("Run"));
    bar->setObjectName(u"Run"_s);
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->setFixedHeight(themeSize("toolBar"));
    bar->setContentsMargins(theme().space(4), 0, theme().space(4), 0);
    addToolBar(bar);
    bar->addActions({m_newRun, m_pause, m_step, m_stop});
    bar->addSeparator();
    const auto addChooser = [&](const QString &name, QComboBox *box, const QString &tip) {
        auto *label = new QLabel(name);
        label->setForegroundRole(QPalette::PlaceholderText);
        label->setContentsMargins(theme().space(4), 0, theme().space(4), 0);
        bar->addWidget(label);
        box->setToolTip(tip);
        box->setAccessibleName(name);
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        bar->addWidget(box);
        auto *gap = new QWidget;
        gap->setFixedWidth(theme().space(6));
        bar->addWidget(gap);
    };
    m_cast = new QComboBox;
    m_cast->addItem(u"expert"_s, u"expert"_s);
    m_evaluator = new QComboBox;
    m_evaluator->addItem(u"simulator"_s, QStringList{u"simulator"_s, QString()});
    m_memory = new QComboBox;
    for (const auto &[text, mode] : {std::pair(tr("learning"), LongTerm::Learning),
                                     std::pair(tr("frozen"), LongTerm::Frozen), std::pair(tr("off"), LongTerm::Off)})
        m_memory->addItem(text, int(mode));
    addChooser(tr("Cast"), m_cast, tr("Who plays the roles in the next run"));
    addChooser(tr("Evaluator"), m_evaluator, tr("What judges and times candidates in the next run"));
    addChooser(tr("Memory"), m_memory, tr("Whether the next run ranks with the long-term memory, and adds to it"));
    auto *stretch = new QWidget;
    stretch->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(stretch);

    m_search = new PaletteLine;
    m_search->setFixedWidth(themeSize("rightDock") - theme().space(8));
    m_search->setSource([this] { return paletteEntries(); });
    bar->addWidget(m_search);
}

void MainWindow::buildPerspectiveButtons()
{
    auto *corner = new QWidget;
    corner->setFixedHeight(themeSize("menuBar"));
    auto *layout = new QHBoxLayout(corner);
    layout->setContentsMargins(0, 0, theme().space(8), 0);
    layout->setSpacing(0);
    auto *label = new QLabel(tr("Perspective"));
    label->setForegroundRole(QPalette::PlaceholderText);
    layout->addWidget(label);
    layout->addSpacing(theme().space(8));
    m_perspectives = new QActionGroup(this);
    const QStringList names{u"Tune"_s, u"Teach"_s, u"Review"_s};
    for (const QString &name : names) {
        auto *action = new QAction(name, this);
        action->setCheckable(true);
        action->setData(name);
        action->setShortcut(QKeySequence(u"Ctrl+%1"_s.arg(names.indexOf(name) + 1)));
        m_perspectives->addAction(action);
        auto *button = new QToolButton;
        button->setDefaultAction(action);
        button->setProperty("segment", name == names.first()  ? u"first"_s
                                       : name == names.last() ? u"last"_s
                                                              : u"middle"_s);
        button->setFocusPolicy(Qt::TabFocus);
        button->setFixedSize(54, 22);
        layout->addWidget(button);
        connect(action, &QAction::triggered, this, [this, name] { setPerspective(name); });
    }
    menuBar()->setCornerWidget(corner);
}

void MainWindow::showFacts()
{
    const QString cast = m_cast->currentData().toString();
    const QStringList evaluator = m_evaluator->currentData().toStringList();
    m_cast->clear();
    m_evaluator->clear();
    QStringList agents;
    for (const PluginInfo &plugin : m_run->facts().plugins) {
        const bool usable = plugin.state == PluginState::Found || plugin.state == PluginState::Loaded;
        if (!usable) continue; // doctor says why
        if (plugin.kind == "agent"_L1) agents.append(plugin.id);
        if (plugin.kind == "evaluator"_L1) {
            for (const DeviceInfo &device : m_run->facts().devices.value(plugin.id)) {
                if (device.usable)
                    m_evaluator->addItem(u"%1 · %2"_s.arg(plugin.id, device.title.isEmpty() ? device.id : device.title),
                                         QStringList{plugin.id, device.id});
            }
        }
    }
    agents.removeAll(u"replay"_s); // needs a session: "Replay this session"
    for (const QString &agent : std::as_const(agents)) {
        m_cast->addItem(agent == "manual"_L1 ? tr("you, in every role") : agent, agent);
        if (agent == "manual"_L1 || !agents.contains(u"manual"_s)) continue;
        m_cast->addItem(tr("%1, you plan").arg(agent), agent + u";planner=manual"_s);
        m_cast->addItem(tr("%1, you write the code").arg(agent), agent + u";optimizer=manual,repairer=manual"_s);
    }
    if (m_cast->count() == 0) m_cast->addItem(tr("no agent found"), QString());
    if (m_evaluator->count() == 0) m_evaluator->addItem(tr("no evaluator found"), QStringList{QString(), QString()});
    m_start->setAgents(m_run->facts().plugins);
    m_agentSettings->setAgents(m_run->facts().plugins);
    m_cast->setCurrentIndex(std::max({0, m_cast->findData(cast), m_cast->findData(u"expert"_s)}));
    for (int i = 0; i < m_evaluator->count(); ++i) {
        const QStringList entry = m_evaluator->itemData(i).toStringList();
        if (entry.value(0) == evaluator.value(0) && (evaluator.value(1).isEmpty() || entry == evaluator)) {
            m_evaluator->setCurrentIndex(i);
            break;
        }
    }
}

void MainWindow::showTranscript()
{
    m_rightDock->show();
    m_rightTabs->setCurrentPage(m_transcript);
    m_transcript->rows()->setFocus();
}

void MainWindow::copyNodeLink()
{
    if (const TrajectoryNode *node = m_document->node(m_selection->selected()))
        QApplication::clipboard()->setText(node_text::summary(*node, m_document->stageText(node->id)));
}

void MainWindow::openDialog()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open session"), paths::sessionsFolder(),
                                                      tr("Sessions (*.kss);;All files (*)"));
    if (!path.isEmpty()) openSession(path);
}

void MainWindow::openTaskDialog()
{
    const QString path =
        QFileDialog::getExistingDirectory(this, tr("Open task folder"), paths::resources() + u"/tasks"_s);
    if (!path.isEmpty()) openPath(path);
}

void MainWindow::updateRecentFiles()
{
    m_recent->clear();
    for (const QString &path : m_settings->value(u"recent/files"_s).toStringList()) {
        QAction *action =
            m_recent->addAction(QFileInfo(path).completeBaseName(), this, [this, path] { openPath(path); });
        action->setToolTip(path);
        action->setEnabled(QFileInfo::exists(path));
    }
    if (m_recent->isEmpty()) m_recent->addAction(tr("Nothing opened yet"))->setEnabled(false);
}

void MainWindow::rememberFile(const QString &path)
{
    QStringList files = m_settings->value(u"recent/files"_s).toStringList();
    files.removeAll(path);
    files.prepend(path);
    m_settings->setValue(u"recent/files"_s, files.mid(0, 12));
}

} // namespace kernelskill
