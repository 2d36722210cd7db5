// SPDX-License-Identifier: Apache-2.0
// The one window: docks around trajectory and diff, the run's controls, and what connects them.
#pragma once

#include "base/result.h"
#include "models/session_document.h"
#include "shell/command_line.h"
#include "shell/run_controller.h"

#include <QMainWindow>

class QActionGroup;
class QComboBox;
class QDockWidget;
class QLabel;
class QProgressBar;
class QSettings;
class QSplitter;
class QStackedWidget;
class QTemporaryDir;
class QTimer;

namespace kernelskill {

class AgentSettingsPanel;
class Banner;
class ChartPane;
class ComparePanel;
class DiffPanel;
class DoctorPanel;
class EditPanel;
class EvidencePanel;
class LogPanel;
class NodeActions;
class PaletteLine;
struct PaletteEntry;
class ProgressPanel;
class PlayerBar;
class QuestionPanel;
class RecordingPlayer;
class ReplayPanel;
class ResumePanel;
class SessionFollower;
class SkillsPanel;
class StartPanel;
class TabPanel;
class TaskPanel;
class TrajectoryPanel;
class TranscriptPanel;
class WhyPanel;
class StateLabel;

class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    explicit MainWindow(const CommandLine &options, QWidget *parent = nullptr);
    ~MainWindow() override;

    void openPath(const QString &path); // a session file or a task folder
    void openSession(const QString &path);
    void setPerspective(const QString &name);
    [[nodiscard]] QString perspective() const { return m_perspective; }
    // Nothing is being read, compared, coloured or run.
    [[nodiscard]] bool isSettled() const;
    void startRun();
    void askForReplay(const QString &path);  // of a recorded session, through the engine
    void startReplay();                      // of the one that was asked for
    void playRecording(const QString &path); // a show, event by event

    [[nodiscard]] SessionDocument *document() const { return m_document; }
    [[nodiscard]] NodeSelection *selection() const { return m_selection; }
    [[nodiscard]] TrajectoryPanel *trajectoryPanel() const { return m_trajectory; }
    [[nodiscard]] DiffPanel *diffPanel() const { return m_diff; }
    [[nodiscard]] EditPanel *editPanel() const { return m_edit; }
    [[nodiscard]] QuestionPanel *questionPanel() const { return m_question; }
    [[nodiscard]] NodeActions *nodeActions() const { return m_nodeActions; }
    [[nodiscard]] PaletteLine *paletteLine() const { return m_search; }
    [[nodiscard]] RunController *runController() const { return m_run; }
    [[nodiscard]] ReplayPanel *replayPanel() const { return m_replay; }
    [[nodiscard]] RecordingPlayer *player() const { return m_player; }
    [[nodiscard]] TranscriptPanel *transcriptPanel() const { return m_transcript; }
    [[nodiscard]] ComparePanel *comparePanel() const { return m_compare; }
    void compareNodes(const QList<int> &nodes); // side by side, in the whole window
    [[nodiscard]] SkillsPanel *skillsPanel() const { return m_skills; }
    [[nodiscard]] StartPanel *startPanel() const { return m_start; }
    [[nodiscard]] ResumePanel *resumePanel() const { return m_resumePanel; }
    [[nodiscard]] Banner *waitingBanner() const { return m_waiting; }
    [[nodiscard]] AgentSettingsPanel *agentSettings() const { return m_agentSettings; }
    void showAgentSettings(const QString &agent = {}); // of the cast where none is named
    void editNode(int node); // a candidate of the person's own, made from it

Q_SIGNALS:
    void sessionOpened();

protected:
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void buildCentre();
    void buildDocks();
    void buildMenus();
    void buildRunMenu();
    void buildNodeMenu();
    void buildToolBar();
    void buildPerspectiveButtons();
    void buildStatusBar();
    void connectRun();
    void connectPerson();
    void connectFollowing();
    void askBeforeClosing();
    void goOnWithoutWindow();
    void openCode(const QString &path); // own code, from the selected node
    void connectReplay();
    void connectModels();
    void resumeRun();    // with what the panel raised
    [[nodiscard]] QMap<QString, QJsonObject> changedAgentSettings() const;
    void offerResume();  // after an end at a limit or for want of a provider
    void showWaiting();  // while a provider takes no calls
    void showFailure(const Error &error);
    void begin(const RunSettings &settings, const QString &path);
    [[nodiscard]] bool refusesWhileRunning(const QString &sentence); // says so, with a way to stop the run
    [[nodiscard]] bool isUsable(const QString &evaluator, const QString &device) const;
    [[nodiscard]] QStringList chosenEvaluator() const; // its id and its device
    void showTranscript();
    QDockWidget *addDock(Qt::DockWidgetArea area, const QString &name, QWidget *content);

    void editForQuestion(const Question &question);
    void submitEdit(const Candidate &candidate);
    void leaveEditor();
    void propose(const Proposal &proposal);
    void forkFrom(int node);
    void showSkill(const QString &name);
    void showSkillsPage();
    void connectSkills();
    void openNode(const QString &sessionPath, const QString &session, int node);
    void openDropped(const QString &path);
    void showDoctor();
    void showRunState();
    void enableRunActions();
    void showTitle(const QString &stage);
    void showSessionFacts();
    void showFacts(); // evaluators and agents the engine found
    void updateRecentFiles();
    void rememberFile(const QString &path);
    void toggleMaximisedDiff();
    void setMaximised(bool maximised);
    void leaveComparison();
    void compareChosen(); // the marked nodes, else what is looked at
    void arrange(const QString &perspective);
    [[nodiscard]] QList<PaletteEntry> paletteEntries();
    void openDialog();
    void openTaskDialog();
    void saveCopy();
    void copyNodeLink();
    [[nodiscard]] RunSettings chosenSettings() const;
    [[nodiscard]] QString newSessionPath(const QString &taskFolder, const QString &suffix = {}) const;
    [[nodiscard]] QString memoryPath() const;
    [[nodiscard]] QString taskFacts() const;

    CommandLine m_options;
    SessionDocument *m_document;
    NodeSelection *m_selection;
    RunController *m_run;
    std::unique_ptr<QSettings> m_settings;

    Banner *m_banner, *m_waiting;
    ResumePanel *m_resumePanel;
    AgentSettingsPanel *m_agentSettings;
    QStringList m_agentsSaved; // whose settings were changed since a run began
    qint64 m_waitingShown_ms = 0; // until when: a banner that was dismissed does not come back
    QuestionPanel *m_question;
    StartPanel *m_start;
    ReplayPanel *m_replay;
    std::shared_ptr<QTemporaryDir> m_replayedTask; // of a recording whose task is gone or has changed
    RecordingPlayer *m_player;
    PlayerBar *m_playerBar;
    TrajectoryPanel *m_trajectory;
    DiffPanel *m_diff;
    EditPanel *m_edit;
    ComparePanel *m_compare;
    QStackedWidget *m_code; // the diff, or the editor or a comparison in its place
    NodeActions *m_nodeActions;
    int m_editedNode = -1; // −1: the edit answers a question
    QSplitter *m_centre, *m_charts;
    ChartPane *m_leftChart, *m_rightChart;
    TaskPanel *m_tasks;
    ProgressPanel *m_progress;
    QWidget *m_taskPage;
    SkillsPanel *m_skills;
    WhyPanel *m_why;
    EvidencePanel *m_evidence;
    LogPanel *m_log;
    TranscriptPanel *m_transcript;
    DoctorPanel *m_doctor;
    TabPanel *m_leftTabs, *m_rightTabs, *m_bottomTabs;
    QDockWidget *m_leftDock, *m_rightDock, *m_bottomDock;

    QAction *m_newRun, *m_pause, *m_step, *m_stop, *m_resume;
    QAction *m_replayAction, *m_showAction, *m_showPlay, *m_showStep, *m_showEnd;
    QActionGroup *m_perspectives;
    QMenu *m_recent;
    QComboBox *m_cast, *m_evaluator, *m_memory;
    PaletteLine *m_search;
    StateLabel *m_stateLabel;
    QProgressBar *m_stageBar;
    QLabel *m_elapsedLabel, *m_roundsLabel, *m_moneyLabel, *m_memoryLabel, *m_evaluatorLabel, *m_lineLabel;
    QTimer *m_clock;
    QTimer *m_stateTimer;

    struct Arrangement
    {
        QByteArray docks, centre, charts;
    };
    QString m_perspective;
    QHash<QString, Arrangement> m_arrangements; // of the perspectives that were left
    bool m_loading = false, m_diffMaximised = false, m_wasMaximised = false, m_runPending = false;
    SessionFollower *m_follower;
    bool m_closeAsked = false; // the next close stops the run
    bool m_leaving = false;    // it is stopped to go on without the window
    int m_loadGeneration = 0;
    QByteArray m_stateBeforeMaximise;
};

} // namespace kernelskill
