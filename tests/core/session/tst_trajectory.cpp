// SPDX-License-Identifier: Apache-2.0
// The fold over events.
#include "session/trajectory.h"

#include <QJsonArray>
#include <QTest>

using namespace kernelskill;

class TestTrajectory : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void foldsARun();
    void aRoundDoneAgainReplacesTheOldOne();
    void unknownKindsAreSkipped();
    void lostNodesKeepTheirPlaces();
};

namespace {

QList<Event> numbered(QList<Event> events)
{
    for (qsizetype i = 0; i < events.size(); ++i)
        events[i].sequence = i + 1;
    return events;
}

QList<Event> run()
{
    return numbered({
        {0,
         "session.start",
         0,
         {{"task", "softmax"}, {"task_folder", "/t"}, {"task_blob", "tb"}, {"settings", QJsonObject{{"rounds", 2}}}}},
        {0, "memory.snapshot", 0, {{"policy_blob", "p"}, {"skills_blob", "s"}, {"statistics_blob", "u"}}},
        {0, "node.start", 0, {{"node", 0}, {"parent", -1}, {"round", 0}, {"kind", "seed"}, {"agent", "task"}}},
        {0,
         "node.candidate",
         0,
         {{"node", 0}, {"candidate_blob", "c0"}, {"code_digest", "d0"}, {"summary", "Baseline"}}},
        {0,
         "node.evaluated",
         0,
         {{"node", 0},
          {"evaluation_blob", "e0"},
          {"verdict", "verified"},
          {"kind", "modelled"},
          {"time_us", 100.0},
          {"interval", QJsonArray{99.0, 101.0}},
          {"speedup", 1.0},
          {"speedup_interval", QJsonArray{0.99, 1.01}}}},
        {0, "node.promoted", 0, {{"node", 0}, {"base", true}, {"best", true}}},
        {0, "round.start", 0, {{"round", 1}, {"base", 0}}},
        {0, "round.features", 0, {{"round", 1}, {"base", 0}, {"features", QJsonObject{{"kernel_structure_id", "S3"}}}}},
        {0, "round.retrieval", 0, {{"round", 1}, {"base", 0}, {"retrieval_blob", "r1"}}},
        {0, "round.refused", 0, {{"round", 1}, {"base", 0}, {"reason", "not allowed"}}},
        {0,
         "round.plan",
         0,
         {{"round", 1}, {"base", 0}, {"plan", QJsonObject{{"method", "M3"}, {"skill", "memory-coalescing"}}}}},
        {0, "node.start", 0, {{"node", 1}, {"parent", 0}, {"round", 1}, {"kind", "optimise"}, {"agent", "expert"}}},
        {0,
         "node.candidate",
         0,
         {{"node", 1}, {"candidate_blob", "c1"}, {"method", "M3"}, {"skill", "memory-coalescing"}}},
        {0,
         "role.call",
         0,
         {{"role", "optimizer"}, {"tokens_in", 100}, {"tokens_out", 20}, {"cost_usd", 0.5}, {"calls", 2}}},
        {0,
         "node.evaluated",
         0,
         {{"node", 1},
          {"evaluation_blob", "e1"},
          {"verdict", "verified"},
          {"kind", "measured"},
          {"time_us", 50.0},
          {"speedup", 2.0},
          {"speedup_interval", QJsonArray{1.9, 2.1}},
          {"step_speedup", 2.0},
          {"step_interval", QJsonArray{1.8, 2.2}},
          {"observed",
           QJsonArray{QJsonObject{
               {"metric", "dram_bytes"}, {"promised", "lower"}, {"before", 4.0}, {"after", 2.0}, {"kept", true}}}}}},
        {0, "node.promoted", 0, {{"node", 1}, {"base", true}, {"best", true}}},
        {0, "person.note", 0, {{"node", 1}, {"text", "nice"}}},
        {0, "person.pin", 0, {{"node", 0}, {"pinned", true}}},
        {0, "round.start", 0, {{"round", 2}, {"base", 1}}},
        {0, "node.start", 0, {{"node", 2}, {"parent", 1}, {"round", 2}, {"kind", "optimise"}}},
        {0, "node.dropped", 0, {{"node", 2}, {"reason", "inapplicable"}}},
        {0, "run.ended", 0, {{"by", "rounds"}}},
    });
}

} // namespace

void TestTrajectory::foldsARun()
{
    const Trajectory trajectory = Trajectory::fold(run());
    QCOMPARE(trajectory.taskName, QString("softmax"));
    QCOMPARE(trajectory.policyBlob, QString("p"));
    QCOMPARE(trajectory.nodes.size(), 3);
    QCOMPARE(trajectory.base, 1);
    QCOMPARE(trajectory.best, 1);
    QCOMPARE(trajectory.bestPath(), QList<int>({0, 1}));
    QCOMPARE(trajectory.lastRound(), 2);
    QCOMPARE(trajectory.endedBy, QString("rounds"));
    QCOMPARE(trajectory.lastSequence, qint64(run().size()));
    QCOMPARE(trajectory.llmCalls, 2);
    QCOMPARE(trajectory.tokensIn, 100);
    QCOMPARE(trajectory.cost_usd, 0.5);
    const TrajectoryNode &seed = *trajectory.node(0);
    QVERIFY(seed.state == NodeState::Verified);
    QVERIFY(!seed.isBase && seed.wasBase && seed.pinned);
    QCOMPARE(*seed.time_us, 100.0);
    QCOMPARE(seed.interval_us->high, 101.0);
    const TrajectoryNode &node = *trajectory.node(1);
    QVERIFY(node.isBase && node.isBest);
    QCOMPARE(node.skill, QString("memory-coalescing"));
    QCOMPARE(node.note, QString("nice"));
    QCOMPARE(node.speedup->interval.low, 1.9);
    QVERIFY(node.speedup->kind == TimeKind::Measured);
    QCOMPARE(node.stepSpeedup->interval.high, 2.2);
    QCOMPARE(node.observed.size(), 1);
    QCOMPARE(*node.observed[0].kept, true);
    QCOMPARE(*node.observed[0].after, 2.0);
    QVERIFY(trajectory.node(2)->state == NodeState::Failed);
    QCOMPARE(trajectory.node(2)->why, QString("inapplicable"));
    QVERIFY(!trajectory.node(3));
    const RoundRecord &round = trajectory.rounds.first();
    QCOMPARE(round.base, 0);
    QCOMPARE(round.features.value("kernel_structure_id").toString(), QString("S3"));
    QCOMPARE(round.retrievalBlob, QString("r1"));
    QCOMPARE(round.plan->method, QString("M3"));
    QCOMPARE(round.refusals, QStringList({"not allowed"}));
}

void TestTrajectory::aRoundDoneAgainReplacesTheOldOne()
{
    Trajectory trajectory = Trajectory::fold(run());
    trajectory.apply({100, "run.resumed", 0, {{"rounds", 9}}});
    QCOMPARE(trajectory.endedBy, QString());
    QCOMPARE(trajectory.settings.value("rounds").toInt(), 9);
    trajectory.apply({101, "round.start", 0, {{"round", 1}, {"base", 0}}});
    QCOMPARE(trajectory.rounds.size(), 2);
    QVERIFY(trajectory.rounds.first().refusals.isEmpty());
    QVERIFY(!trajectory.rounds.first().plan);
    trajectory.apply({102, "node.start", 0, {{"node", 2}, {"parent", 1}, {"round", 2}, {"kind", "optimise"}}});
    QCOMPARE(trajectory.nodes.size(), 3);
    QVERIFY(trajectory.node(2)->state == NodeState::Running);
    QCOMPARE(trajectory.node(2)->why, QString());
}

void TestTrajectory::unknownKindsAreSkipped()
{
    Trajectory trajectory = Trajectory::fold(run());
    trajectory.apply({100, "node.dreamt", 0, {{"node", 1}}});
    trajectory.apply({101, "node.evaluated", 0, {{"node", 77}}});
    QCOMPARE(trajectory.nodes.size(), 3);
    QCOMPARE(trajectory.lastSequence, 101);
}

void TestTrajectory::lostNodesKeepTheirPlaces()
{
    const auto start = [](int node, int parent) {
        return Event{0, "node.start", 0, {{"node", node}, {"parent", parent}, {"round", node}, {"kind", "optimise"}}};
    };
    const Trajectory trajectory = Trajectory::fold({start(0, -1), start(3, 2), start(4, 9), start(-7, 0), start(2'000'000'000, 0)});
    QCOMPARE(trajectory.nodes.size(), 5);
    for (int i = 0; i < 5; ++i)
        QCOMPARE(trajectory.nodes[i].id, i);
    QVERIFY(trajectory.nodes[1].state == NodeState::Failed);
    QVERIFY(trajectory.nodes[2].why.contains("does not say how this node began"));
    QCOMPARE(trajectory.nodes[3].parent, 2);
    QCOMPARE(trajectory.nodes[4].parent, -1); // a node is younger than its parent
}

QTEST_APPLESS_MAIN(TestTrajectory)
#include "tst_trajectory.moc"
