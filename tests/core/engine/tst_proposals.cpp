// SPDX-License-Identifier: Apache-2.0
// What a person does beside the rounds: code, plans, another evaluation, another base.
#include "fake_players.h"

#include <QCoroTask>
#include <QTest>
#include <QTimer>

using namespace kernelskill;
using namespace kernelskill::test;

class TestProposals : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void ownCodeBetweenTwoRounds();
    void ownCodeWhileTheRunWaits();
    void ownCodeThatFailsIsThePersonsToMend();
    void ownPlanOnAnEarlierNode();
    void aPlanThatWasTriedIsRefused();
    void anotherEvaluation();
    void anotherBase();
    void refusedAtOnce_data();
    void refusedAtOnce();
    void inASessionNobodyRuns();
    void aSessionThatWasKilledStaysOpen();
    void aKillBeforeTheEvaluation();

private:
    // Proposes when the retrieval of round 1 is on record, so between rounds 1 and 2.
    Result<RunSummary> playWith(Run &run, const QString &session, const Proposal &proposal, int rounds = 2);
    FakeWorld m_world;
};

namespace {

Proposal ownCode(int node, double speed, const QString &word)
{
    return {Proposal::Kind::Code, node, FakeAgent::code(speed, word), QStringLiteral("By hand"), {}};
}

Proposal ownPlan(int node, const QString &skill)
{
    Plan plan;
    plan.skill = skill;
    return {Proposal::Kind::Plan, node, {}, {}, plan};
}

int count(const SessionFile &session, const QString &kind)
{
    const auto events = session.events();
    return events ? int(std::ranges::count(*events, kind, &Event::kind)) : -1;
}

} // namespace

Result<RunSummary> TestProposals::playWith(Run &run, const QString &session, const Proposal &proposal, int rounds)
{
    connect(&run, &Run::eventAppended, this, [&run, proposal](const Event &event) {
        if (event.kind == u"round.retrieval" && event.data.value("round").toInt() == 1) QVERIFY(run.propose(proposal));
    });
    RunSettings settings = m_world.settings();
    settings.rounds = rounds;
    return QCoro::waitFor(run.start(settings, m_world.path(session)));
}

void TestProposals::ownCodeBetweenTwoRounds()
{
    Run run(FakePlayers{}.factory(), nullptr);
    const auto summary = playWith(run, "own.session", ownCode(0, 3, "byHand"));
    QVERIFY2(summary, qPrintable(summary ? QString() : summary.error().message));
    const TrajectoryNode *node = run.trajectory().node(2);
    QVERIFY(node);
    QVERIFY(node->isHuman);
    QCOMPARE(node->agent, QString("person"));
    QCOMPARE(node->parent, 0);
    QCOMPARE(node->round, 1); // the column after its parent's
    QCOMPARE(node->summary, QString("By hand"));
    QVERIFY(node->state == NodeState::Verified);
    QVERIFY(node->wasBase); // 3× beats the 2× of round 1
    QVERIFY(qAbs(node->speedup->value - 3) < 0.01);
    // The next round is the second and builds on it.
    QCOMPARE(run.trajectory().node(3)->round, 2);
    QCOMPARE(run.trajectory().node(3)->parent, 2);
    QCOMPARE(summary->rounds, 2);
}

void TestProposals::ownCodeWhileTheRunWaits()
{
    Run run(FakePlayers{}.factory(), nullptr);
    int pauses = 0;
    connect(&run, &Run::eventAppended, this, [&](const Event &event) {
        if (event.kind == u"node.evaluated" && event.data.value("node").toInt() == 0) run.pause();
        if (event.kind != u"run.paused") return;
        if (++pauses == 1)
            QTimer::singleShot(0, this, [&run] { QVERIFY(run.propose(ownCode(0, 3, "byHand"))); });
        else
            QTimer::singleShot(0, this, [&run] { run.unpause(); });
    });
    RunSettings settings = m_world.settings();
    settings.rounds = 1;
    QVERIFY(QCoro::waitFor(run.start(settings, m_world.path("waits.session"))));
    QCOMPARE(pauses, 2); // it waits again after the proposal
    QVERIFY(run.trajectory().node(1)->isHuman);
    QCOMPARE(run.trajectory().node(2)->round, 1);
    QCOMPARE(run.trajectory().node(2)->parent, 1);
}

void TestProposals::ownCodeThatFailsIsThePersonsToMend()
{
    Run run(FakePlayers{}.factory(), nullptr);
    QVERIFY(playWith(run, "fails.session", ownCode(0, 9, "broken")));
    QVERIFY(run.trajectory().node(2)->state == NodeState::Failed);
    QVERIFY(run.trajectory().node(2)->isHuman);
    const TrajectoryNode *next = run.trajectory().node(3);
    QCOMPARE(next->kind, QString("optimise")); // no repair of what a person wrote
    QCOMPARE(next->parent, 1);
    QCOMPARE(next->round, 2);
}

void TestProposals::ownPlanOnAnEarlierNode()
{
    Run run(FakePlayers{}.factory(), nullptr);
    QVERIFY(playWith(run, "plan.session", ownPlan(0, "vectorised-access"), 3));
    const TrajectoryNode *node = run.trajectory().node(2);
    QCOMPARE(node->parent, 0); // not the base, node 1
    QCOMPARE(node->skill, QString("vectorised-access"));
    QCOMPARE(node->round, 2);  // a round of its own
    QVERIFY(!node->isHuman);   // the optimizer wrote it
    const auto record = std::ranges::find(run.trajectory().rounds, 2, &RoundRecord::round);
    QCOMPARE(record->base, 0);
    QVERIFY(!record->retrievalBlob.isEmpty()); // why the policy would or would not is on record
    QCOMPARE(run.trajectory().node(3)->round, 3);
    QCOMPARE(run.trajectory().node(3)->parent, 1);
}

void TestProposals::aPlanThatWasTriedIsRefused()
{
    Run run(FakePlayers{}.factory(), nullptr);
    QVERIFY(playWith(run, "again.session", ownPlan(0, "memory-coalescing"), 2));
    const auto record = std::ranges::find(run.trajectory().rounds, 2, &RoundRecord::round);
    QVERIFY(record != run.trajectory().rounds.end());
    // Round 2 was asked for in vain; done again as the run's own, it is the run's.
    QCOMPARE(count(*run.session(), "round.refused") >= 1, true);
    QCOMPARE(std::ranges::count(run.trajectory().nodes, QString("memory-coalescing"), &TrajectoryNode::skill), 1);
    QCOMPARE(run.trajectory().lastRound(), 2);
    QVERIFY(std::ranges::none_of(run.trajectory().nodes,
                                 [](const TrajectoryNode &node) { return node.state == NodeState::Running; }));
}

void TestProposals::anotherEvaluation()
{
    Run run(FakePlayers{}.factory(), nullptr);
    QVERIFY(playWith(run, "evaluation.session", {Proposal::Kind::Evaluation, 0, {}, {}, {}}, 1));
    const auto events = run.session()->events();
    int evaluations = 0;
    for (const Event &event : *events)
        evaluations += event.kind == u"node.evaluated" && event.data.value("node").toInt() == 0;
    QCOMPARE(evaluations, 2);
    QCOMPARE(run.trajectory().base, 1); // the baseline does not come back as base by it
    QVERIFY(run.trajectory().node(0)->state == NodeState::Verified);
}

void TestProposals::anotherBase()
{
    Run run(FakePlayers{}.factory(), nullptr);
    QVERIFY(playWith(run, "base.session", {Proposal::Kind::Base, 0, {}, {}, {}}));
    QCOMPARE(run.trajectory().node(2)->parent, 0);
    QCOMPARE(run.trajectory().best, 1);
}

void TestProposals::refusedAtOnce_data()
{
    QTest::addColumn<Proposal>("proposal");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("says");
    QTest::newRow("no such node") << ownCode(40, 3, "x") << "proposal.node" << "no node 40";
    QTest::newRow("code of an earlier node") << ownCode(0, 2, "coalesced") << "proposal.repeat" << "node 1";
    QTest::newRow("no code") << Proposal{Proposal::Kind::Code, 0, Candidate::fromText("solve.cu", " \n"), {}, {}}
                             << "proposal.code" << "empty";
    QTest::newRow("no such skill") << ownPlan(0, "vectorized") << "proposal.skill" << "no skill 'vectorized'";
    QTest::newRow("a base that fails") << Proposal{Proposal::Kind::Base, 2, {}, {}, {}} << "proposal.node" << "node 2 is failed";
}

void TestProposals::refusedAtOnce()
{
    QFETCH(Proposal, proposal);
    QFETCH(QString, code);
    QFETCH(QString, says);
    const QString path = m_world.path("refused.session");
    if (!QFile::exists(path)) {
        Run first(FakePlayers{}.factory(), nullptr);
        QVERIFY(playWith(first, "refused.session", ownCode(0, 3, "broken"), 1));
    }
    const auto before = SessionFile::open(path, true)->events();
    Run run(FakePlayers{}.factory(), nullptr);
    const auto refused = QCoro::waitFor(run.work(path, {proposal}));
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, code);
    QVERIFY2(refused.error().message.contains(says), qPrintable(refused.error().message));
    QCOMPARE(SessionFile::open(path, true)->events()->size(), before->size()); // nothing was written
}

void TestProposals::inASessionNobodyRuns()
{
    RunSettings settings = m_world.settings();
    settings.rounds = 1;
    const QString path = m_world.path("ended.session");
    {
        Run run(FakePlayers{}.factory(), nullptr);
        QVERIFY(QCoro::waitFor(run.start(settings, path)));
    }
    Run run(FakePlayers{}.factory(), nullptr);
    const auto summary = QCoro::waitFor(run.work(path, {ownCode(1, 5, "byHand"), ownPlan(0, "vectorised-access")}));
    QVERIFY2(summary, qPrintable(summary ? QString() : summary.error().message));
    QCOMPARE(summary->endedBy, QString("rounds")); // as before
    QCOMPARE(run.trajectory().nodes.size(), 4);
    QCOMPARE(run.trajectory().best, 2);
    QCOMPARE(run.trajectory().node(3)->skill, QString("vectorised-access"));
    QCOMPARE(run.trajectory().lastRound(), 2);
}

void TestProposals::aSessionThatWasKilledStaysOpen()
{
    RunSettings settings = m_world.settings();
    settings.rounds = 3;
    const QString path = m_world.path("killed.session");
    {
        Run run(FakePlayers{}.factory(), nullptr);
        connect(&run, &Run::eventAppended, this, [&run](const Event &event) {
            if (event.kind == u"node.evaluated" && event.data.value("node").toInt() == 1) run.stop();
        });
        QVERIFY(QCoro::waitFor(run.start(settings, path)));
    }
    {
        Run run(FakePlayers{}.factory(), nullptr);
        const auto summary = QCoro::waitFor(run.work(path, {ownCode(1, 5, "byHand")}));
        QVERIFY(summary);
        QCOMPARE(summary->endedBy, QString("person"));
    }
    Run run(FakePlayers{}.factory(), nullptr);
    const auto summary = QCoro::waitFor(run.resume(path));
    QVERIFY(summary);
    QCOMPARE(summary->rounds, 3);
    QCOMPARE(run.trajectory().node(3)->parent, 2); // goes on from what the person wrote
}

// Killed after the candidate was stored: opening the session again evaluates it.
void TestProposals::aKillBeforeTheEvaluation()
{
    const QString whole = m_world.path("whole.session"), cut = m_world.path("cut.session");
    Run run(FakePlayers{}.factory(), nullptr);
    QVERIFY(playWith(run, "whole.session", ownCode(0, 3, "byHand")));
    const auto events = run.session()->events();
    const auto candidate = std::ranges::find_if(*events, [](const Event &event) {
        return event.kind == u"node.candidate" && event.data.value("node").toInt() == 2;
    });
    QVERIFY(candidate != events->end());
    {
        auto file = SessionFile::create(cut);
        QVERIFY(file);
        QList<Event> first(events->begin(), candidate + 1);
        for (const Event &event : std::as_const(first)) {
            for (auto field = event.data.begin(); field != event.data.end(); ++field) {
                if (field.key().endsWith("_blob") && !field->toString().isEmpty())
                    QVERIFY(file->putBlob(*run.session()->blob(field->toString())));
            }
        }
        QVERIFY(file->append(first));
    }
    Run again(FakePlayers{}.factory(), nullptr);
    QVERIFY(QCoro::waitFor(again.resume(cut)));
    QCOMPARE(again.trajectory().nodes.size(), run.trajectory().nodes.size());
    for (const TrajectoryNode &node : again.trajectory().nodes) {
        QVERIFY(node.state == run.trajectory().node(node.id)->state);
        QCOMPARE(node.parent, run.trajectory().node(node.id)->parent);
        QCOMPARE(node.round, run.trajectory().node(node.id)->round);
    }
}

QTEST_GUILESS_MAIN(TestProposals)
#include "tst_proposals.moc"
