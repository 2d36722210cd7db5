// SPDX-License-Identifier: Apache-2.0
// A recorded session played again through the real engine: the same trajectory where the evaluator agrees, told and gone
// on from where it does not.
#include "../../core/engine/fake_players.h"
#include "engine/replay.h"
#include "replay_agent.h"

#include <QCoroTask>
#include <QElapsedTimer>
#include <QTest>
#include <QThread>
#include <QTimer>

using namespace kernelskill;
using namespace kernelskill::test;

namespace {

// Judges as the fake does, but for texts it has its own opinion of.
class ContraryEvaluator final : public FakeEvaluator
{
public:
    QHash<QString, QString> instead; // word in the code → the text that is judged in its place
    QCoro::Task<Result<Evaluation>> evaluate(EvaluationRequest request, ProgressSink progress, std::stop_token stop) override
    {
        for (auto word = instead.begin(); word != instead.end(); ++word) {
            if (request.candidate.mainText().contains(word.key())) request.candidate = Candidate::fromText("solve.cu", *word);
        }
        return FakeEvaluator::evaluate(request, progress, stop);
    }
};

QStringList outline(const Trajectory &trajectory)
{
    QStringList lines;
    for (const TrajectoryNode &node : trajectory.nodes)
        lines.append(QStringLiteral("%1<%2 r%3 %4 %5 %6 %7%8").arg(node.id).arg(node.parent).arg(node.round)
                         .arg(node.kind, node.skill, toString(node.state), node.codeDigest.left(8), node.isBest ? QStringLiteral(" best") : QString()));
    return lines;
}

} // namespace

class TestReplayAgent : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void theSameAgain();
    void nothingIsLearntTwice();
    void theEvaluatorSaysOtherwise();
    void aRepairThatIsNotNeeded();
    void aFailureTheRecordDoesNotKnow();
    void refusedPlansAreRefusedAgain();
    void withoutAFooting();
    void goesOnWhereItWasInterrupted();
    void aPersonsEditIsPlayedToo();
    void thePaceIsTheRecords();
    void aStopEndsAPause();
    void aPersonWorksOnItWithoutTheRecording();
    void badInput_data();
    void badInput();

private:
    [[nodiscard]] PlayerFactory players(const QHash<QString, QString> &instead = {}) const;
    Result<RunSummary> replay(const QString &of, const QString &session, const QHash<QString, QString> &instead = {},
                              SkillStore *store = nullptr);
    [[nodiscard]] Trajectory trajectory(const QString &session) const
    {
        return Trajectory::fold(*SessionFile::open(m_world.path(session), true)->events());
    }
    FakeWorld m_world;
};

PlayerFactory TestReplayAgent::players(const QHash<QString, QString> &instead) const
{
    return {[instead](const QString &) -> Result<std::unique_ptr<Evaluator>> {
                auto made = std::make_unique<ContraryEvaluator>();
                made->instead = instead;
                return made;
            },
            [](const QString &id, const QJsonObject &settings) -> Result<std::unique_ptr<Agent>> {
                if (id == u"replay") return std::make_unique<replay::ReplayAgent>(settings);
                return std::make_unique<FakeAgent>();
            }};
}

Result<RunSummary> TestReplayAgent::replay(const QString &of, const QString &session, const QHash<QString, QString> &instead,
                                           SkillStore *store)
{
    auto settings = replaySettings(m_world.path(of), "max");
    if (!settings) return std::unexpected(settings.error());
    Run run(players(instead), store);
    return QCoro::waitFor(run.start(*settings, m_world.path(session)));
}

// Six rounds: a failing candidate with two repairs, gains and losses, refusals.
void TestReplayAgent::initTestCase()
{
    RunSettings settings = FakeWorld::settings();
    settings.rounds = 6;
    Run run(players(), nullptr);
    const auto recorded = QCoro::waitFor(run.start(settings, m_world.path("recorded.kss")));
    QVERIFY2(recorded, recorded ? "" : qPrintable(recorded.error().message));
    QVERIFY(run.trajectory().nodes.size() >= 6);
    const auto kinds = [&](const QString &kind) { return std::ranges::count(run.trajectory().nodes, kind, &TrajectoryNode::kind); };
    QVERIFY(kinds("repair") >= 2 && kinds("optimise") >= 3);
}

void TestReplayAgent::theSameAgain()
{
    const auto summary = replay("recorded.kss", "same.kss");
    QVERIFY2(summary, summary ? "" : qPrintable(summary.error().message));
    const Trajectory was = trajectory("recorded.kss"), is = trajectory("same.kss");
    QCOMPARE(outline(is), outline(was));
    QCOMPARE(is.endedBy, was.endedBy);
    QVERIFY(was.recording.isEmpty());
    QCOMPARE(is.recording.value("path").toString(), m_world.path("recorded.kss"));
    QCOMPARE(is.recording.value("session").toString(), SessionFile::open(m_world.path("recorded.kss"), true)->id());
    QCOMPARE(is.recording.value("task_changed").toBool(true), false);
    QVERIFY(!is.nodes.first().recorded); // the task's own
    for (const TrajectoryNode &node : is.nodes.mid(1)) {
        QVERIFY2(node.recorded, qPrintable(QString::number(node.id)));
        QCOMPARE(node.recorded->node, node.id);
        QCOMPARE(node.recorded->verdict, toString(node.state));
        QCOMPARE(node.agent, QString("replay"));
        QVERIFY2(node.divergence.isEmpty(), qPrintable(node.divergence));
        QCOMPARE(node.plan.rationale, was.node(node.id)->plan.rationale);
    }
    // More rounds than were recorded: it ends with the record, and says so.
    auto settings = *replaySettings(m_world.path("recorded.kss"), "max");
    settings.rounds = 50;
    Run run(players(), nullptr);
    const auto longer = QCoro::waitFor(run.start(settings, m_world.path("longer.kss")));
    QVERIFY(longer);
    QCOMPARE(longer->endedBy, QString("recording"));
    QCOMPARE(longer->message, QString("the recording of recorded.kss ends here, after 6 rounds"));
    QCOMPARE(outline(run.trajectory()), outline(was));
}

void TestReplayAgent::nothingIsLearntTwice()
{
    auto store = SkillStore::open(m_world.path("memory.db"), m_world.path("skills"));
    QVERIFY(store);
    auto settings = *replaySettings(m_world.path("recorded.kss"), "max");
    QCOMPARE(settings.longTerm, LongTerm::Frozen);
    settings.longTerm = LongTerm::Learning; // although it was asked for
    Run run(players(), &*store);
    QVERIFY(QCoro::waitFor(run.start(settings, m_world.path("learning.kss"))));
    for (const TrajectoryNode &node : run.trajectory().nodes) {
        if (!node.skill.isEmpty()) QCOMPARE(store->ledger(node.skill)->size(), 0);
    }
}

void TestReplayAgent::theEvaluatorSaysOtherwise()
{
    // What doubled the speed there gives nothing here.
    const auto summary = replay("recorded.kss", "otherwise.kss", {{"coalesced", "float speed = 1.3;"}});
    QVERIFY2(summary, summary ? "" : qPrintable(summary.error().message));
    const Trajectory was = trajectory("recorded.kss"), is = trajectory("otherwise.kss");
    const auto coalesced = std::ranges::find(is.nodes, QString("memory-coalescing"), &TrajectoryNode::skill);
    QVERIFY(coalesced != is.nodes.end());
    QVERIFY2(coalesced->divergence.startsWith("the record says verified, 2.00× [2.00, 2.00] modelled; here it is verified, 1.30×"),
             qPrintable(coalesced->divergence));
    QCOMPARE(is.nodes.size(), was.nodes.size()); // it went on
}

void TestReplayAgent::aRepairThatIsNotNeeded()
{
    const auto summary = replay("recorded.kss", "needless.kss", {{"broken", "float speed = 1.5;"}});
    QVERIFY2(summary, summary ? "" : qPrintable(summary.error().message));
    const Trajectory was = trajectory("recorded.kss"), is = trajectory("needless.kss");
    for (const TrajectoryNode &node : is.nodes)
        QVERIFY(node.kind != u"repair");
    // The plans after it are played all the same.
    const auto skills = [](const Trajectory &trajectory) {
        QStringList names;
        for (const TrajectoryNode &node : trajectory.nodes) {
            if (node.kind == u"optimise") names.append(node.skill);
        }
        return names;
    };
    QCOMPARE(skills(is), skills(was));
    const auto shuffle = std::ranges::find(is.nodes, QString("warp-shuffle-reduction"), &TrajectoryNode::skill);
    QVERIFY2(shuffle->divergence.startsWith("the record says failed; here it is verified"), qPrintable(shuffle->divergence));
    QCOMPARE(is.endedBy, QString("recording"));
}

void TestReplayAgent::aFailureTheRecordDoesNotKnow()
{
    const auto summary = replay("recorded.kss", "fails.kss", {{"coalesced", "wrong"}});
    QVERIFY2(summary, summary ? "" : qPrintable(summary.error().message));
    const Trajectory is = trajectory("fails.kss");
    const auto coalesced = std::ranges::find(is.nodes, QString("memory-coalescing"), &TrajectoryNode::skill);
    QVERIFY(coalesced->divergence.endsWith("; here it is wrong"));
    // The repair finds no diagnosis in the record; it is dropped, and the next recorded plan follows.
    const auto repair = std::ranges::find(is.nodes, coalesced->id, &TrajectoryNode::parent);
    QVERIFY(repair != is.nodes.end());
    QCOMPARE(repair->kind, QString("repair"));
    QCOMPARE(repair->why, QString("the recording has no diagnosis of this failure: there the candidate was verified"));
    QVERIFY(is.nodes.last().id > repair->id);
}

void TestReplayAgent::refusedPlansAreRefusedAgain()
{
    // In round 2 the planner comes with the plan of round 1 again, then with another.
    QStringList wanted{"online-softmax", "online-softmax", "memory-coalescing"};
    PlayerFactory repeating = players();
    repeating.agent = [&wanted](const QString &, const QJsonObject &) -> Result<std::unique_ptr<Agent>> {
        auto agent = std::make_unique<FakeAgent>();
        agent->planOverride = [&wanted](const PlanRequest &) {
            Plan plan;
            plan.skill = wanted.takeFirst();
            plan.rationale = plan.skill;
            return Result<Plan>(plan);
        };
        return agent;
    };
    RunSettings settings = FakeWorld::settings();
    settings.rounds = 2;
    {
        Run run(repeating, nullptr);
        QVERIFY(QCoro::waitFor(run.start(settings, m_world.path("repeats.kss"))));
    }
    const Trajectory was = trajectory("repeats.kss");
    QCOMPARE(was.rounds.last().refusals.size(), 1);
    QVERIFY(replay("repeats.kss", "repeats-again.kss"));
    const Trajectory is = trajectory("repeats-again.kss");
    QCOMPARE(outline(is), outline(was));
    QCOMPARE(is.rounds.last().refusals, was.rounds.last().refusals);
    QCOMPARE(is.node(2)->plan.rationale, QString("memory-coalescing"));
}

void TestReplayAgent::withoutAFooting()
{
    // A recording of three gains in a row, none of which holds here.
    RunSettings settings = FakeWorld::settings();
    settings.rounds = 4;
    settings.repairLimit = 0;
    int call = 0;
    PlayerFactory gaining = players();
    gaining.agent = [&call](const QString &, const QJsonObject &) -> Result<std::unique_ptr<Agent>> {
        auto agent = std::make_unique<FakeAgent>();
        agent->optimizeOverride = [&call](const OptimizeRequest &) -> Result<CodeChange> {
            ++call;
            return CodeChange{FakeAgent::code(1 + call, QStringLiteral("gain%1").arg(call)), QStringLiteral("Gain %1").arg(call)};
        };
        return agent;
    };
    {
        Run run(gaining, nullptr);
        QVERIFY(QCoro::waitFor(run.start(settings, m_world.path("gains.kss"))));
        QCOMPARE(run.trajectory().nodes.size(), 5);
    }
    const auto summary = replay("gains.kss", "lost.kss", {{"gain", "wrong"}});
    QVERIFY2(summary, summary ? "" : qPrintable(summary.error().message));
    QCOMPARE(summary->endedBy, QString("recording"));
    QCOMPARE(summary->message, QString("the recording cannot be followed any further: 3 candidates in a row that were verified there fail here"));
    QCOMPARE(summary->nodes, 4);
}

void TestReplayAgent::goesOnWhereItWasInterrupted()
{
    {
        auto settings = *replaySettings(m_world.path("recorded.kss"), "max");
        Run run(players(), nullptr);
        connect(&run, &Run::eventAppended, this, [&run](const Event &event) {
            if (event.kind == u"node.evaluated" && event.data.value("node").toInt() == 3) run.stop();
        });
        (void)QCoro::waitFor(run.start(settings, m_world.path("interrupted.kss")));
        QCOMPARE(run.trajectory().endedBy, QString("person"));
    }
    Run run(players(), nullptr);
    const auto summary = QCoro::waitFor(run.resume(m_world.path("interrupted.kss")));
    QVERIFY2(summary, summary ? "" : qPrintable(summary.error().message));
    QCOMPARE(outline(run.trajectory()), outline(trajectory("recorded.kss")));
}

void TestReplayAgent::aPersonsEditIsPlayedToo()
{
    QFile::copy(m_world.path("recorded.kss"), m_world.path("edited.kss"));
    Proposal proposal;
    proposal.node = 1;
    proposal.candidate = FakeAgent::code(9, "by_hand");
    proposal.summary = "Edited by you";
    {
        Run run(players(), nullptr);
        QVERIFY(QCoro::waitFor(run.work(m_world.path("edited.kss"), {proposal})));
    }
    auto settings = *replaySettings(m_world.path("edited.kss"), "max");
    settings.rounds += 1;
    Run run(players(), nullptr);
    QVERIFY(QCoro::waitFor(run.start(settings, m_world.path("edit-again.kss"))));
    const TrajectoryNode &last = run.trajectory().nodes.last();
    QCOMPARE(last.plan.method, QString("free"));
    QCOMPARE(last.plan.rationale, QString("Edited by you"));
    QVERIFY(last.isBest);
    QVERIFY(std::abs(last.speedup->value - 9) < 0.01);
}

void TestReplayAgent::thePaceIsTheRecords()
{
    PlayerFactory slow = players();
    slow.agent = [](const QString &, const QJsonObject &) -> Result<std::unique_ptr<Agent>> {
        auto agent = std::make_unique<FakeAgent>();
        agent->optimizeOverride = [](const OptimizeRequest &request) {
            QThread::msleep(200);
            return FakeAgent::optimised(request);
        };
        return agent;
    };
    RunSettings settings = FakeWorld::settings();
    settings.rounds = 1;
    {
        Run run(slow, nullptr);
        QVERIFY(QCoro::waitFor(run.start(settings, m_world.path("slow.kss"))));
    }
    QHash<QString, double> took;
    for (const QString &speed : {QString("1"), QString("20"), QString("max")}) {
        Run run(players(), nullptr);
        connect(&run, &Run::eventAppended, this, [&](const Event &event) {
            if (event.kind == u"role.call" && event.data.value("role").toString() == u"optimizer") took[speed] += event.data.value("wall_ms").toDouble();
        });
        QVERIFY(QCoro::waitFor(run.start(*replaySettings(m_world.path("slow.kss"), speed), m_world.path(speed + ".pace.kss"))));
    }
    QVERIFY2(took["1"] >= 195, qPrintable(QString::number(took["1"])));
    QVERIFY2(took["20"] >= 9 && took["20"] < took["1"] / 2, qPrintable(QString::number(took["20"])));
    QVERIFY2(took["max"] < took["1"] / 2, qPrintable(QString::number(took["max"])));
}

void TestReplayAgent::aStopEndsAPause()
{
    Run run(players(), nullptr);
    QElapsedTimer timer;
    timer.start();
    QTimer::singleShot(150, this, [&run] { run.stop(); });
    // A millionth of the pace: the first pause would take a day.
    (void)QCoro::waitFor(run.start(*replaySettings(m_world.path("slow.kss"), "0.000002"), m_world.path("stopped.kss")));
    QCOMPARE(run.trajectory().endedBy, QString("person"));
    QVERIFY(timer.elapsed() < 20'000);
}

void TestReplayAgent::aPersonWorksOnItWithoutTheRecording()
{
    QFile::copy(m_world.path("recorded.kss"), m_world.path("gone-soon.kss"));
    QVERIFY(replay("gone-soon.kss", "orphan.kss"));
    QVERIFY(QFile::remove(m_world.path("gone-soon.kss")));
    Proposal proposal;
    proposal.node = 0;
    proposal.candidate = FakeAgent::code(11, "by_hand");
    {
        Run run(players(), nullptr);
        const auto worked = QCoro::waitFor(run.work(m_world.path("orphan.kss"), {proposal}));
        QVERIFY2(worked, worked ? "" : qPrintable(worked.error().message));
        QVERIFY(run.trajectory().nodes.last().isHuman && !run.trajectory().nodes.last().recorded);
    }
    // Going on with the replay itself needs it.
    Run run(players(), nullptr);
    const auto resumed = QCoro::waitFor(run.resume(m_world.path("orphan.kss"), 50));
    QVERIFY(!resumed);
    QCOMPARE(resumed.error().code, QString("session.missing"));
}

void TestReplayAgent::badInput_data()
{
    QTest::addColumn<QString>("session");
    QTest::addColumn<QString>("speed");
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *name, const QString &session, const QString &speed, const QString &task, const char *code, const char *says) {
        QTest::newRow(name) << session << speed << task << QString::fromLatin1(code) << QString::fromUtf8(says);
    };
    const QString softmax = "row_softmax";
    const auto write = [this](const QString &name, const QByteArray &content) {
        QFile file(m_world.path(name));
        if (file.open(QIODevice::WriteOnly)) file.write(content);
    };
    write("text.kss", "no session");
    write("empty.kss", {});
    QFile whole(m_world.path("recorded.kss"));
    QVERIFY(whole.open(QIODevice::ReadOnly));
    const QByteArray bytes = whole.readAll();
    write("truncated.kss", bytes.left(bytes.size() / 2));
    RunSettings none = FakeWorld::settings();
    none.rounds = 1;
    PlayerFactory silent = players();
    silent.agent = [](const QString &, const QJsonObject &) -> Result<std::unique_ptr<Agent>> {
        auto agent = std::make_unique<FakeAgent>();
        agent->planOverride = [](const PlanRequest &) { return failure("plan.none", "nothing"); };
        return agent;
    };
    if (!QFile::exists(m_world.path("silent.kss"))) {
        Run run(silent, nullptr);
        QVERIFY(QCoro::waitFor(run.start(none, m_world.path("silent.kss"))));
    }
    row("no session named", "", "max", softmax, "settings.value", "--agent-option session=FILE");
    row("no file", "gone.kss", "max", softmax, "session.missing", "there is no such file; name a recorded session");
    row("a text file", "text.kss", "max", softmax, "session.not_a_session", "not a session file; name a recorded session");
    row("an empty file", "empty.kss", "max", softmax, "session.not_a_session", "; name a recorded session");
    row("a folder", "skills", "max", softmax, "session.not_a_session", "a folder, not a session file; name");
    row("truncated", "truncated.kss", "max", softmax, "recording.damaged", "use an undamaged copy");
    row("without an agent's step", "silent.kss", "max", softmax, "recording.empty", "nothing to play again; record one");
    row("another task", "recorded.kss", "max", "transpose", "recording.task", "a recording of the task row_softmax, not of transpose");
    row("speed in words", "recorded.kss", "quick", softmax, "settings.value", "“max” or a number above 0");
    row("speed zero", "recorded.kss", "0", softmax, "settings.value", "“max” or a number above 0");
}

void TestReplayAgent::badInput()
{
    QFETCH(QString, session);
    QFETCH(QString, speed);
    QFETCH(QString, task);
    QFETCH(QString, code);
    QFETCH(QString, says);
    RunSettings settings = FakeWorld::settings();
    settings.taskFolder = QStringLiteral(SOURCE_DIR "/resources/tasks/") + task;
    settings.agent = "replay";
    const QString path = session.isEmpty() ? QString() : m_world.path(session);
    settings.agentSettings["replay"] = {{"session", path}, {"speed", speed}};
    Run run(players(), nullptr);
    const auto summary = QCoro::waitFor(run.start(settings, m_world.path("never.kss")));
    QVERIFY(!summary);
    QCOMPARE(summary.error().code, code);
    QVERIFY2(summary.error().message.contains(says), qPrintable(summary.error().message));
    if (!path.isEmpty() && code != u"settings.value") QVERIFY2(summary.error().message.contains(session), qPrintable(summary.error().message));
    QVERIFY(!summary.error().message.contains(u'\n'));
    QVERIFY(!QFile::exists(m_world.path("never.kss"))); // nothing was written
}

QTEST_GUILESS_MAIN(TestReplayAgent)
#include "tst_replay_agent.moc"
