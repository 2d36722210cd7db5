// SPDX-License-Identifier: Apache-2.0
// Nothing holds the UI thread for longer than 50 ms of its CPU time: not while a session of 10 000 nodes is read, not
// while a run streams 200 events a second into it, not while a diff of 5 000 lines opens. What happens once for an
// unlucky reason, as when memory is given back, is not the window's doing: the better of three times counts.
#include "diff/diff_view.h"
#include "example_session.h"
#include "watched_application.h"
#include "window_test.h"

#include <QElapsedTimer>
#include <QTest>
#include <QTimer>

#include <ctime>
#include <functional>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestFluency : public WindowTest
{
    Q_OBJECT

    ExampleSession m_session;
    QString m_path;

    static constexpr int nodes = 10'000;

    static void burn(double ms)
    {
        const auto spent_ms = [] {
            timespec now{};
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
            return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
        };
        for (const double until = spent_ms() + ms; spent_ms() < until;) {
        }
    }
    // Of the better attempt.
    static WatchedApplication::Held bestOf(const std::function<void()> &attempt)
    {
        WatchedApplication::Held best;
        for (int i = 0; i < 3 && (i == 0 || !best.isTolerable()); ++i) {
            (void)WatchedApplication::instance()->takeHeld();
            attempt();
            const auto held = WatchedApplication::instance()->takeHeld();
            if (i == 0 || held.event_ms < best.event_ms) best = held;
        }
        qInfo("%s: longest event %.1f ms, turn %.1f ms: %s", QTest::currentTestFunction(), best.event_ms, best.turn_ms, qPrintable(best.what));
        return best;
    }
    template <class Condition> static void waitFor(Condition &&done)
    {
        QElapsedTimer timer;
        for (timer.start(); !done() && timer.elapsed() < 120'000;)
            QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 10);
        QVERIFY(done());
    }

private Q_SLOTS:
    void initTestCase()
    {
        startAfresh();
        m_session = longSession(nodes);
        m_path = m_folder.filePath(u"long.kss"_s);
        const auto written = writeSession(m_path, m_session);
        QVERIFY2(written.has_value(), written ? "" : qPrintable(written.error().message));
        CommandLine options;
        options.size = QSize(1600, 1000);
        m_window = std::make_unique<MainWindow>(options);
        m_window->show();
        waitFor([&] { return m_window->isSettled(); });
    }
    // The watchdog itself: it sees what holds the thread, names it, and is not deceived by waiting.
    void theWatchdogSees()
    {
        auto *watchdog = WatchedApplication::instance();
        (void)watchdog->takeHeld();
        QTimer idle;
        idle.setSingleShot(true);
        connect(&idle, &QTimer::timeout, &idle, [] { QThread::msleep(120); });
        idle.start(0);
        QTest::qWait(150);
        QVERIFY(watchdog->takeHeld().turn_ms < WatchedApplication::limit_ms);
        QObject holder;
        holder.setObjectName(u"the culprit"_s);
        QMetaObject::invokeMethod(&holder, [] { burn(80); }, Qt::QueuedConnection);
        QTest::qWait(5);
        auto held = watchdog->takeHeld();
        QVERIFY2(held.event_ms >= 80 && held.event_ms < 130 && held.turn_ms >= held.event_ms, qPrintable(QString::number(held.event_ms)));
        QVERIFY2(held.what.section(u", "_s, 0, 0).endsWith(u" ms MetaCall for QObject “the culprit”"_s), qPrintable(held.what));
        QVERIFY(!held.isTolerable());
        // Many short ones in one turn hold it as well.
        for (int i = 0; i < 8; ++i)
            QMetaObject::invokeMethod(&holder, [] { burn(10); }, Qt::QueuedConnection);
        QTest::qWait(5);
        held = watchdog->takeHeld();
        QVERIFY(held.turn_ms >= 80 && held.event_ms < 50);
        // A loop within takes turns of its own.
        QMetaObject::invokeMethod(
            &holder,
            [] {
                for (int i = 0; i < 4; ++i) {
                    burn(20);
                    QCoreApplication::processEvents();
                }
            },
            Qt::QueuedConnection);
        QTest::qWait(5);
        held = watchdog->takeHeld();
        QVERIFY2(held.turn_ms >= 20 && held.turn_ms < 60, qPrintable(QString::number(held.turn_ms)));
    }
    void aHoldFailsTheTest()
    {
        auto *watchdog = WatchedApplication::instance();
        const auto hold = [] {
            QMetaObject::invokeMethod(qApp, [] { burn(80 * WatchedApplication::slowdown); }, Qt::QueuedConnection);
            QTest::qWait(5);
        };
        hold(); // not armed yet
        (void)watchdog->takeHeld();
        watchdog->arm();
        {
            const WatchedApplication::Pardon pardon("forgiven");
            hold();
        }
        QEXPECT_FAIL("", "what is wanted of it", Continue);
        hold();
        watchdog->disarm();
    }
    void aLongSessionIsRead()
    {
        const auto held = bestOf([this] {
            m_window->document()->clear();
            m_window->openSession(m_path);
            waitFor([&] { return m_window->document()->trajectory().nodes.size() >= nodes && m_window->isSettled(); });
        });
        QVERIFY2(held.isTolerable(), qPrintable(held.what));
    }
    void aRunStreams()
    {
        constexpr int perSecond = 200, events = 600;
        const QList<Event> &all = m_session.events;
        const qsizetype known = all.size() - events;
        const auto held = bestOf([&] {
            SessionContents contents;
            contents.events = all.first(known);
            contents.trajectory = Trajectory::fold(contents.events);
            contents.blobs = m_session.blobs;
            m_window->document()->setContents(contents);
            waitFor([&] { return m_window->isSettled(); });
            (void)WatchedApplication::instance()->takeHeld(); // what opening it took is another matter
            // As an engine does, which does not wait for the window: what is due comes, whenever it is let.
            QElapsedTimer since;
            since.start();
            qsizetype next = known;
            QTimer source;
            source.setTimerType(Qt::PreciseTimer);
            connect(&source, &QTimer::timeout, &source, [&] {
                const qsizetype due = known + since.elapsed() * perSecond / 1000;
                while (next < std::min(due, all.size()))
                    m_window->document()->apply(all[next++], {});
            });
            source.start(1000 / perSecond);
            waitFor([&] { return next >= all.size(); });
        });
        QCOMPARE(m_window->document()->events().size(), all.size());
        QVERIFY2(held.isTolerable(), qPrintable(held.what));
    }
    void aLongDiffOpens()
    {
        QString left, right;
        for (int i = 0; i < 5000; ++i) {
            const QString line = u"    const float value%1 = in[%1 * stride] + __ldg(weights + %1); // element %1\n"_s.arg(i);
            left += line;
            right += i % 7 == 0 ? u"    const float4 value%1 = in4[%1];\n"_s.arg(i) : line;
        }
        waitFor([&] { return m_window->isSettled(); });
        QTest::qWait(200); // what the stream left to do
        DiffView view;
        view.resize(1000, 700);
        view.show();
        const auto held = bestOf([&] {
            view.compare({left, {}}, {right, {}}, CodeLanguage::Cuda, false);
            waitFor([&] { return view.isSettled(); });
            QTest::qWait(20); // it is painted
        });
        QVERIFY(view.hunkCount() > 700);
        QVERIFY2(held.isTolerable(), qPrintable(held.what));
    }
    void cleanupTestCase() { m_window.reset(); }
};

WATCHED_TEST_MAIN(TestFluency)
#include "tst_fluency.moc"
