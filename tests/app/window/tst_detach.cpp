// SPDX-License-Identifier: Apache-2.0
// Closing while a run is under way, with the real simulator: it goes on without the window and is watched again, or stops and
// can be resumed. And code that is dropped onto the window.
#include "editor/code_editor.h"
#include "editor/edit_panel.h"
#include "shell/banner.h"
#include "shell/question_panel.h"
#include "tasks/start_panel.h"
#include "watched_application.h"
#include "window_test.h"

#include <QComboBox>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QFile>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestDetach : public WindowTest
{
    Q_OBJECT
    QString m_session;

    [[nodiscard]] QPushButton *bannerButton() const { return m_window->findChild<Banner *>()->findChild<QPushButton *>(); }
    void open(const QString &path)
    {
        CommandLine options;
        options.files = {path};
        options.size = QSize(1400, 900);
        WatchedApplication::instance()->disarm();
        m_window = std::make_unique<MainWindow>(options);
        m_window->show();
        QTRY_VERIFY(m_window->isSettled());
        WatchedApplication::instance()->arm();
    }
    void startRun(int rounds)
    {
        m_window->findChild<StartPanel *>()->findChild<QSpinBox *>()->setValue(rounds);
        m_window->startRun();
        QTRY_VERIFY_WITH_TIMEOUT(trajectory().best == 0, 240'000); // the baseline stands
        QVERIFY(m_window->runController()->isActive());
    }

private Q_SLOTS:
    void initTestCase()
    {
        startAfresh();
        qputenv("PATH", QByteArray(BUILD_DIR "/bin:") + qgetenv("PATH"));
    }

    void goesOnWithoutTheWindow()
    {
        open(QStringLiteral(SOURCE_DIR "/resources/tasks/transpose"));
        startRun(3);
        m_session = m_window->document()->path();
        m_window->close();
        QVERIFY(m_window->isVisible());
        QVERIFY(bannerButton()->isVisible());
        QCOMPARE(bannerButton()->text(), u"Let it go on without the window"_s);
        bannerButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->isVisible(), 240'000);
        QVERIFY(trajectory().nodes.size() < 4);
        m_window.reset();
    }

    void isWatchedAgain()
    {
        open(m_session);
        QTRY_COMPARE_WITH_TIMEOUT(trajectory().endedBy, u"rounds"_s, 240'000);
        QCOMPARE(trajectory().nodes.size(), 4);
        QVERIFY(!m_window->runController()->isActive()); // another program's
        m_window->close();
        QVERIFY(!m_window->isVisible());
        m_window.reset();
    }

    void closingTwiceStops()
    {
        open(QStringLiteral(SOURCE_DIR "/resources/tasks/transpose"));
        startRun(5);
        m_session = m_window->document()->path();
        m_window->close();
        QVERIFY(m_window->isVisible());
        m_window->close();
        QVERIFY(!m_window->isVisible());
        m_window.reset();
        const auto contents = readSession(m_session);
        QVERIFY(contents);
        QVERIFY(!contents->damage && contents->trajectory.endedBy != "rounds"_L1);
        QVERIFY(contents->trajectory.nodes.size() < 6);
    }

    // Nobody answers any more: what is asked is declined, and the program ends.
    void closingWhileAQuestionWaits_data()
    {
        QTest::addColumn<QString>("cast");
        QTest::newRow("planner") << u"expert;planner=manual"_s;
        QTest::newRow("every role") << u"manual"_s;
    }
    void closingWhileAQuestionWaits()
    {
        QFETCH(QString, cast);
        open(QStringLiteral(SOURCE_DIR "/resources/tasks/transpose"));
        for (QComboBox *box : m_window->findChildren<QComboBox *>()) {
            if (box->accessibleName() != u"Cast"_s) continue;
            QTRY_VERIFY(box->findData(cast) >= 0);
            box->setCurrentIndex(box->findData(cast));
        }
        m_window->startRun();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->questionPanel()->isVisible(), 240'000);
        m_window->close();
        QVERIFY(m_window->isVisible());
        QVERIFY(!bannerButton()->isVisible()); // such a run cannot go on without its person
        m_window->close();
        QVERIFY(!m_window->isVisible());
        QElapsedTimer timer;
        timer.start();
        m_window.reset();
        QVERIFY2(timer.elapsed() < 20'000, qPrintable(QString::number(timer.elapsed())));
    }

    void droppedCodeIsForTheSelectedNode()
    {
        open(m_session);
        const QString path = m_folder.filePath(u"mine.cu"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("// mine\n");
        file.close();
        QTRY_VERIFY(m_window->document()->candidate(0));
        m_window->selection()->select(0);
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &drop);
        QVERIFY(m_window->editPanel()->isVisible());
        QVERIFY(m_window->editPanel()->isModified());
        QCOMPARE(m_window->editPanel()->editor()->toPlainText(), u"// mine\n"_s);
        m_window.reset();
    }
};

WATCHED_TEST_MAIN(TestDetach)
#include "tst_detach.moc"
