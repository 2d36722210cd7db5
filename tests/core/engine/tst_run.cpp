// SPDX-License-Identifier: Apache-2.0
// The whole loop with a fake evaluator and agent: what it decides, and that it decides it again.
#include "run_test.h"

#include <QJsonArray>

using namespace kernelskill;
using namespace kernelskill::test;

class TestRun : public RunTest
{
    Q_OBJECT
private Q_SLOTS:
    void theWholeLoop();
    void theSummary();
    void sameSeedSameEvents();
    void aWaitIsOnRecord();
    void aReplyOutsideThePolicy();
    void aChainOfRepairsEnds();
    void theSameFixIsRefused();
    void severalSeeds();
    void aFailingBaseline();
    void aPersonsChangeCountsFromTheNextRound();
    void learningFillsTheLedger();
    void longTermOff();
    void errorsOfTheEnvironment();
};

void TestRun::theWholeLoop()
{
    const auto summary = play("whole.session", m_world.settings());
    QVERIFY2(summary, qPrintable(summary ? QString() : summary.error().message));
    const Trajectory trajectory = read(m_world.path("whole.session"));
    // Round 1 coalesces. Round 2 breaks the build; rounds 3 and 4 repair it. Round 5: work-per-thread gives the same
    // code and launch-tuning does not apply, so vectorised-access is tried: a gain too small for a base. Round 6 is
    // slower. Then nothing is left that the planner has not tried.
    const QStringList expected{
        "0<-1 r0 seed - verified base",
        "1<0 r1 optimise memory-coalescing verified base",
        "2<1 r2 optimise warp-shuffle-reduction failed",
        "3<2 r3 repair warp-shuffle-reduction failed",
        "4<3 r4 repair warp-shuffle-reduction verified base",
        "5<4 r5 optimise vectorised-access verified best",
        "6<4 r6 optimise online-softmax verified",
    };
    QCOMPARE(outline(trajectory), expected);
    QCOMPARE(trajectory.endedBy, QString("exhausted"));
    QCOMPARE(trajectory.rounds[4].refusals,
             QStringList({"work-per-thread gave the code of node 4 again", "launch-tuning: nothing to tune"}));
    QCOMPARE(trajectory.node(2)->why, QString("build: error: broken"));
    QCOMPARE(trajectory.node(1)->stepSpeedup->value, 2.0);
    QCOMPARE(trajectory.node(4)->stepSpeedup->value, 2.5); // over node 1, which the failing candidate was made from
    QCOMPARE(trajectory.node(4)->speedup->value, 5.0);
    QCOMPARE(*trajectory.node(1)->observed.first().kept, true);
    QCOMPARE(trajectory.node(6)->parent, 4);
    QCOMPARE(trajectory.bestPath(), QList<int>({0, 1, 2, 3, 4, 5}));
}

void TestRun::theSummary()
{
    const auto summary = play("summary.session", m_world.settings());
    QVERIFY(summary);
    QCOMPARE(summary->nodes, 7);
    QCOMPARE(*summary->baseline_us, 1000.0);
    const QJsonObject &json = summary->json;
    QCOMPARE(json.value("task").toString(), QString("row_softmax"));
    QCOMPARE(json.value("session").toString(), m_world.path("summary.session"));
    QCOMPARE(json.value("stopped_by").toString(), QString("exhausted"));
    QCOMPARE(json.value("baseline_us").toDouble(), 1000.0);
    const QJsonObject best = json.value("best").toObject();
    QCOMPARE(best.value("node").toInt(), 5);
    QCOMPARE(best.value("verdict").toString(), QString("verified"));
    QCOMPARE(best.value("kind").toString(), QString("modelled"));
    QVERIFY(qAbs(best.value("speedup").toDouble() - 5.05) < 1e-9);
    QCOMPARE(best.value("interval").toArray().size(), 2);
    QCOMPARE(best.value("skills").toArray(),
             QJsonArray({"memory-coalescing", "warp-shuffle-reduction", "vectorised-access"}));
    QCOMPARE(json.value("llm").toObject(),
             QJsonObject({{"calls", 0}, {"tokens_in", 0}, {"tokens_out", 0}, {"tokens_cached", 0}, {"cost_usd", 0}}));
}

void TestRun::sameSeedSameEvents()
{
    QVERIFY(play("first.session", m_world.settings()));
    QVERIFY(play("second.session", m_world.settings()));
    const auto first = SessionFile::open(m_world.path("first.session"), true),
               second = SessionFile::open(m_world.path("second.session"), true);
    const auto firstEvents = first->events(), secondEvents = second->events();
    QCOMPARE(firstEvents->size(), secondEvents->size());
    for (qsizetype i = 0; i < firstEvents->size(); ++i) {
        Event a = firstEvents->at(i), b = secondEvents->at(i);
        a.data.remove("wall_ms");
        b.data.remove("wall_ms");
        QCOMPARE(a.kind, b.kind);
        QCOMPARE(a.data, b.data);
    }
}

void TestRun::aWaitIsOnRecord()
{
    const qint64 until = 1'800'000'000'000;
    FakePlayers players;
    std::optional<Waiting> seen;
    Run run(
        [&] {
            players.prepareAgent = [&](FakeAgent &agent) {
                agent.onPlan = [&](const RoleContext &context) {
                    context.waits({until, "it answers 429"});
                    seen = run.trajectory().waiting;
                };
            };
            return players.factory();
        }(),
        nullptr);
    RunSettings settings = m_world.settings();
    settings.rounds = 1;
    QVERIFY(QCoro::waitFor(run.start(settings, m_world.path("waits.session"))));
    QVERIFY(seen);
    QCOMPARE(seen->until_ms, until);
    QCOMPARE(seen->why, QString("it answers 429"));
    QVERIFY(!run.trajectory().waiting); // and over with the call
}

void TestRun::aReplyOutsideThePolicy()
{
    FakePlayers players;
    QStringList seen;
    players.prepareAgent = [&seen](FakeAgent &agent) {
        agent.planOverride = [&seen](const PlanRequest &request) -> Result<Plan> {
            seen.append(request.refusals.isEmpty() ? QStringLiteral("-") : request.refusals.last());
            Plan plan;
            plan.method = "M8";
            plan.overridesPolicy = true; // a program may not
            return plan;
        };
    };
    RunSettings settings = m_world.settings();
    settings.rounds = 1;
    QVERIFY(play("outside.session", settings, players));
    QCOMPARE(seen.size(), 2); // sent back once, then the engine chose
    QCOMPARE(seen[0], QString("-"));
    QVERIFY2(seen[1].startsWith("M8 is not allowed now; choose one of: memory-coalescing, "), qPrintable(seen[1]));
    const Trajectory trajectory = read(m_world.path("outside.session"));
    QCOMPARE(trajectory.node(1)->skill, QString("memory-coalescing"));
    QVERIFY(trajectory.node(1)->plan.rationale.startsWith("Taken by the engine"));
    QCOMPARE(trajectory.rounds.first().refusals.size(), 2);
}

void TestRun::aChainOfRepairsEnds()
{
    FakePlayers players;
    players.prepareAgent = [](FakeAgent &agent) {
        agent.repairOverride = [](const RepairRequest &request) -> Result<CodeChange> {
            return CodeChange{FakeAgent::code(5, QStringLiteral("broken_%1").arg(request.failure.chain.size())),
                              "Still broken"};
        };
    };
    RunSettings settings = m_world.settings();
    settings.repairLimit = 3;
    settings.rounds = 6;
    QVERIFY(play("chain.session", settings, players));
    const QStringList expected{
        "0<-1 r0 seed - verified base",
        "1<0 r1 optimise memory-coalescing verified base best",
        "2<1 r2 optimise warp-shuffle-reduction failed",
        "3<2 r3 repair warp-shuffle-reduction failed",
        "4<3 r4 repair warp-shuffle-reduction failed",
        "5<4 r5 repair warp-shuffle-reduction failed",
        "6<1 r6 optimise vectorised-access verified best",
    };
    QStringList found = outline(read(m_world.path("chain.session")));
    QVERIFY(found[1].endsWith("base"));
    found[1] += " best"; // best moved on to node 6
    QCOMPARE(found, expected);
    int rollbacks = 0;
    const QList<Event> events = *SessionFile::open(m_world.path("chain.session"), true)->events();
    for (const Event &event : events) {
        if (event.kind != u"repair.rollback") continue;
        ++rollbacks;
        QCOMPARE(event.data.value("node").toInt(), 5);
        QCOMPARE(event.data.value("to").toInt(), 1);
    }
    QCOMPARE(rollbacks, 1);
}

void TestRun::theSameFixIsRefused()
{
    FakePlayers players;
    players.prepareAgent = [](FakeAgent &agent) {
        agent.repairOverride = [](const RepairRequest &) -> Result<CodeChange> {
            return CodeChange{FakeAgent::code(5, "broken_same"), "Same"};
        };
    };
    RunSettings settings = m_world.settings();
    settings.rounds = 5;
    QVERIFY(play("samefix.session", settings, players));
    const Trajectory trajectory = read(m_world.path("samefix.session"));
    // The second repair writes the first one's code again: refused twice, given up, back to the base.
    QVERIFY(trajectory.node(4)->candidateBlob.isEmpty());
    QCOMPARE(trajectory.node(4)->why, QString("the repaired code is that of node 3"));
    QCOMPARE(trajectory.node(5)->parent, 1);
    QCOMPARE(trajectory.node(5)->skill, QString("vectorised-access"));
}

void TestRun::severalSeeds()
{
    RunSettings settings = m_world.settings();
    settings.seeds = 3;
    settings.rounds = 1;
    QVERIFY(play("seeds.session", settings));
    const Trajectory trajectory = read(m_world.path("seeds.session"));
    QCOMPARE(trajectory.nodes.size(), 4);
    QCOMPARE(trajectory.node(0)->agent, QString("task"));
    QCOMPARE(trajectory.node(2)->agent, QString("fake"));
    QCOMPARE(trajectory.node(2)->speedup->value, 2.1);
    QCOMPARE(trajectory.node(3)->parent, 2); // the fastest seed is the base
}

void TestRun::aFailingBaseline()
{
    FakePlayers players;
    players.prepareAgent = [](FakeAgent &agent) {
        agent.repairOverride = [](const RepairRequest &) -> Result<CodeChange> {
            return failure("repair.give_up", "no idea");
        };
    };
    // A task whose baseline does not pass.
    const QDir folder(m_world.path("failing"));
    QVERIFY(folder.mkpath("."));
    for (const char *name : {"task.json", "reference.cpp", "baseline.cu", "vendor.cu"}) {
        QVERIFY(QFile::copy(QStringLiteral(SOURCE_DIR "/resources/tasks/row_softmax/") + name, folder.filePath(name)));
    }
    QFile file(folder.filePath("baseline.cu"));
    QVERIFY(file.open(QIODevice::Append));
    file.write("\nvoid wrong();\n");
    file.close();
    RunSettings settings = m_world.settings();
    settings.taskFolder = folder.path();
    const auto summary = play("failing.session", settings, players);
    QVERIFY2(summary, qPrintable(summary ? QString() : summary.error().message));
    QCOMPARE(summary->endedBy, QString("exhausted"));
    QCOMPARE(summary->message, QString("no first candidate passes its checks"));
    QVERIFY(summary->json.value("best").isNull());
}

void TestRun::aPersonsChangeCountsFromTheNextRound()
{
    Run run(FakePlayers{}.factory(), nullptr);
    connect(&run, &Run::eventAppended, this, [&run](const Event &event) {
        if (event.kind == u"round.retrieval" && event.data.value("round").toInt() == 1) {
            run.applySkillState("warp-shuffle-reduction", SkillState::Rejected, "does not build here");
            run.applySkillState("online-softmax", SkillState::Pinned, "try this");
        }
    });
    RunSettings settings = m_world.settings();
    settings.rounds = 2;
    QVERIFY(QCoro::waitFor(run.start(settings, m_world.path("person.session"))));
    QCOMPARE(run.trajectory().node(1)->skill, QString("memory-coalescing"));
    QCOMPARE(run.trajectory().node(2)->skill, QString("online-softmax"));
}

void TestRun::learningFillsTheLedger()
{
    auto store = SkillStore::open(":memory:", m_world.path("skills"));
    QVERIFY(store);
    RunSettings settings = m_world.settings();
    settings.longTerm = LongTerm::Frozen;
    QVERIFY(play("frozen.session", settings, {}, &*store));
    QVERIFY(store->statistics()->isEmpty());
    settings.longTerm = LongTerm::Learning;
    QVERIFY(play("learning.session", settings, {}, &*store));
    const auto coalescing = store->ledger("memory-coalescing");
    QCOMPARE(coalescing->size(), 1);
    const LedgerEntry &entry = coalescing->first();
    QCOMPARE(entry.session, SessionFile::open(m_world.path("learning.session"), true)->id());
    QCOMPARE(entry.node, 1);
    QCOMPARE(entry.task, QString("row_softmax"));
    QCOMPARE(entry.method, QString("M3"));
    QCOMPARE(entry.architecture, QString("sm_90"));
    QCOMPARE(entry.bottleneck, QString("uncoalesced_access"));
    QCOMPARE(entry.structure, QString("S3"));
    QCOMPARE(entry.verdict, QString("verified"));
    QVERIFY(qAbs(entry.logSpeedup - std::log(2.0)) < 1e-12);
    const QList<LedgerEntry> shuffles = *store->ledger("warp-shuffle-reduction");
    QCOMPARE(shuffles.size(), 3); // the attempt and its two repairs
    for (const LedgerEntry &row : shuffles)
        QCOMPARE(row.bottleneck, QString("uncoalesced_access"));
}

void TestRun::longTermOff()
{
    RunSettings settings = m_world.settings();
    settings.longTerm = LongTerm::Off;
    settings.rounds = 1;
    bool bare = false;
    FakePlayers players;
    players.prepareAgent = [&bare](FakeAgent &agent) {
        agent.planOverride = [&bare](const PlanRequest &request) -> Result<Plan> {
            bare = request.skills.size() == 6 &&
                   std::ranges::all_of(request.skills, [](const Skill &skill) { return skill.body.isEmpty(); });
            Plan plan;
            plan.skill = "vectorised-access";
            return plan;
        };
    };
    QVERIFY(play("off.session", settings, players));
    QVERIFY(bare);
    QCOMPARE(read(m_world.path("off.session")).node(1)->method, QString("M11"));
}

void TestRun::errorsOfTheEnvironment()
{
    RunSettings settings = m_world.settings();
    settings.taskFolder = m_world.path("nowhere");
    QVERIFY(!play("none.session", settings));
    QVERIFY(!QFile::exists(m_world.path("none.session"))); // nothing is left behind
    settings = m_world.settings();
    settings.evaluator = "missing";
    QCOMPARE(play("none.session", settings).error().code, QString("plugin.missing"));
    settings = m_world.settings();
    settings.device = "b200";
    QCOMPARE(play("none.session", settings).error().code, QString("evaluator.device"));
    Run run(FakePlayers{}.factory(), nullptr);
    QCOMPARE(QCoro::waitFor(run.resume(m_world.path("none.session"))).error().code, QString("session.missing"));
}

QTEST_GUILESS_MAIN(TestRun)
#include "tst_run.moc"
