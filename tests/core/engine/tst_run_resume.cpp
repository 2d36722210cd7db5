// SPDX-License-Identifier: Apache-2.0
// A run that ends early or waits goes on as if nothing had been: after a kill, a stop, a limit, a pause.
#include "run_test.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTimer>

using namespace kernelskill;
using namespace kernelskill::test;

class TestRunResume : public RunTest
{
    Q_OBJECT
private Q_SLOTS:
    void resumeAtEveryEvent();
    void whatWasPaidForIsNotAskedAgain();
    void limitsOfModels();
    void moreRoundsGoOn();
    void stopEndsTheStepInFlight();
    void pauseAndStep();
    void theMemoryAtTheStartDecides();
};

namespace {

// Everything a trajectory holds but where in the file it came from.
QByteArray everything(const Trajectory &trajectory)
{
    QJsonArray nodes, rounds;
    for (const TrajectoryNode &node : trajectory.nodes) {
        QJsonArray observed;
        for (const ObservedChange &change : node.observed) {
            observed.append(QJsonObject{{"m", change.metric},
                                        {"p", change.promised},
                                        {"b", change.before.value_or(-1)},
                                        {"a", change.after.value_or(-1)},
                                        {"k", change.kept.value_or(false)}});
        }
        nodes.append(QJsonObject{{"id", node.id},
                                 {"parent", node.parent},
                                 {"round", node.round},
                                 {"kind", node.kind},
                                 {"agent", node.agent},
                                 {"state", toString(node.state)},
                                 {"summary", node.summary},
                                 {"method", node.method},
                                 {"skill", node.skill},
                                 {"plan", node.plan.toJson()},
                                 {"candidate", node.candidateBlob},
                                 {"evaluation", node.evaluationBlob},
                                 {"digest", node.codeDigest},
                                 {"time", node.time_us.value_or(-1)},
                                 {"speedup", node.speedup ? node.speedup->value : -1},
                                 {"step", node.stepSpeedup ? node.stepSpeedup->interval.low : -1},
                                 {"why", node.why},
                                 {"base", node.isBase},
                                 {"best", node.isBest},
                                 {"was", node.wasBase},
                                 {"observed", observed}});
    }
    for (const RoundRecord &round : trajectory.rounds) {
        rounds.append(QJsonObject{{"round", round.round},
                                  {"base", round.base},
                                  {"features", QJsonObject::fromVariantMap(round.features)},
                                  {"retrieval", round.retrievalBlob},
                                  {"plan", round.plan ? round.plan->toJson() : QJsonObject()},
                                  {"refusals", QJsonArray::fromStringList(round.refusals)}});
    }
    return QJsonDocument(QJsonObject{{"task", trajectory.taskName},
                                     {"settings", trajectory.settings},
                                     {"policy", trajectory.policyBlob},
                                     {"skills", trajectory.skillsBlob},
                                     {"statistics", trajectory.statisticsBlob},
                                     {"nodes", nodes},
                                     {"rounds", rounds},
                                     {"base", trajectory.base},
                                     {"best", trajectory.best},
                                     {"ended", trajectory.endedBy},
                                     {"message", trajectory.endMessage}})
        .toJson(QJsonDocument::Indented);
}

// Blobs an event names.
void copyBlobs(const SessionFile &from, SessionFile &to, const QJsonObject &data)
{
    for (auto entry = data.begin(); entry != data.end(); ++entry) {
        if (!entry.key().endsWith("_blob")) continue;
        const auto content = from.blob(entry->toString());
        QVERIFY(content);
        QVERIFY(to.putBlob(*content));
    }
}

} // namespace

void TestRunResume::resumeAtEveryEvent()
{
    QVERIFY(play("uninterrupted.session", m_world.settings()));
    const auto whole = SessionFile::open(m_world.path("uninterrupted.session"), true);
    const QList<Event> events = *whole->events();
    const QByteArray expected = everything(Trajectory::fold(events));
    for (qsizetype kept = 1; kept <= events.size(); ++kept) {
        const QString path = m_world.path(QStringLiteral("cut-%1.session").arg(kept));
        {
            auto cut = SessionFile::create(path);
            QVERIFY(cut);
            for (const Event &event : events.first(kept))
                copyBlobs(*whole, *cut, event.data);
            QVERIFY(cut->append(events.first(kept)));
        }
        Run run(FakePlayers{}.factory(), nullptr);
        const auto summary = QCoro::waitFor(run.resume(path));
        QVERIFY2(summary, qPrintable(QStringLiteral("after %1 (%2): %3")
                                         .arg(kept)
                                         .arg(events[kept - 1].kind, summary ? QString() : summary.error().message)));
        const QByteArray found = everything(run.trajectory());
        if (found != expected) {
            qInfo("after event %lld, %s", static_cast<long long>(kept), qPrintable(events[kept - 1].kind));
            QCOMPARE(QString::fromUtf8(found).split('\n'), QString::fromUtf8(expected).split('\n'));
        }
    }
}

// A provider that fails in the middle of a round: the run ends by it, and going on takes the plan that stands.
void TestRunResume::whatWasPaidForIsNotAskedAgain()
{
    int planned = 0, written = 0;
    FakePlayers players;
    players.prepareAgent = [&](FakeAgent &agent) {
        agent.onPlan = [&planned](const RoleContext &) { ++planned; };
        agent.optimizeOverride = [&written](const OptimizeRequest &request) -> Result<CodeChange> {
            if (++written == 1) return failure(QString(providerUnavailable), "the quota is spent");
            return FakeAgent::optimised(request);
        };
    };
    const QString path = m_world.path("quota.session");
    {
        Run run(players.factory(), nullptr);
        const auto summary = QCoro::waitFor(run.start(m_world.settings(), path));
        QVERIFY(summary);
        QCOMPARE(summary->endedBy, QString("provider"));
        QCOMPARE(summary->message, QString("the quota is spent"));
        QCOMPARE(planned, 1);
    }
    Run run(players.factory(), nullptr);
    QVERIFY(QCoro::waitFor(run.resume(path)));
    const int afterwards = planned;
    QVERIFY(play("undisturbed-quota.session", m_world.settings(), players));
    QCOMPARE(afterwards, planned - afterwards); // no plan was asked for twice
    QCOMPARE(outline(run.trajectory()), outline(read(m_world.path("undisturbed-quota.session"))));
}

void TestRunResume::limitsOfModels()
{
    QList<std::optional<qint64>> calls;
    QList<std::optional<double>> money;
    FakePlayers players;
    players.prepareAgent = [&](FakeAgent &agent) {
        agent.onPlan = [&](const RoleContext &context) {
            calls.append(context.allowance.calls);
            money.append(context.allowance.money_usd);
            RoleUsage usage;
            usage.calls = 2;
            usage.tokensIn = 100;
            usage.tokensCached = 40;
            usage.tokensOut = 10;
            usage.cost_usd = 0.25;
            context.report(usage);
        };
    };
    RunSettings settings = m_world.settings();
    settings.budget.calls = 3;
    settings.budget.money_usd = 10;
    const auto summary = play("calls.session", settings, players);
    QVERIFY(summary);
    QCOMPARE(summary->endedBy, QString("calls"));
    QCOMPARE(calls, (QList<std::optional<qint64>>{3, 1}));
    QCOMPARE(money, (QList<std::optional<double>>{10, 9.75}));
    const Trajectory trajectory = read(m_world.path("calls.session"));
    QCOMPARE(trajectory.llmCalls, 4);
    QCOMPARE(trajectory.usageByRole.value("planner").tokensCached, 80);
    QCOMPARE(trajectory.usageByRole.size(), 1);
    const QJsonObject llm = summary->json["llm"].toObject();
    QCOMPARE(llm["roles"].toObject()["planner"].toObject()["cost_usd"].toDouble(), 0.5);
    // A larger limit is all it takes to go on.
    Run run(players.factory(), nullptr);
    Changes changes;
    changes.budget.calls = 6;
    changes.agentSettings["fake"] = {{"model", "another"}};
    const auto more = QCoro::waitFor(run.resume(m_world.path("calls.session"), std::nullopt, changes));
    QVERIFY(more);
    QCOMPARE(more->endedBy, QString("calls"));
    QVERIFY(run.trajectory().llmCalls >= 6); // an agent that heeds its allowance stops within a round; this one does not
    QCOMPARE(RunSettings::fromJson(run.trajectory().settings)->agentSettings.value("fake"), (QJsonObject{{"model", "another"}}));
    QCOMPARE(RunSettings::fromJson(run.trajectory().settings)->budget.money_usd, 10);
}

void TestRunResume::moreRoundsGoOn()
{
    RunSettings settings = m_world.settings();
    settings.rounds = 1;
    QCOMPARE(play("more.session", settings)->endedBy, QString("rounds"));
    QCOMPARE(play("more.session", settings)->rounds, 1); // ended, and nothing more was asked for
    settings.rounds = 3;
    QCOMPARE(play("more.session", settings)->rounds, 3);
    Run run(FakePlayers{}.factory(), nullptr);
    const auto summary = QCoro::waitFor(run.resume(m_world.path("more.session"), 4));
    QVERIFY(summary);
    QCOMPARE(summary->rounds, 4);
    QCOMPARE(run.trajectory().nodes.size(), 5);
    QVERIFY(run.trajectory().node(4)->isBase);
}

void TestRunResume::stopEndsTheStepInFlight()
{
    FakePlayers players;
    Run *current = nullptr;
    players.prepareEvaluator = [&current](FakeEvaluator &evaluator) {
        evaluator.onCall = [&current](int call) {
            if (call == 2) current->stop();
        };
    };
    {
        Run run(players.factory(), nullptr);
        current = &run;
        const auto summary = QCoro::waitFor(run.start(m_world.settings(), m_world.path("stopped.session")));
        QVERIFY(summary);
        QCOMPARE(summary->endedBy, QString("person"));
        QVERIFY(run.trajectory().node(1)->state == NodeState::Running);
    }
    // Going on later gives what an undisturbed run gives.
    Run run(FakePlayers{}.factory(), nullptr);
    QVERIFY(QCoro::waitFor(run.resume(m_world.path("stopped.session"))));
    QVERIFY(play("undisturbed.session", m_world.settings()));
    QCOMPARE(outline(run.trajectory()), outline(read(m_world.path("undisturbed.session"))));
}

void TestRunResume::pauseAndStep()
{
    RunSettings settings = m_world.settings();
    settings.rounds = 2;
    settings.stepMode = true;
    Run run(FakePlayers{}.factory(), nullptr);
    int pauses = 0;
    connect(&run, &Run::eventAppended, this, [&](const Event &event) {
        if (event.kind != u"run.paused") return;
        ++pauses;
        QTimer::singleShot(0, this, [&run] { run.unpause(); });
    });
    const auto summary = QCoro::waitFor(run.start(settings, m_world.path("step.session")));
    QVERIFY(summary);
    QCOMPARE(summary->endedBy, QString("rounds"));
    QCOMPARE(pauses, 2); // after each plan
    QVERIFY(!run.trajectory().paused);
}

void TestRunResume::theMemoryAtTheStartDecides()
{
    auto store = SkillStore::open(":memory:", m_world.path("skills"));
    QVERIFY(store);
    RunSettings settings = m_world.settings();
    settings.rounds = 1;
    QVERIFY(play("before.session", settings, {}, &*store));
    QCOMPARE(read(m_world.path("before.session")).node(1)->skill, QString("memory-coalescing"));
    QVERIFY(store->setState("memory-coalescing", SkillState::Rejected, "test", "test"));
    // A new run sees it; the old session, going on, does not.
    QVERIFY(play("after.session", settings, {}, &*store));
    QCOMPARE(read(m_world.path("after.session")).node(1)->skill, QString("warp-shuffle-reduction"));
    Run run(FakePlayers{}.factory(), &*store);
    QVERIFY(QCoro::waitFor(run.resume(m_world.path("before.session"), 2)));
    QCOMPARE(run.trajectory().node(2)->skill, QString("warp-shuffle-reduction"));
}

QTEST_GUILESS_MAIN(TestRunResume)
#include "tst_run_resume.moc"
