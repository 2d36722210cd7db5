// SPDX-License-Identifier: Apache-2.0
// A run that stops at each plan: what the person is asked, and what becomes of prediction and choice.
#include "fake_players.h"

#include <QCoroTask>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::test;

class TestStepMode : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void thePredictionComesBeforeTheCounters();
    void letsThePlanBe();
    void takesAnotherSkill();
    void writesAPlan();
    void aRefusedChoiceIsAskedAgain();
    void whoPlansIsAskedOnlyForAPrediction();
    void classesAndMovements();
    void predictionsAreReadBack();

private:
    // Plays with these answers, then as planned; keeps the questions and the events.
    Result<RunSummary> play(const QString &session, int rounds, QList<Answer> answers, const FakePlayers &players = {});
    [[nodiscard]] int at(const QString &kind, int node = -1) const; // of the first such event
    FakeWorld m_world;
    QList<Question> m_asked;
    QList<Event> m_events;
    Trajectory m_trajectory;
};

Result<RunSummary> TestStepMode::play(const QString &session, int rounds, QList<Answer> answers, const FakePlayers &players)
{
    m_asked.clear();
    m_events.clear();
    RunSettings settings = FakeWorld::settings();
    settings.rounds = rounds;
    settings.stepMode = true;
    Run run(players.factory(), nullptr);
    connect(&run, &Run::eventAppended, this, [this](const Event &event) { m_events.append(event); });
    run.setAsk([this, answers](Question question) mutable -> QCoro::Task<Result<Answer>> {
        m_asked.append(question);
        co_return answers.isEmpty() ? Answer{} : answers.takeFirst();
    });
    auto summary = QCoro::waitFor(run.start(settings, m_world.path(session)));
    m_trajectory = run.trajectory();
    return summary;
}

int TestStepMode::at(const QString &kind, int node) const
{
    for (qsizetype i = 0; i < m_events.size(); ++i) {
        if (m_events[i].kind == kind && (node < 0 || m_events[i].data.value("node").toInt(-1) == node)) return int(i);
    }
    return -1;
}

void TestStepMode::thePredictionComesBeforeTheCounters()
{
    Answer answer{true, 0, {}, {SpeedupGuess::Some, {{"dram_bytes", Movement::Lower}, {"sectors_per_request", Movement::Higher}}}};
    FakePlayers players;
    players.prepareAgent = [](FakeAgent &agent) {
        agent.planOverride = [](const PlanRequest &) {
            Plan plan;
            plan.skill = "memory-coalescing";
            plan.rationale = "Loads are scattered.";
            plan.promises = {{"dram_bytes", "lower"}};
            return Result<Plan>(plan);
        };
    };
    const auto summary = play("predicted.kss", 1, {answer}, players);
    QVERIFY2(summary, summary ? "" : qPrintable(summary.error().message));
    QCOMPARE(m_asked.size(), 1);
    const Question &question = m_asked.first();
    QCOMPARE(question.kind, Question::Kind::Plan);
    QCOMPARE(question.role, QString("planner"));
    QCOMPARE(question.round, 1);
    QCOMPARE(question.choices[question.proposed], QString("memory-coalescing"));
    QCOMPARE(question.choices.size(), question.details.size());
    QCOMPARE(question.text, QString("Loads are scattered."));
    QCOMPARE(question.counters.first().metric, QString("dram_bytes"));
    QCOMPARE(*question.counters.first().now, 1000.0);
    // Asked and on record before the code, and so before any counter of the node.
    QVERIFY(at("round.plan") < at("person.prediction", 1));
    QVERIFY(at("person.prediction", 1) < at("node.candidate", 1));
    QVERIFY(!m_trajectory.paused && at("run.paused") < 0); // the question is the stop
    const TrajectoryNode &node = *m_trajectory.node(1);
    QVERIFY(node.prediction);
    QVERIFY(*node.prediction->speedup == SpeedupGuess::Some);
    QCOMPARE(node.predicted.size(), 2);
    QCOMPARE(node.predicted[0].metric, QString("dram_bytes"));
    QCOMPARE(node.predicted[0].promised, QString("lower"));
    QCOMPARE(*node.predicted[0].before, 1000.0);
    QCOMPARE(*node.predicted[0].after, 500.0);
    QCOMPARE(node.predicted[0].kept, std::optional(true));
    QCOMPARE(node.predicted[1].kept, std::optional(false)); // it stayed the same
    QVERIFY(guessOf(node.stepSpeedup->value) == SpeedupGuess::Some);
}

void TestStepMode::letsThePlanBe()
{
    QVERIFY(play("asked.kss", 3, {}));
    QVERIFY(m_asked.size() >= 1);
    for (const TrajectoryNode &node : std::as_const(m_trajectory.nodes))
        QVERIFY(!node.prediction);
    const Trajectory asked = m_trajectory;
    RunSettings settings = FakeWorld::settings();
    settings.rounds = 3;
    Run run(FakePlayers{}.factory(), nullptr);
    QVERIFY(QCoro::waitFor(run.start(settings, m_world.path("unasked.kss"))));
    QCOMPARE(asked.nodes.size(), run.trajectory().nodes.size());
    for (qsizetype i = 0; i < asked.nodes.size(); ++i)
        QCOMPARE(asked.nodes[i].codeDigest, run.trajectory().nodes[i].codeDigest);
}

void TestStepMode::takesAnotherSkill()
{
    QVERIFY(play("first.kss", 1, {}));
    const Question question = m_asked.first();
    const int other = question.proposed == 0 ? 1 : 0;
    QVERIFY(other < question.choices.size() - 1);
    QVERIFY(play("other.kss", 1, {{true, other, {}, {SpeedupGuess::Less, {}}}}));
    QCOMPARE(m_events[at("round.plan")].data.value("agent").toString(), QString("person"));
    QCOMPARE(m_events[at("round.plan")].data.value("plan").toObject().value("skill").toString(), question.choices[other]);
    QVERIFY(m_trajectory.node(1)->prediction);
}

void TestStepMode::writesAPlan()
{
    FakePlayers players;
    players.prepareAgent = [](FakeAgent &agent) {
        agent.optimizeOverride = [](const OptimizeRequest &request) -> Result<CodeChange> {
            if (!request.plan.isFreeForm()) return FakeAgent::optimised(request);
            return CodeChange{FakeAgent::code(3, "idea"), request.plan.rationale};
        };
    };
    QVERIFY(play("first-again.kss", 1, {}, players));
    const int own = int(m_asked.first().choices.size()) - 1;
    QVERIFY(play("own.kss", 1, {{true, own, "Keep rows in registers\nThey fit.", {}}}, players));
    const Plan &plan = m_trajectory.node(1)->plan;
    QCOMPARE(plan.method, QString("free"));
    QCOMPARE(plan.skill, QString("keep-rows-in-registers"));
    QCOMPARE(plan.rationale, QString("Keep rows in registers\nThey fit."));
    QVERIFY(std::abs(m_trajectory.node(1)->speedup->value - 3) < 0.01);
}

void TestStepMode::aRefusedChoiceIsAskedAgain()
{
    QVERIFY(play("probe.kss", 1, {}));
    const int own = int(m_asked.first().choices.size()) - 1;
    QVERIFY(play("refused.kss", 1, {{true, own, "  ", {}}, {}}));
    QCOMPARE(m_asked.size(), 2);
    QVERIFY2(m_asked[1].text.startsWith("idea does not say what to do."), qPrintable(m_asked[1].text));
    QVERIFY(at("round.refused") > 0);
    QVERIFY(m_trajectory.node(1)->plan.method != u"free"); // the planner's
}

void TestStepMode::whoPlansIsAskedOnlyForAPrediction()
{
    RunSettings settings = FakeWorld::settings();
    settings.rounds = 1;
    settings.stepMode = true;
    settings.cast[Role::Planner] = "manual";
    Run run(FakePlayers{}.factory(), nullptr);
    QList<Question> asked;
    run.setAsk([&asked](Question question) -> QCoro::Task<Result<Answer>> {
        asked.append(question);
        co_return Answer{true, 0, {}, {SpeedupGuess::Same, {}}};
    });
    QVERIFY(QCoro::waitFor(run.start(settings, m_world.path("manual.kss"))));
    QVERIFY(!asked.isEmpty());
    QCOMPARE(asked.first().choices.size(), 1);
    QCOMPARE(asked.first().proposed, 0);
    QVERIFY(!asked.first().counters.isEmpty());
    QVERIFY(run.trajectory().node(1)->prediction);
}

void TestStepMode::classesAndMovements()
{
    QVERIFY(guessOf(0.7) == SpeedupGuess::Less);
    QVERIFY(guessOf(1.0) == SpeedupGuess::Same);
    QVERIFY(guessOf(1.1) == SpeedupGuess::Some);
    QVERIFY(guessOf(2.0) == SpeedupGuess::Some);
    QVERIFY(guessOf(2.01) == SpeedupGuess::More);
    QVERIFY(movementOf(100, 101) == Movement::Same);
    QVERIFY(movementOf(100, 97) == Movement::Lower);
    QVERIFY(movementOf(100, 103) == Movement::Higher);
    QVERIFY(movementOf(0, 0) == Movement::Same);
    QVERIFY(movementOf(0, 1) == Movement::Higher);
}

void TestStepMode::predictionsAreReadBack()
{
    const Prediction prediction{SpeedupGuess::More, {{"dram_bytes", Movement::Same}}};
    const Prediction read = Prediction::fromJson(prediction.toJson());
    QVERIFY(*read.speedup == SpeedupGuess::More);
    QCOMPARE(read.counters.size(), 1);
    QVERIFY(read.counters.first().movement == Movement::Same);
    const Prediction odd = Prediction::fromJson({{"speedup", "enormous"}, {"counters", QJsonArray{QJsonObject{{"metric", "x"}, {"movement", "sideways"}}}}});
    QVERIFY(odd.isEmpty());
}

QTEST_GUILESS_MAIN(TestStepMode)
#include "tst_step_mode.moc"
