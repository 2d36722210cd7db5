// SPDX-License-Identifier: Apache-2.0
// The engine on its own thread: what arrives in the window's thread, and that the window stays free meanwhile.
#include "../../core/engine/fake_players.h"
#include "models/session_document.h"
#include "shell/run_controller.h"

#include <QSemaphore>
#include <QSignalSpy>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;
using namespace kernelskill::test;

class TestRunController : public QObject
{
    Q_OBJECT
    FakeWorld m_world;

    // Holds the engine's thread in its first evaluation until the test has asked for something, then lets it hear of
    // it: the fake players never give the event loop a turn by themselves.
    struct Gate
    {
        QSemaphore open;
        [[nodiscard]] PlayerFactory players()
        {
            FakePlayers players;
            players.prepareEvaluator = [this](FakeEvaluator &evaluator) {
                evaluator.onCall = [this](int call) {
                    if (call != 1) return;
                    open.acquire();
                    QCoreApplication::processEvents();
                };
            };
            return players.factory();
        }
    };

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(); }
    void wholeRunArrivesInTheDocument()
    {
        RunController controller(nullptr, FakePlayers{}.factory());
        SessionDocument document;
        connect(&controller, &RunController::eventHappened, &document, &SessionDocument::apply);
        QSignalSpy ended(&controller, &RunController::ended), states(&controller, &RunController::stateChanged);
        RunSettings settings = FakeWorld::settings();
        settings.rounds = 4;
        controller.start(settings, m_world.path(u"whole.kss"_s), u"none"_s);
        QVERIFY(controller.isActive());
        QVERIFY(ended.wait(30'000));
        QVERIFY(controller.state() == RunState::Idle);
        QVERIFY(document.trajectory().nodes.size() > 1);
        QVERIFY(document.candidate(0) != nullptr);
        QVERIFY(document.evaluation(0) != nullptr); // blobs came along
        QVERIFY(!document.trajectory().endedBy.isEmpty());
        // The file says the same.
        const auto contents = readSession(m_world.path(u"whole.kss"_s));
        QVERIFY(contents.has_value());
        QCOMPARE(contents->events.size(), document.events().size());
        QCOMPARE(contents->trajectory.best, document.trajectory().best);
    }
    void pauseStepAndContinue()
    {
        Gate gate;
        RunController controller(nullptr, gate.players());
        QSignalSpy ended(&controller, &RunController::ended);
        RunSettings settings = FakeWorld::settings();
        settings.rounds = 6;
        controller.start(settings, m_world.path(u"pause.kss"_s), u"none"_s);
        QTRY_VERIFY_WITH_TIMEOUT(controller.state() == RunState::Running, 30'000);
        controller.togglePause();
        gate.open.release();
        QTRY_VERIFY_WITH_TIMEOUT(controller.state() == RunState::Paused, 30'000);
        controller.step();
        QVERIFY(controller.state() == RunState::Pausing);
        QTRY_VERIFY_WITH_TIMEOUT(controller.state() == RunState::Paused, 30'000);
        QVERIFY(ended.isEmpty());
        controller.togglePause();
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 30'000);
    }
    void stopEndsAPausedRun()
    {
        Gate gate;
        RunController controller(nullptr, gate.players());
        QSignalSpy ended(&controller, &RunController::ended);
        controller.start(FakeWorld::settings(), m_world.path(u"stop.kss"_s), u"none"_s);
        QTRY_VERIFY_WITH_TIMEOUT(controller.state() == RunState::Running, 30'000);
        controller.togglePause();
        gate.open.release();
        QTRY_VERIFY_WITH_TIMEOUT(controller.state() == RunState::Paused, 30'000);
        controller.stop();
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 30'000);
        QCOMPARE(ended.first().first().toString(), u"person"_s);
    }
    void goesOnWithALargerBudget()
    {
        const QString path = m_world.path(u"raised.kss"_s);
        {
            Gate gate;
            RunController controller(nullptr, gate.players());
            QSignalSpy ended(&controller, &RunController::ended);
            RunSettings settings = FakeWorld::settings();
            settings.budget.calls = 3;
            settings.agentSettings = {{settings.agent, {{u"speed"_s, u"slow"_s}}}};
            controller.start(settings, path, u"none"_s);
            QTRY_VERIFY_WITH_TIMEOUT(controller.state() == RunState::Running, 30'000);
            controller.stop();
            gate.open.release();
            QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 30'000);
        }
        RunController controller(nullptr, FakePlayers{}.factory());
        QSignalSpy ended(&controller, &RunController::ended);
        Changes changes;
        changes.budget.calls = 9;
        changes.budget.money_usd = 2.5;
        changes.agentSettings = {{FakeWorld::settings().agent, {{u"speed"_s, u"fast"_s}}}};
        controller.resume(path, u"none"_s, changes);
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 30'000);
        const auto contents = readSession(path);
        QVERIFY(contents.has_value());
        const auto settings = RunSettings::fromJson(contents->trajectory.settings);
        QVERIFY(settings.has_value());
        QCOMPARE(settings->budget, (Budget{0, 2.5, 0, 9}));
        QCOMPARE(settings->agentSettings.value(settings->agent)["speed"_L1].toString(), u"fast"_s);
    }
    void errorsOfTheEnvironmentAreSaid()
    {
        RunController controller(nullptr, FakePlayers{}.factory());
        QSignalSpy failed(&controller, &RunController::failed);
        RunSettings settings = FakeWorld::settings();
        settings.evaluator = u"nowhere"_s;
        controller.start(settings, m_world.path(u"error.kss"_s), u"none"_s);
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 30'000);
        QVERIFY(controller.state() == RunState::Idle);
    }
    void closingInMidRunWaitsForItsEnd()
    {
        auto controller = std::make_unique<RunController>(nullptr, FakePlayers{}.factory());
        QSignalSpy events(controller.get(), &RunController::eventHappened);
        controller->start(FakeWorld::settings(), m_world.path(u"close.kss"_s), u"none"_s);
        QTRY_VERIFY_WITH_TIMEOUT(events.size() > 2, 30'000);
        controller.reset();
        const auto contents = readSession(m_world.path(u"close.kss"_s));
        QVERIFY(contents.has_value()); // closed in good order
    }
};

QTEST_GUILESS_MAIN(TestRunController)
#include "tst_run_controller.moc"
