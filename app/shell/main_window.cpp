// SPDX-License-Identifier: Apache-2.0
// Construction of the window: what stands where. Actions: main_window_actions.cpp. Sessions and runs:
// main_window_session.cpp.
#include "shell/main_window.h"

#include "agents/agent_settings_panel.h"
#include "base/paths.h"
#include "charts/chart_pane.h"
#include "diff/compare_panel.h"
#include "diff/diff_panel.h"
#include "editor/edit_panel.h"
#include "evidence/node_panels.h"
#include "memory/skills_panel.h"
#include "models/recording_player.h"
#include "models/session_follower.h"
#include "settings/theme.h"
#include "shell/banner.h"
#include "shell/doctor_panel.h"
#include "shell/node_actions.h"
#include "shell/question_panel.h"
#include "shell/state_label.h"
#include "shell/tab_panel.h"
#include "tasks/player_bar.h"
#include "tasks/progress_panel.h"
#include "tasks/replay_panel.h"
#include "tasks/resume_panel.h"
#include "tasks/start_panel.h"
#include "tasks/task_panel.h"
#include "trajectory/trajectory_panel.h"
#include "transcript/log_panel.h"
#include "transcript/transcript_panel.h"

#include <QActionGroup>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

MainWindow::MainWindow(const CommandLine &options, QWidget *parent)
    : QMainWindow(parent), m_options(options), m_document(new SessionDocument(this)),
      m_selection(new NodeSelection(m_document, this)), m_run(new RunController(this)),
      m_settings(std::make_unique<QSettings>(paths::configFolder() + u"/workbench.ini"_s, QSettings::IniFormat)),
      m_clock(new QTimer(this)), m_stateTimer(new QTimer(this))
{
    setObjectName(u"MainWindow"_s);
    setAcceptDrops(true);
    setWindowIcon(QIcon(paths::resources() + u"/icons/kernelskill-workbench.svg"_s));
    buildCentre();
    buildDocks();
    buildMenus();
    buildToolBar();
    buildPerspectiveButtons();
    buildStatusBar();
    connectRun();
    connectPerson();
    connectFollowing();
    connectReplay();
    connectModels();

    const bool fixedSize = m_options.size.isValid() || !m_options.screenshot.isEmpty();
    resize(m_options.size.isValid() ? m_options.size : QSize(1600, 1000));
    if (!fixedSize) restoreGeometry(m_settings->value(u"window/geometry"_s).toByteArray());
    const QString wanted = !m_options.perspective.isEmpty() ? m_options.perspective
                           : fixedSize                      ? u"Tune"_s
                                       : m_settings->value(u"window/perspective"_s, u"Tune"_s).toString();
    setPerspective(wanted.left(1).toUpper() + wanted.mid(1).toLower());

    for (QWidget *page : {static_cast<QWidget *>(m_skills), static_cast<QWidget *>(m_why),
                          static_cast<QWidget *>(m_evidence), static_cast<QWidget *>(m_transcript),
                          static_cast<QWidget *>(m_log)}) {
        if (!m_options.panel.isEmpty() && page->objectName().compare(m_options.panel, Qt::CaseInsensitive) == 0)
            m_rightTabs->setCurrentPage(page);
    }

    m_skills->open(memoryPath());
    m_tasks->reload();
    m_clock->setInterval(1000);
    connect(m_clock, &QTimer::timeout, this, &MainWindow::showRunState);
    m_runPending = m_options.run;
    if (m_options.files.isEmpty()) {
        m_start->show();
    } else {
        for (const QString &file : std::as_const(m_options.files))
            openPath(file);
    }
    showSessionFacts();
    showRunState();
    m_trajectory->view()->setFocus();
}

MainWindow::~MainWindow()
{
    delete m_run; // before what its signals reach
}

void MainWindow::buildCentre()
{
    m_banner = new Banner;
    m_waiting = new Banner;
    m_resumePanel = new ResumePanel;
    m_question = new QuestionPanel;
    m_start = new StartPanel;
    m_start->hide();
    m_replay = new ReplayPanel;
    m_player = new RecordingPlayer(m_document, this);
    m_follower = new SessionFollower(m_document, this);
    m_playerBar = new PlayerBar(m_player);
    m_trajectory = new TrajectoryPanel(m_document, m_selection);
    m_diff = new DiffPanel(m_document, m_selection);
    m_centre = new QSplitter(Qt::Vertical);
    m_centre->addWidget(m_trajectory);
    m_edit = new EditPanel;
    m_code = new QStackedWidget;
    m_code->addWidget(m_diff);
    m_code->addWidget(m_edit);
    m_compare = new ComparePanel(m_document);
    m_code->addWidget(m_compare);
    connect(m_compare, &ComparePanel::closed, this, &MainWindow::leaveComparison);
    m_centre->addWidget(m_code);
    m_centre->setChildrenCollapsible(false);
    m_centre->setStretchFactor(0, 0);
    m_centre->setStretchFactor(1, 1);
    auto *centre = new QWidget;
    auto *layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (QWidget *widget :
         {static_cast<QWidget *>(m_banner), static_cast<QWidget *>(m_waiting), static_cast<QWidget *>(m_resumePanel),
          static_cast<QWidget *>(m_question), static_cast<QWidget *>(m_start),
          static_cast<QWidget *>(m_replay), static_cast<QWidget *>(m_playerBar)})
        layout->addWidget(widget);
    layout->addWidget(m_centre, 1);
    setCentralWidget(centre);
    connect(m_diff, &DiffPanel::maximiseRequested, this, &MainWindow::toggleMaximisedDiff);
    connect(m_start, &StartPanel::startRequested, this, &MainWindow::startRun);
}

QDockWidget *MainWindow::addDock(Qt::DockWidgetArea area, const QString &name, QWidget *content)
{
    auto *dock = new QDockWidget(name, this);
    dock->setObjectName(name);
    dock->setWidget(content);
    dock->setTitleBarWidget(new QWidget(dock)); // the panels have bars of their own
    dock->setFeatures(QDockWidget::DockWidgetClosable);
    addDockWidget(area, dock);
    return dock;
}

void MainWindow::buildDocks()
{
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);

    m_tasks = new TaskPanel;
    m_progress = new ProgressPanel;
    m_taskPage = new QWidget;
    auto *taskLayout = new QVBoxLayout(m_taskPage);
    taskLayout->setContentsMargins(0, 0, 0, 0);
    taskLayout->setSpacing(0);
    taskLayout->addWidget(m_tasks, 1);
    taskLayout->addWidget(m_progress);
    m_skills = new SkillsPanel(m_document, m_selection);
    m_why = new WhyPanel(m_document, m_selection, m_skills->model());
    m_evidence = new EvidencePanel(m_document, m_selection);
    m_log = new LogPanel(m_document);
    m_transcript = new TranscriptPanel(m_document, m_selection);
    m_doctor = new DoctorPanel(this);
    m_doctor->hide(); // a page when it is asked for
    m_doctor->setObjectName(u"Doctor"_s);
    m_agentSettings = new AgentSettingsPanel(this);
    m_agentSettings->hide(); // likewise
    m_agentSettings->setObjectName(u"Agents"_s);
    m_nodeActions = new NodeActions(m_document, m_selection, m_skills->model(), this);

    for (const auto &[page, name] :
         {std::pair<QWidget *, QString>(m_skills, u"Skills"_s), std::pair<QWidget *, QString>(m_why, u"Why"_s),
          std::pair<QWidget *, QString>(m_evidence, u"Evidence"_s),
          std::pair<QWidget *, QString>(m_transcript, u"Transcript"_s), std::pair<QWidget *, QString>(m_log, u"Log"_s)})
        page->setObjectName(name);
    m_leftTabs = new TabPanel;
    m_leftTabs->insertPage(0, tr("Tasks"), m_taskPage);
    m_rightTabs = new TabPanel;
    m_rightTabs->insertPage(0, tr("Skills"), m_skills);
    m_rightTabs->insertPage(1, tr("Why"), m_why);
    m_rightTabs->insertPage(2, tr("Evidence"), m_evidence);
    m_rightTabs->insertPage(3, tr("Transcript"), m_transcript);
    m_rightTabs->insertPage(4, tr("Log"), m_log);
    m_leftDock = addDock(Qt::LeftDockWidgetArea, tr("Tasks"), m_leftTabs);
    m_rightDock = addDock(Qt::RightDockWidgetArea, tr("Memory"), m_rightTabs);

    m_charts = new QSplitter(Qt::Horizontal);
    m_leftChart = new ChartPane(m_document, m_selection, 0);
    m_rightChart = new ChartPane(m_document, m_selection, 1);
    m_charts->addWidget(m_leftChart);
    m_charts->addWidget(m_rightChart);
    m_charts->setChildrenCollapsible(false);
    m_bottomTabs = new TabPanel; // while reviewing, the skill stands before the charts
    m_bottomTabs->insertPage(0, tr("Charts"), m_charts);
    m_bottomDock = addDock(Qt::BottomDockWidgetArea, tr("Charts"), m_bottomTabs);

    connect(m_tasks, &TaskPanel::newRunRequested, this, [this] { m_newRun->trigger(); });
    connect(m_tasks, &TaskPanel::sessionChosen, this, &MainWindow::openSession);
    connect(m_tasks, &TaskPanel::taskChosen, m_start, &StartPanel::setTaskFolder);
    connect(m_tasks, &TaskPanel::loaded, this, [this] {
        m_start->setTasks(m_tasks->model()->tasks());
        showSessionFacts();
        m_tasks->selectSession(m_document->path());
        if (m_runPending && m_document->isEmpty()) {
            m_runPending = false;
            startRun();
        }
    });
    connect(m_transcript, &TranscriptPanel::failed, this, [this](const Error &error) { m_banner->show(error); });
    connectSkills();
}

void MainWindow::buildStatusBar()
{
    QStatusBar *bar = statusBar();
    bar->setFixedHeight(themeSize("statusBar"));
    bar->setSizeGripEnabled(false);
    m_stateLabel = new StateLabel;
    m_stageBar = new QProgressBar;
    m_stageBar->setTextVisible(false);
    m_stageBar->setFixedSize(96, 8);
    const auto label = [] {
        auto *result = new QLabel;
        result->setContentsMargins(theme().space(6), 0, theme().space(6), 0);
        return result;
    };
    m_elapsedLabel = label();
    m_roundsLabel = label();
    m_moneyLabel = label();
    m_memoryLabel = label();
    m_evaluatorLabel = label();
    m_lineLabel = label();
    m_lineLabel->setForegroundRole(QPalette::PlaceholderText);
    bar->addWidget(m_stateLabel);
    bar->addWidget(m_stageBar);
    for (QLabel *widget : {m_elapsedLabel, m_roundsLabel, m_moneyLabel})
        bar->addWidget(widget);
    for (QLabel *widget : {m_memoryLabel, m_evaluatorLabel, m_lineLabel})
        bar->addPermanentWidget(widget);
    connect(m_diff->view(), &DiffView::currentLineChanged, this, [this] {
        const int line = m_diff->view()->currentLine();
        m_lineLabel->setText(line > 0 ? tr("Line %1").arg(line) : QString());
    });
}

void MainWindow::arrange(const QString &perspective)
{
    const bool review = perspective == "Review"_L1, teach = perspective == "Teach"_L1;
    // Skills stand left while reviewing, so that the reasons can stand right.
    TabPanel *skillsHome = review ? m_leftTabs : m_rightTabs;
    if (!skillsHome->contains(m_skills)) {
        (review ? m_rightTabs : m_leftTabs)->removePage(m_skills);
        skillsHome->insertPage(0, tr("Skills"), m_skills);
    }
    if (review) {
        m_skills->setDetailApart(true);
        m_bottomTabs->insertPage(0, tr("Skill"), m_skills->detail());
        m_bottomTabs->setCurrentPage(m_skills->detail());
    } else if (m_bottomTabs->contains(m_skills->detail())) {
        m_bottomTabs->removePage(m_skills->detail());
        m_skills->setDetailApart(false);
    }
    m_leftDock->setVisible(!teach);
    m_rightDock->show();
    m_bottomDock->setVisible(true);
    m_leftTabs->setCurrentPage(review ? static_cast<QWidget *>(m_skills) : m_taskPage);
    m_rightTabs->setCurrentPage(review || teach ? static_cast<QWidget *>(m_why) : m_skills);
    m_leftChart->setChartIndex(teach ? 2 : 0);
    m_rightChart->setChartIndex(teach ? 1 : review ? 2 : 1);
    resizeDocks({m_leftDock, m_rightDock},
                {review ? 344 : themeSize("leftDock"), teach    ? 380
                                                       : review ? 340
                                                                : themeSize("rightDock")},
                Qt::Horizontal);
    const int body = std::max(500, height() - themeSize("menuBar") - themeSize("toolBar") - themeSize("statusBar"));
    // A large window has room for the skill's tables below some lines of the diff; in a small one the diff needs its half.
    const int reviewed = body >= 800 ? 58 : 50;
    resizeDocks({m_bottomDock}, {body * (review ? reviewed : teach ? 22 : 25) / 100}, Qt::Vertical);
    const int strip = review ? std::max(152, body * 157 / 1000) : body * 285 / 1000;
    m_centre->setSizes({strip, body});
    m_charts->setSizes({500, 500});
}

void MainWindow::setPerspective(const QString &name)
{
    if (name == m_perspective) return;
    leaveComparison();
    setMaximised(false);
    if (!m_perspective.isEmpty()) {
        const Arrangement left{saveState(), m_centre->saveState(), m_charts->saveState()};
        m_arrangements.insert(m_perspective, left);
        m_settings->setValue(u"perspectives/%1/docks"_s.arg(m_perspective), left.docks);
        m_settings->setValue(u"perspectives/%1/centre"_s.arg(m_perspective), left.centre);
    }
    m_perspective = name;
    arrange(name);
    // As it was left here, else as it was left the last time, unless that was in a window of another size.
    Arrangement known = m_arrangements.value(name);
    const bool fixedSize = m_options.size.isValid() || !m_options.screenshot.isEmpty();
    if (known.docks.isEmpty() && !fixedSize) {
        known.docks = m_settings->value(u"perspectives/%1/docks"_s.arg(name)).toByteArray();
        known.centre = m_settings->value(u"perspectives/%1/centre"_s.arg(name)).toByteArray();
    }
    if (!known.docks.isEmpty()) {
        restoreState(known.docks);
        m_centre->restoreState(known.centre);
        m_charts->restoreState(known.charts);
    }
    for (QAction *action : m_perspectives->actions())
        action->setChecked(action->data().toString() == name);
    m_settings->setValue(u"window/perspective"_s, name);
}

void MainWindow::toggleMaximisedDiff()
{
    setMaximised(!m_diffMaximised);
}

void MainWindow::setMaximised(bool maximised)
{
    if (maximised == m_diffMaximised) return;
    m_diffMaximised = maximised;
    if (m_diffMaximised) {
        m_stateBeforeMaximise = saveState();
        for (QDockWidget *dock : {m_leftDock, m_rightDock, m_bottomDock})
            dock->hide();
        m_trajectory->hide();
    } else {
        m_trajectory->show();
        restoreState(m_stateBeforeMaximise);
    }
    m_diff->setMaximised(m_diffMaximised);
}

void MainWindow::compareNodes(const QList<int> &nodes)
{
    m_compare->showNodes(nodes);
    if (m_compare->model()->nodes().size() < 2) return;
    if (m_code->currentWidget() != m_compare) m_wasMaximised = m_diffMaximised;
    m_code->setCurrentWidget(m_compare);
    setMaximised(true);
    m_compare->view(0)->setFocus();
}

void MainWindow::compareChosen()
{
    QList<int> nodes = m_selection->marked();
    if (nodes.size() < 2) nodes = {0, m_selection->compared(), m_selection->selected(), m_document->trajectory().best};
    compareNodes(nodes);
}

// Back to what was there before.
void MainWindow::leaveComparison()
{
    if (m_code->currentWidget() != m_compare) return;
    m_code->setCurrentWidget(m_edit->isModified() ? static_cast<QWidget *>(m_edit) : m_diff);
    setMaximised(m_wasMaximised);
    m_trajectory->view()->setFocus();
}

void MainWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && m_diffMaximised) {
        toggleMaximisedDiff();
        return;
    }
    QMainWindow::keyPressEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (event->mimeData()->hasUrls() && event->mimeData()->urls().first().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    for (const QUrl &url : urls)
        openDropped(url.toLocalFile());
    event->acceptProposedAction();
}

} // namespace kernelskill
