// SPDX-License-Identifier: Apache-2.0
// Recorded sessions in the window, with the real simulator: one is recorded, shown event by event, and played again with
// a stop and a prediction at its plan; then its transcript is read.
#include "agent/prediction.h"
#include "evidence/row_view.h"
#include "models/recording_player.h"
#include "models/task_model.h"
#include "shell/prediction_form.h"
#include "shell/question_panel.h"
#include "tasks/player_bar.h"
#include "tasks/replay_panel.h"
#include "tasks/start_panel.h"
#include "tasks/task_panel.h"
#include "trajectory/trajectory_panel.h"
#include "transcript/transcript_panel.h"
#include "watched_application.h"
#include "window_test.h"

#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QListWidget>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestReplay : public WindowTest
{
    Q_OBJECT
    QString m_recorded;

    [[nodiscard]] QAction *action(const QString &start) const;
    [[nodiscard]] QStringList rowTexts(const TreeRowsModel *model, const QModelIndex &parent = {}) const;
    template <class T> [[nodiscard]] T *named(QWidget *in, const QString &name) const
    {
        for (T *widget : in->findChildren<T *>()) {
            if (widget->accessibleName() == name) return widget;
        }
        return nullptr;
    }
    void picture(const QString &name) const
    {
        QTest::qWait(150); // events are shown once a frame
        const QString folder = qEnvironmentVariable("KERNELSKILL_TEST_PICTURES");
        if (!folder.isEmpty()) m_window->grab().save(folder + u'/' + name + u".png"_s);
    }

private Q_SLOTS:
    void initTestCase();
    void recordsASession();
    void showsTheRecording();
    void aMoveOfTheSliderShowsThatPlace();
    void theShowEndsWithTheWholeSession();
    void playsAgainAndStopsAtThePlan();
    void isToldApart();
    void predictionStandsByTheNode();
    void theTranscriptIsRead();
    void badSessionsAreToldInABanner();
    void cleanupTestCase() { m_window.reset(); }
};

QAction *TestReplay::action(const QString &start) const
{
    for (QMenu *menu : m_window->menuBar()->findChildren<QMenu *>()) {
        for (QAction *found : menu->actions()) {
            if (found->text().remove(u'&').startsWith(start)) return found;
        }
    }
    return nullptr;
}

QStringList TestReplay::rowTexts(const TreeRowsModel *model, const QModelIndex &parent) const
{
    QStringList texts;
    for (int row = 0; row < model->rowCount(parent); ++row) {
        const QModelIndex index = model->index(row, 0, parent);
        texts.append(model->row(index)->cells.join(u" | "_s));
        texts += rowTexts(model, index);
    }
    return texts;
}

void TestReplay::initTestCase()
{
    startAfresh();
    CommandLine options;
    const QDir task(QStringLiteral(SOURCE_DIR "/resources/tasks/transpose"));
    QVERIFY(QDir(m_folder.path()).mkpath(u"mine"_s));
    for (const QString &file : task.entryList(QDir::Files))
        QVERIFY(QFile::copy(task.filePath(file), m_folder.filePath(u"mine/"_s + file)));
    options.files = {m_folder.filePath(u"mine"_s)};
    options.size = QSize(1600, 1000);
    options.perspective = u"Teach"_s;
    showWindow(options);
    WatchedApplication::instance()->arm();
}

void TestReplay::recordsASession()
{
    QTRY_VERIFY(m_window->isSettled());
    auto *rounds = m_window->findChild<StartPanel *>()->findChild<QSpinBox *>();
    rounds->setValue(1);
    m_window->startRun();
    QTRY_VERIFY_WITH_TIMEOUT(trajectory().endedBy == "rounds"_L1 && !m_window->runController()->isActive(), 240'000);
    QCOMPARE(trajectory().nodes.size(), 2);
    m_recorded = m_window->document()->path();
    QCOMPARE(trajectory().taskFolder, m_folder.filePath(u"mine"_s));
    // What follows does without it: the session has a copy of its task.
    QVERIFY(QDir(m_folder.filePath(u"mine"_s)).removeRecursively());
    QVERIFY(action(u"Replay this session"_s)->isEnabled());
    QVERIFY(!action(u"Next step of the recording"_s)->isEnabled());
}

void TestReplay::showsTheRecording()
{
    const qsizetype events = m_window->document()->events().size();
    const QFileInfo before(m_recorded);
    const QDateTime modified = before.lastModified();
    action(u"Play recording"_s)->trigger();
    RecordingPlayer *player = m_window->player();
    auto *bar = m_window->findChild<PlayerBar *>();
    QTRY_VERIFY(player->isActive() && bar->isVisible());
    player->pause();
    player->seek(1);
    QTRY_COMPARE(player->position(), 1);
    QVERIFY(trajectory().nodes.isEmpty());
    QTRY_VERIFY(m_window->windowTitle().contains(u"recording"_s));
    QVERIFY(!action(u"Resume session"_s)->isEnabled());
    // Step by step to the first verdict.
    QAction *step = action(u"Next step of the recording"_s);
    QTRY_VERIFY(step->isEnabled());
    for (int i = 0; i < 10 && (trajectory().nodes.isEmpty() || trajectory().nodes.first().evaluationBlob.isEmpty()); ++i)
        step->trigger();
    QCOMPARE(trajectory().nodes.size(), 1);
    QVERIFY(trajectory().nodes.first().state == NodeState::Verified);
    QVERIFY(m_window->document()->evaluation(0));
    QVERIFY(!trajectory().node(1));
    picture(u"show"_s);
    // Then by itself, as fast as can be seen.
    auto *speed = named<QComboBox>(bar, u"Speed of the recording"_s);
    speed->setCurrentIndex(speed->findData(0.0));
    action(u"Play or pause the recording"_s)->trigger();
    QVERIFY(player->isPlaying());
    QTRY_COMPARE(player->position(), int(events));
    QTRY_VERIFY(!player->isPlaying());
    QCOMPARE(trajectory().nodes.size(), 2);
    QCOMPARE(trajectory().endedBy, u"rounds"_s);
    QCOMPARE(QFileInfo(m_recorded).lastModified(), modified); // only looked at
    QVERIFY(!m_window->runController()->isActive());
}

void TestReplay::aMoveOfTheSliderShowsThatPlace()
{
    auto *slider = named<QSlider>(m_window->findChild<PlayerBar *>(), u"Place in the recording"_s);
    QCOMPARE(slider->value(), m_window->player()->count());
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Home);
    QTRY_COMPARE(m_window->player()->position(), 1);
    QVERIFY(trajectory().nodes.isEmpty());
    QTest::keyClick(slider, Qt::Key_End);
    QTRY_COMPARE(trajectory().nodes.size(), 2);
}

void TestReplay::theShowEndsWithTheWholeSession()
{
    m_window->player()->seek(3);
    QTRY_COMPARE(m_window->player()->position(), 3);
    action(u"End the recording"_s)->trigger();
    QVERIFY(!m_window->player()->isActive());
    QVERIFY(!m_window->findChild<PlayerBar *>()->isVisible());
    QCOMPARE(trajectory().nodes.size(), 2);
    QCOMPARE(m_window->document()->path(), m_recorded);
    QTRY_VERIFY(action(u"Replay this session"_s)->isEnabled());
}

void TestReplay::playsAgainAndStopsAtThePlan()
{
    action(u"Replay this session"_s)->trigger();
    ReplayPanel *replay = m_window->replayPanel();
    QVERIFY(replay->isVisible());
    QTRY_VERIFY(replay->startButton()->hasFocus());
    QVERIFY(replay->stopsAtPlans()); // the window stands as for teaching
    QTest::keyClick(replay->startButton(), Qt::Key_Space);
    QuestionPanel *question = m_window->questionPanel();
    QTRY_VERIFY_WITH_TIMEOUT(question->isVisible(), 240'000);
    QVERIFY(question->question().kind == Question::Kind::Plan);
    QVERIFY(trajectory().node(0) && !trajectory().node(0)->evaluationBlob.isEmpty());
    QVERIFY(!trajectory().node(1)); // no counter of the new node is known
    auto *choices = question->findChild<QListWidget *>();
    QTRY_VERIFY(choices->hasFocus());
    QCOMPARE(choices->currentRow(), question->question().proposed);
    QVERIFY(choices->currentItem()->text().contains(u"(planned)"_s));
    QVERIFY(question->question().counters.size() >= 1);
    // A prediction by keyboard: the speedup, and the first counter falls.
    auto *speedup = named<QComboBox>(question, u"Prediction of Speedup"_s);
    QVERIFY(speedup);
    speedup->setFocus();
    while (speedup->currentText() != guessTitle(SpeedupGuess::More))
        QTest::keyClick(speedup, Qt::Key_Down);
    auto *counter = named<QComboBox>(question, u"Prediction of "_s + question->question().counters.first().title);
    QVERIFY(counter);
    counter->setFocus();
    QTest::keyClick(counter, Qt::Key_Down);
    QCOMPARE(counter->currentText(), u"lower"_s);
    picture(u"question"_s);
    // An own plan gets room to be written, and gives it back.
    auto *own = named<QPlainTextEdit>(question, u"Your answer"_s);
    QVERIFY(!own->isVisible());
    choices->setCurrentRow(choices->count() - 1);
    QVERIFY(own->isVisible());
    choices->setCurrentRow(question->question().proposed);
    QVERIFY(!own->isVisible());
    choices->setFocus();
    QTest::keyClick(choices, Qt::Key_Return);
    QVERIFY(!question->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runController()->isActive(), 240'000);
    QCOMPARE(trajectory().nodes.size(), 2);
    QVERIFY(m_window->document()->path() != m_recorded);
    const TrajectoryNode &node = *trajectory().node(1);
    QVERIFY(node.recorded);
    QVERIFY2(node.divergence.isEmpty(), qPrintable(node.divergence)); // the simulator says the same again
    QVERIFY(node.prediction && *node.prediction->speedup == SpeedupGuess::More);
    QCOMPARE(node.predicted.size(), 1);
}

void TestReplay::isToldApart()
{
    const QString name = QFileInfo(m_recorded).completeBaseName();
    QTRY_VERIFY2(m_window->windowTitle().contains(u"replay of "_s + name), qPrintable(m_window->windowTitle()));
    const TaskModel *tasks = m_window->findChild<TaskPanel *>()->model();
    QStringList seconds;
    for (const QString &path : {m_window->document()->path(), m_recorded}) {
        QModelIndex index;
        QTRY_VERIFY((index = tasks->find(TaskModel::SessionRole, path)).isValid());
        seconds.append(index.data(TaskModel::SecondLineRole).toString());
    }
    QVERIFY2(seconds[0].startsWith(u"replay · "_s), qPrintable(seconds[0]));
    QVERIFY2(!seconds[1].contains(u"replay"_s), qPrintable(seconds[1]));
    TrajectoryView *view = m_window->trajectoryPanel()->view();
    QVERIFY(view->nodeRect(1).isValid());
    picture(u"replayed"_s);
}

void TestReplay::predictionStandsByTheNode()
{
    m_window->selection()->select(1);
    const QString section = u"Your prediction, and what came"_s;
    QStringList shown;
    for (RowView *rows : m_window->findChildren<RowView *>()) {
        if (rows->accessibleName() == u"Why this candidate"_s) shown = rowTexts(rows->rows());
    }
    QVERIFY2(shown.filter(section).size() == 1, qPrintable(shown.join(u'\n')));
    QVERIFY2(shown.filter(u"Speedup over the base | more than 2×"_s).size() == 1, qPrintable(shown.join(u'\n')));
    QVERIFY(shown.filter(u" right"_s).size() == 1);
    picture(u"why"_s);
}

void TestReplay::theTranscriptIsRead()
{
    action(u"Transcript of the node"_s)->trigger();
    TranscriptPanel *panel = m_window->transcriptPanel();
    QVERIFY(panel->isVisible());
    QTRY_VERIFY(panel->rows()->hasFocus());
    QStringList heads;
    for (int row = 0; row < panel->model()->rowCount(); ++row)
        heads.append(panel->model()->index(row, 0).data().toString());
    QCOMPARE(heads, QStringList({u"Feature extractor · replay, recorded"_s, u"Planner · replay, recorded"_s, u"You"_s,
                                 u"Optimizer · replay, recorded"_s, u"Reviewer · simulator"_s}));
    auto *search = named<QLineEdit>(panel, u"Search the transcript"_s);
    search->setFocus();
    QTest::keyClicks(search, u"__global__"_s);
    const QModelIndex found = panel->rows()->currentIndex();
    QVERIFY(found.isValid() && panel->model()->textOf(found).contains(u"__global__"_s));
    QVERIFY(panel->rows()->isExpanded(found.parent())); // code is closed until it is wanted
    panel->rows()->setFocus();
    QTest::keyClick(panel->rows(), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), panel->model()->textOf(found));
    panel->copyAll();
    QVERIFY(QApplication::clipboard()->text().startsWith(u"## Feature extractor · replay, recorded\n"_s));
    search->clear();
    panel->foldAll(true);
    QVERIFY(!panel->rows()->isExpanded(panel->model()->index(0, 0)));
    panel->foldAll(false);
    picture(u"transcript"_s);
}

void TestReplay::badSessionsAreToldInABanner()
{
    const QString path = m_folder.filePath(u"text.kss"_s);
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("no session");
    file.close();
    const QString open = m_window->document()->path();
    m_window->askForReplay(path);
    QTest::mouseClick(m_window->replayPanel()->startButton(), Qt::LeftButton);
    const auto said = [this] {
        for (const QWidget *widget : m_window->findChildren<QWidget *>()) {
            if (widget->isVisible() && widget->toolTip().contains(u"text.kss: not a session file; name a recorded session"_s)) return true;
        }
        return false;
    };
    QTRY_VERIFY(said());
    QVERIFY(!m_window->runController()->isActive());
    QCOMPARE(m_window->document()->path(), open);
}

WATCHED_TEST_MAIN(TestReplay)
#include "tst_replay.moc"
