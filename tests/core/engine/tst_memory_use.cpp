// SPDX-License-Identifier: Apache-2.0
// What a run does with its two memories: repeats, overrides, ideas of a planner's own, edits, the ablations, proofs.
#include "engine/proof.h"
#include "fake_players.h"
#include "memory/longterm/draft.h"

#include <QCoroTest>

#include <QJsonDocument>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::test;

class TestMemoryUse : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void whoInsistsIsRefusedEachTime();
    void historySurvivesAChangeOfBase();
    void withoutShortTermMemoryRepeatsAreEvaluatedAndCounted();
    void aPersonMayOverrideAndItIsRecorded();
    void anOwnIdeaWaitsForWhatIsAllowed();
    void anOwnIdeaThatWinsTwiceBecomesADraft();
    void aProofPromotesOnlyOnGain();
    void anEditDuringARunCountsFromTheNextRound();
    void withoutLongTermMemoryNothingOfItIsSeen();

private:
    Result<RunSummary> play(const QString &session, const RunSettings &settings, const FakePlayers &players,
                            SkillStore *store = nullptr)
    {
        Run run(players.factory(), store);
        return QCoro::waitFor(run.start(settings, m_world.path(session)));
    }
    [[nodiscard]] QList<Event> events(const QString &session)
    {
        return *SessionFile::open(m_world.path(session), true)->events();
    }
    [[nodiscard]] Trajectory trajectory(const QString &session) { return Trajectory::fold(events(session)); }
    // A person with one idea, "block-cache", that is `factor` times as fast.
    [[nodiscard]] static FakePlayers personWithAnIdea(double factor)
    {
        FakePlayers players;
        players.prepareAgent = [factor](FakeAgent &agent) {
            agent.planOverride = [](const PlanRequest &) -> Result<Plan> {
                Plan plan;
                plan.method = "free";
                plan.skill = "block-cache";
                plan.rationale = "Keep the row in the block's shared memory.";
                plan.promises = {{"dram_bytes", "lower"}};
                plan.overridesPolicy = true;
                return plan;
            };
            agent.optimizeOverride = [factor](const OptimizeRequest &request) -> Result<CodeChange> {
                return CodeChange{FakeAgent::code(FakeAgent::speedOf(request.base) * factor, "cached"), "Cached"};
            };
        };
        return players;
    }

    FakeWorld m_world;
};

void TestMemoryUse::whoInsistsIsRefusedEachTime()
{
    int evaluations = 0;
    FakePlayers players;
    players.prepareEvaluator = [&](FakeEvaluator &evaluator) { evaluator.onCall = [&](int) { ++evaluations; }; };
    players.prepareAgent = [](FakeAgent &agent) {
        agent.planOverride = [](const PlanRequest &) -> Result<Plan> {
            Plan plan;
            plan.skill = "memory-coalescing";
            plan.parameters = {{"lanes", 32}};
            return plan;
        };
        // Always slower, so that the base stays: the same idea on another base would be another attempt.
        agent.optimizeOverride = [](const OptimizeRequest &request) -> Result<CodeChange> {
            return CodeChange{FakeAgent::code(0.5, request.plan.skill.section(u'-', 0, 0)), "Slower"};
        };
    };
    RunSettings settings = m_world.settings();
    settings.rounds = 3;
    const auto summary = play("insists.session", settings, players);
    QVERIFY2(summary, qPrintable(summary ? QString() : summary.error().message));
    int refused = 0;
    const QList<Event> recorded = events("insists.session");
    for (const Event &event : recorded) {
        if (event.kind != u"round.refused") continue;
        QCOMPARE(event.data.value("plan").toObject().value("skill").toString(), QString("memory-coalescing"));
        QCOMPARE(event.data.value("reason").toString(),
                 QString("memory-coalescing with these parameters was tried on this base already (node 1: verified)"));
        ++refused;
    }
    QCOMPARE(refused, 8); // four times in each of two rounds
    // The baseline, the idea once, and what the engine took instead.
    QCOMPARE(evaluations, 4);
    QCOMPARE(trajectory("insists.session").nodes.size(), 4);
    QCOMPARE(summary->json.value("repeats").toInt(), 0);
}

void TestMemoryUse::historySurvivesAChangeOfBase()
{
    QList<qsizetype> known; // attempts the planner is told of, by call
    FakePlayers players;
    players.prepareAgent = [&](FakeAgent &agent) {
        agent.planOverride = [&](const PlanRequest &request) -> Result<Plan> {
            known.append(request.attempts.all().size());
            Plan plan;
            plan.skill = request.attempts.all().size() == 1   ? "memory-coalescing"
                         : request.attempts.all().size() == 2 ? "vectorised-access"
                                                              : "online-softmax";
            return plan;
        };
        agent.optimizeOverride = [](const OptimizeRequest &request) -> Result<CodeChange> {
            if (request.plan.skill == u"memory-coalescing") return CodeChange{FakeAgent::code(1.01, "first"), "Little"};
            if (request.plan.skill == u"vectorised-access") return CodeChange{FakeAgent::code(2, "second"), "Much"};
            if (request.plan.skill == u"online-softmax") return CodeChange{FakeAgent::code(1.01, "first"), "Node 1's"};
            return CodeChange{FakeAgent::code(0.4, request.plan.skill.section(u'-', 0, 0)), "Slower"};
        };
    };
    RunSettings settings = m_world.settings();
    settings.rounds = 3;
    QVERIFY(play("bases.session", settings, players));
    const Trajectory run = trajectory("bases.session");
    QCOMPARE(run.node(2)->parent, 0);
    QVERIFY(run.node(2)->wasBase);
    QCOMPARE(run.node(3)->parent, 2);
    QCOMPARE(known.mid(0, 3), QList<qsizetype>({1, 2, 3})); // on the new base the planner still knows of node 1
    // Code of the old base's time is known too.
    QVERIFY(run.rounds[2].refusals.contains("online-softmax gave the code of node 1 again"));
}

void TestMemoryUse::withoutShortTermMemoryRepeatsAreEvaluatedAndCounted()
{
    int evaluations = 0;
    bool told = false;
    FakePlayers players;
    players.prepareEvaluator = [&](FakeEvaluator &evaluator) { evaluator.onCall = [&](int) { ++evaluations; }; };
    players.prepareAgent = [&](FakeAgent &agent) {
        agent.planOverride = [&](const PlanRequest &request) -> Result<Plan> {
            told = told || !request.attempts.all().isEmpty();
            Plan plan;
            plan.skill = "memory-coalescing";
            return plan;
        };
        agent.optimizeOverride = [](const OptimizeRequest &) -> Result<CodeChange> {
            return CodeChange{FakeAgent::code(0.5, "again"), "Again"};
        };
    };
    RunSettings settings = m_world.settings();
    settings.rounds = 5;
    settings.shortTerm = false;
    const auto summary = play("repeats.session", settings, players);
    QVERIFY(summary);
    QCOMPARE(evaluations, 6);
    QCOMPARE(summary->json.value("repeats").toInt(), 4);
    QVERIFY(!told);
}

void TestMemoryUse::aPersonMayOverrideAndItIsRecorded()
{
    FakePlayers players;
    players.prepareAgent = [](FakeAgent &agent) {
        agent.planOverride = [](const PlanRequest &) -> Result<Plan> {
            Plan plan;
            plan.method = "M8";
            plan.skill = "shared-memory-tiling";
            plan.overridesPolicy = true;
            return plan;
        };
    };
    RunSettings settings = m_world.settings();
    settings.rounds = 1;
    settings.cast = {{Role::Planner, "manual"}};
    QVERIFY(play("override.session", settings, players));
    const Trajectory run = trajectory("override.session");
    QCOMPARE(run.node(1)->skill, QString("shared-memory-tiling"));
    QVERIFY(run.node(1)->plan.overridesPolicy);
    QVERIFY(run.rounds.first().refusals.isEmpty());
}

void TestMemoryUse::anOwnIdeaWaitsForWhatIsAllowed()
{
    QStringList refusals;
    FakePlayers players = personWithAnIdea(1.5);
    const auto prepare = players.prepareAgent;
    players.prepareAgent = [&, prepare](FakeAgent &agent) {
        prepare(agent);
        const auto plan = agent.planOverride;
        agent.planOverride = [&, plan](const PlanRequest &request) {
            if (!request.refusals.isEmpty()) refusals.append(request.refusals.last());
            return plan(request);
        };
        agent.optimizeOverride = [](const OptimizeRequest &request) -> Result<CodeChange> {
            if (request.plan.isFreeForm()) return CodeChange{FakeAgent::code(9, "own"), "Own"};
            return failure("optimise.inapplicable", "not here");
        };
    };
    RunSettings settings = m_world.settings();
    settings.rounds = 2;
    QVERIFY(play("own.session", settings, players)); // a program's planner, not a person's
    QVERIFY(!refusals.isEmpty());
    QVERIFY2(refusals.first().startsWith("block-cache is an idea of one's own; first choose one of what the evidence "
                                         "allows: memory-coalescing, "),
             qPrintable(refusals.first()));
    // The engine tried all that is allowed, in vain; the run is over, for nothing allowed was left in this round.
    QCOMPARE(trajectory("own.session").endedBy, QString("exhausted"));
    // A run that goes on may try it now: all that is allowed was tried on this base.
    Run run(players.factory(), nullptr);
    QVERIFY(QCoro::waitFor(run.resume(m_world.path("own.session"), 5)));
    const auto &nodes = run.trajectory().nodes;
    const bool taken = std::ranges::any_of(nodes, [](const TrajectoryNode &node) { return node.skill == u"block-cache"; });
    QVERIFY(taken);
}

void TestMemoryUse::anOwnIdeaThatWinsTwiceBecomesADraft()
{
    auto store = SkillStore::open(":memory:", m_world.path("skills"));
    QVERIFY(store);
    RunSettings settings = m_world.settings();
    settings.rounds = 1;
    settings.cast = {{Role::Planner, "manual"}};
    const FakePlayers players = personWithAnIdea(1.5);
    QVERIFY(play("win-1.session", settings, players, &*store));
    QVERIFY(!*store->skill("block-cache")); // once may be luck
    QVERIFY(play("loss.session", settings, personWithAnIdea(0.9), &*store));
    QVERIFY(!*store->skill("block-cache"));
    QVERIFY(play("win-2.session", settings, players, &*store));
    const auto draft = *store->skill("block-cache");
    QVERIFY(draft);
    QVERIFY(draft->state == SkillState::Draft);
    QCOMPARE(draft->title, QString("Block cache"));
    QCOMPARE(draft->structures, QStringList({"S3"}));
    QCOMPARE(draft->promises.size(), 1);
    QCOMPARE(draft->promises.first().metric, QString("dram_bytes"));
    QCOMPARE(draft->promises.first().change, QString("lower"));
    for (const char *session : {"win-1.session", "win-2.session"})
        QVERIFY(draft->body.contains("session " + SessionFile::open(m_world.path(session), true)->id() + ", node 1"));
    QVERIFY(!draft->body.contains(SessionFile::open(m_world.path("loss.session"), true)->id()));
    QVERIFY2(draft->body.contains("float speed = 1.5; cached(); }"), qPrintable(draft->body));
    const QList<Event> recorded = events("win-2.session");
    QCOMPARE(int(std::ranges::count(recorded, QString("memory.draft"), &Event::kind)), 1);
    // Nobody is offered a draft.
    RunSettings plain = m_world.settings();
    plain.rounds = 1;
    QStringList offered;
    FakePlayers looking;
    looking.prepareAgent = [&](FakeAgent &agent) {
        agent.planOverride = [&](const PlanRequest &request) -> Result<Plan> {
            for (const Skill &skill : request.skills)
                offered.append(skill.name);
            return failure("plan.none", "looked");
        };
    };
    QVERIFY(play("look.session", plain, looking, &*store));
    QVERIFY(offered.contains("memory-coalescing"));
    QVERIFY(!offered.contains("block-cache"));
}

void TestMemoryUse::aProofPromotesOnlyOnGain()
{
    RunSettings settings = m_world.settings();
    settings.rounds = 1;
    settings.cast = {{Role::Planner, "manual"}};
    const FakePlayers players = personWithAnIdea(1.5);
    QVERIFY(play("proof.session", settings, players));
    Skill skill;
    skill.name = "block-cache";
    skill.promises = {{"dram_bytes", "lower", {}}, {"dram_throughput_pct", "lower", {}}};
    const auto proofOf = [&](const QString &name, int node) {
        Skill one = skill;
        one.name = name;
        return QCoro::waitFor(prove({m_world.path("proof.session"), node, {}, 0}, players.factory(), one,
                                    [](const EvaluationProgress &) {}, {}));
    };
    // The node applies the skill: it against what it was made from.
    auto proof = proofOf("block-cache", 1);
    QVERIFY2(proof, qPrintable(proof ? QString() : proof.error().message));
    QCOMPARE(proof->without, 0);
    QCOMPARE(proof->with, 1);
    QVERIFY(proof->proved);
    QCOMPARE(proof->gain->value, 1.5);
    QCOMPARE(proof->observed.size(), 2);
    QVERIFY(proof->observed[0].kept == true);
    QVERIFY(proof->observed[1].kept == false);
    // It does not: the session's optimizer applies the skill to it.
    proof = proofOf("another-idea", 0);
    QVERIFY(proof);
    QCOMPARE(proof->without, 0);
    QCOMPARE(proof->with, -1);
    QVERIFY(proof->proved);
    proof = QCoro::waitFor(prove({m_world.path("proof.session"), 0, {}, 0},
                                 personWithAnIdea(1.0005).factory(), skill, [](const EvaluationProgress &) {}, {}));
    QVERIFY(proof);
    QVERIFY(!proof->proved);
    QCOMPARE(proof->why, QString("the interval of the gain does not lie above 1"));
    const auto nowhere = proofOf("block-cache", 9);
    QVERIFY(!nowhere);
    QCOMPARE(nowhere.error().code, QString("proof.node"));
    QVERIFY(nowhere.error().message.endsWith("has no node 9; it has 0 to 1"));
}

void TestMemoryUse::anEditDuringARunCountsFromTheNextRound()
{
    const QString text = "---\nname: memory-coalescing\ndescription: Edited\nmetadata:\n  method: M3\n---\nNew words\n";
    QStringList bodies;
    FakePlayers players;
    players.prepareAgent = [&](FakeAgent &agent) {
        agent.planOverride = [&](const PlanRequest &request) -> Result<Plan> {
            for (const Skill &skill : request.skills) {
                if (skill.name == u"memory-coalescing") bodies.append(skill.body + u' ' + QString::number(skill.revision));
            }
            Plan plan;
            plan.skill = bodies.size() == 1 ? "online-softmax" : "vectorised-access";
            return plan;
        };
    };
    Run run(players.factory(), nullptr);
    bool brokenRefused = false;
    connect(&run, &Run::eventAppended, this, [&](const Event &event) {
        if (event.kind != u"round.retrieval" || event.data.value("round").toInt() != 1) return;
        brokenRefused = !run.applySkillText("memory-coalescing", "no front matter", 2, "typo");
        QVERIFY(run.applySkillText("memory-coalescing", text, 2, "clearer"));
    });
    RunSettings settings = m_world.settings();
    settings.rounds = 2;
    QVERIFY(QCoro::waitFor(run.start(settings, m_world.path("edit.session"))));
    QVERIFY(brokenRefused);
    // The edit comes after the retrieval of round 1 and before its planner is asked: that already gets the new words.
    QCOMPARE(bodies, QStringList({"New words 2", "New words 2"}));
}

void TestMemoryUse::withoutLongTermMemoryNothingOfItIsSeen()
{
    QFile skill(m_world.path("skills/memory-coalescing/SKILL.md"));
    QVERIFY(skill.open(QIODevice::ReadOnly));
    const QByteArray original = skill.readAll();
    skill.close();
    QVERIFY(skill.open(QIODevice::WriteOnly));
    skill.write("---\nname: memory-coalescing\ndescription: Zanzibar\nmetadata:\n  method: M3\n  prohibits: [Zanzibar]\n---\nZanzibar\n");
    skill.close();
    auto store = SkillStore::open(":memory:", m_world.path("skills"));
    QVERIFY(store);
    LedgerEntry entry;
    entry.session = "s";
    entry.skill = "vectorised-access";
    entry.architecture = "sm_90";
    entry.verdict = "verified";
    entry.logSpeedup = 3;
    entry.interval = {19, 21};
    QVERIFY(store->record(entry));
    for (const LongTerm mode : {LongTerm::Off, LongTerm::Learning}) {
        QString seen, reasons;
        FakePlayers players;
        players.prepareAgent = [&](FakeAgent &agent) {
            agent.planOverride = [&](const PlanRequest &request) -> Result<Plan> {
                for (const Skill &one : request.skills)
                    seen += one.body + one.description + one.prohibits.join(u' ');
                for (const RankedMethod &method : request.retrieval.allowed)
                    reasons += method.reason;
                Plan plan;
                plan.skill = "memory-coalescing";
                return plan;
            };
            agent.optimizeOverride = [&](const OptimizeRequest &request) -> Result<CodeChange> {
                seen += request.skill.body + request.skill.description;
                return CodeChange{FakeAgent::code(2, "done"), "Done"};
            };
        };
        RunSettings settings = m_world.settings();
        settings.longTerm = mode;
        settings.rounds = 1;
        const QString name = QStringLiteral("off-%1.session").arg(int(mode));
        QVERIFY(play(name, settings, players, &*store));
        const auto session = SessionFile::open(m_world.path(name), true);
        bool inFile = false;
        const QList<Event> recorded = *session->events();
        for (const Event &event : recorded) {
            inFile = inFile || QJsonDocument(event.data).toJson().contains("Zanzibar");
            for (const QString &key : event.data.keys()) {
                if (key.endsWith("_blob")) inFile = inFile || session->blob(event.data.value(key).toString())->contains("Zanzibar");
            }
        }
        // The other mode shows that the test would see it.
        QCOMPARE(seen.contains("Zanzibar"), mode != LongTerm::Off);
        QCOMPARE(inFile, mode != LongTerm::Off);
        QCOMPARE(reasons.contains("expected"), mode != LongTerm::Off);
    }
    QVERIFY(skill.open(QIODevice::WriteOnly));
    skill.write(original);
}

QTEST_GUILESS_MAIN(TestMemoryUse)
#include "tst_memory_use.moc"
