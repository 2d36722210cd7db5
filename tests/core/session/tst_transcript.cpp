// SPDX-License-Identifier: Apache-2.0
// What a node's transcript says of each role, from the events of a run.
#include "../engine/fake_players.h"
#include "session/transcript.h"

#include <QCoroTask>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::test;

class TestTranscript : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void aRoundHasItsRoles();
    void aRepairHearsTheCompiler();
    void theSeed();
    void aConversationIsShown();
    void noSuchNode();
    void asJson();

private:
    [[nodiscard]] QList<TranscriptEntry> of(int node) const
    {
        return transcriptOf(*m_file->events(), m_trajectory, node, [this](const QString &digest) { return m_file->blob(digest).value_or(QByteArray()); });
    }
    static QStringList roles(const QList<TranscriptEntry> &entries)
    {
        QStringList names;
        for (const TranscriptEntry &entry : entries)
            names.append(entry.role);
        return names;
    }
    static QString part(const QList<TranscriptPart> &parts, const QString &title)
    {
        const auto found = std::ranges::find(parts, title, &TranscriptPart::title);
        return found == parts.end() ? QStringLiteral("(none)") : found->text;
    }
    [[nodiscard]] int first(const QString &kind) const { return std::ranges::find(m_trajectory.nodes, kind, &TrajectoryNode::kind)->id; }

    FakeWorld m_world;
    std::optional<SessionFile> m_file;
    Trajectory m_trajectory;
};

// An agent that also reports what it told a model.
void TestTranscript::initTestCase()
{
    RunSettings settings = FakeWorld::settings();
    settings.rounds = 5;
    Run run(FakePlayers{}.factory(), nullptr);
    QVERIFY(QCoro::waitFor(run.start(settings, m_world.path("run.kss"))));
    m_trajectory = run.trajectory();
    auto file = SessionFile::open(m_world.path("run.kss"), true);
    QVERIFY(file);
    m_file = std::move(*file);
}

void TestTranscript::aRoundHasItsRoles()
{
    const TrajectoryNode &node = *m_trajectory.node(first("optimise"));
    const QList<TranscriptEntry> entries = of(node.id);
    QCOMPARE(roles(entries), QStringList({"features", "planner", "optimizer", "reviewer"}));
    for (const TranscriptEntry &entry : entries) {
        QCOMPARE(entry.agent, QString("fake"));
        QVERIFY(entry.time_ms > 0);
        QCOMPARE(entry.calls, 0); // it talks to no model
        QVERIFY(entry.wall_ms >= 0 || entry.role == u"reviewer");
        QVERIFY(!entry.asked.isEmpty() && !entry.answered.isEmpty());
    }
    QVERIFY(part(entries[0].answered, "Features").contains("kernel_structure_id: S3"));
    QVERIFY(part(entries[1].asked, "Allowed, best first").startsWith("1. "));
    QVERIFY(part(entries[1].asked, "Base").startsWith("node 0, verified"));
    QVERIFY(part(entries[1].answered, "Plan").contains(node.skill));
    QVERIFY(part(entries[1].answered, "Plan").contains("promises dram_bytes lower"));
    QVERIFY(part(entries[2].asked, "Plan").contains(node.skill));
    QVERIFY(part(entries[2].answered, "Code").startsWith("void solve()"));
    QCOMPARE(entries[2].outcome, node.summary);
    QVERIFY(part(entries[3].answered, "Verdict").startsWith(toString(node.state)));
}

void TestTranscript::aRepairHearsTheCompiler()
{
    const TrajectoryNode &node = *m_trajectory.node(first("repair"));
    const QList<TranscriptEntry> entries = of(node.id);
    QCOMPARE(roles(entries), QStringList({"diagnoser", "repairer", "reviewer"}));
    QCOMPARE(part(entries[0].asked, "What failed"), QString("build: failed, error: broken"));
    QVERIFY(part(entries[0].answered, "Diagnosis").contains("fix: fix 0"));
    QCOMPARE(part(entries[1].asked, "What failed"), QString("build: failed, error: broken"));
    QVERIFY(part(entries[1].asked, "Diagnosis").contains("cause: it is broken"));
    QVERIFY(part(entries[1].answered, "Code").contains("solve"));
}

void TestTranscript::theSeed()
{
    const QList<TranscriptEntry> entries = of(0);
    QCOMPARE(roles(entries), QStringList({"generator", "reviewer"}));
    QCOMPARE(entries[0].agent, QString("task"));
    QVERIFY(part(entries[0].answered, "Code").contains("solve"));
}

void TestTranscript::aConversationIsShown()
{
    const QByteArray messages = R"({"messages": [{"from": "system", "text": "You plan."}, {"from": "user", "text": "Which skill?"},
        {"from": "assistant", "text": "tiling", "note": "prose around the JSON was dropped"}]})";
    const auto blob = [&](const QString &digest) { return digest == u"m" ? messages : QByteArray("*hm*"); };
    QList<Event> events{{1, "session.start", 1, {{"task", "t"}}},
                        {2, "node.start", 2, {{"node", 0}, {"parent", -1}, {"round", 0}, {"kind", "seed"}}},
                        {3, "round.start", 3, {{"round", 1}, {"base", 0}}},
                        {4, "role.call", 4, {{"role", "planner"}, {"agent", "llm"}, {"round", 1}, {"node", 1}, {"wall_ms", 1200.0},
                                             {"tokens_in", 900}, {"tokens_cached", 100}, {"tokens_out", 40}, {"cost_usd", 0.01}, {"facts", QJsonObject{{"model", "m-1"}}}, {"calls", 2},
                                             {"messages_blob", "m"}, {"transcript_blob", "w"}}},
                        {5, "round.plan", 5, {{"round", 1}, {"plan", QJsonObject{{"skill", "tiling"}}}, {"agent", "llm"}}},
                        {6, "node.start", 6, {{"node", 1}, {"parent", 0}, {"round", 1}, {"kind", "optimise"}}}};
    const QList<TranscriptEntry> entries = transcriptOf(events, Trajectory::fold(events), 1, blob);
    QCOMPARE(entries.size(), 1);
    QCOMPARE(entries[0].calls, 2);
    QCOMPARE(entries[0].tokensIn, 900);
    QCOMPARE(entries[0].cost_usd, 0.01);
    const QList<TranscriptMessage> &said = entries[0].messages;
    QCOMPARE(said.size(), 3);
    QCOMPARE(said[0].from + ": " + said[0].text, QString("system: You plan."));
    QCOMPARE(said[1].from + ": " + said[1].text, QString("user: Which skill?"));
    QCOMPARE(said[2].from + ": " + said[2].text, QString("assistant: tiling"));
    QCOMPARE(said[2].note, QString("prose around the JSON was dropped"));
    QCOMPARE(entries[0].facts["model"].toString(), QString("m-1"));
    QCOMPARE(entries[0].tokensCached, 100);
    const QJsonObject object = entries[0].toJson();
    QCOMPARE(object["messages"][2]["note"].toString(), QString("prose around the JSON was dropped"));
    QVERIFY(!object["messages"][1].toObject().contains("note"));
    QCOMPARE(object["facts"]["model"].toString(), QString("m-1"));
    QCOMPARE(object["tokens_cached"].toInt(), 100);
    QCOMPARE(part(entries[0].answered, "In its own words"), QString("*hm*"));
    QCOMPARE(part(entries[0].answered, "Plan"), QString("tiling"));
}

void TestTranscript::noSuchNode()
{
    QVERIFY(of(4711).isEmpty());
    QVERIFY(of(-1).isEmpty());
}

void TestTranscript::asJson()
{
    const QJsonArray array = toJson(of(first("optimise")));
    QCOMPARE(array.size(), 4);
    const QJsonObject planner = array[1].toObject();
    QCOMPARE(planner.value("role").toString(), QString("planner"));
    QCOMPARE(planner.value("agent").toString(), QString("fake"));
    QVERIFY(planner.value("wall_ms").isDouble());
    QVERIFY(!planner.contains("tokens_in")); // none for an agent without a model
    QCOMPARE(planner.value("answered").toArray().first().toObject().value("title").toString(), QString("Plan"));
}

QTEST_GUILESS_MAIN(TestTranscript)
#include "tst_transcript.moc"
