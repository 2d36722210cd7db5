// SPDX-License-Identifier: Apache-2.0
// `kernelskill optimize --agent llm` as its user runs it: from the cassette, against a peer, and into every trouble.
#include "mock_peer.h"
#include "program.h"

#include "memory/longterm/skill_store.h"
#include "session/session_file.h"
#include "session/trajectory.h"

#include <QDir>
#include <QDirIterator>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTest>

#include <memory>

using namespace kernelskill;
using namespace kernelskill::test;

namespace {

const QString cassette = QStringLiteral(TEST_DIR "/row_softmax.cassette");
const QString key = QStringLiteral("sk-test-0123456789abcdefghijklmnop");

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Which role is asked stands in its part of the system prompt; a role's replies come in order.
QJsonArray fixturesOfTheCast()
{
    static const QHash<QString, QString> marks{{"generator", "write a first candidate"},
                                               {"features", "read a kernel's source and say what it has"},
                                               {"planner", "decide on the one change to try next"},
                                               {"optimizer", "carry out one plan"},
                                               {"diagnoser", "find out why a candidate fails"},
                                               {"repairer", "mend a candidate that fails"},
                                               {"distiller", "a planner's own idea has won repeatedly"}};
    QJsonArray fixtures;
    const QDir folder(QStringLiteral(TEST_DIR "/replies"));
    for (const QString &name : folder.entryList({"*.md"})) {
        const QString role = name.section('-', 0, 0);
        const int place = name.section('-', 1).section('.', 0, 0).toInt() - 1;
        const QJsonObject match{{"systemMessage", marks.value(role)}, {"sequenceIndex", place}};
        fixtures.append(QJsonObject{{"match", match}, {"response", QJsonObject{{"content", QString::fromUtf8(contentOf(folder.filePath(name)))}}}});
    }
    return fixtures;
}

QString text(const QJsonArray &fixtures)
{
    return QString::fromUtf8(QJsonDocument(QJsonObject{{"fixtures", fixtures}}).toJson());
}

} // namespace

class TestLlmCast : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void fromTheCassette();
    void againstThePeer();
    void keepsTheKeyToItself();
    void endsAtALimitAndGoesOn();
    void troubles_data();
    void troubles();
    void goesOnOnceItIsMended();
    void unusableReplies_data();
    void unusableReplies();
    void waitsForTheLimit();
    void missesWhatIsNotOnTheCassette();

private:
    struct Options
    {
        QString base = QStringLiteral("http://127.0.0.1:9/v1");
        QStringList more{};
        QString tape{};
        int rounds = 5, seeds = 2;
    };
    [[nodiscard]] ProgramEnd optimize(const Options &options) const;
    [[nodiscard]] ProgramEnd kernelskill(const QStringList &arguments) const;
    [[nodiscard]] QString path(const QString &name) const { return m_folders->path(name); }
    [[nodiscard]] QList<Event> events() const;
    void checkTheWholeCast(const ProgramEnd &end) const;

    std::unique_ptr<TestFolders> m_folders;
};

void TestLlmCast::initTestCase()
{
    for (const char *name : {"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "DBUS_SESSION_BUS_ADDRESS"})
        qunsetenv(name);
}

// A memory of two skills, so that the evidence soon allows nothing that was not tried, and ideas are open.
void TestLlmCast::init()
{
    m_folders = std::make_unique<TestFolders>();
    const QDir skills(QStringLiteral(SOURCE_DIR "/skills"));
    QVERIFY(QDir().mkpath(path("skills")));
    QVERIFY(QFile::copy(skills.filePath("policy.yaml"), path("skills/policy.yaml")));
    for (const QString &name : {QStringLiteral("memory-coalescing"), QStringLiteral("online-softmax")}) {
        QVERIFY(QDir().mkpath(path("skills/" + name)));
        QVERIFY(QFile::copy(skills.filePath(name + "/SKILL.md"), path("skills/" + name + "/SKILL.md")));
    }
    // One compiler everywhere: its code decides the figures in the prompts.
    QVERIFY(QDir().mkpath(path("config/kernelskill")));
    QFile settings(path("config/kernelskill/plugins.ini"));
    QVERIFY(settings.open(QIODevice::WriteOnly));
    settings.write("[evaluator-simulator]\ncompiler=clang\n");
}

ProgramEnd TestLlmCast::kernelskill(const QStringList &arguments) const
{
    qputenv("KERNELSKILL_SKILLS", path("skills").toLocal8Bit());
    return m_folders->kernelskill(arguments);
}

ProgramEnd TestLlmCast::optimize(const Options &options) const
{
    QStringList arguments{"optimize", taskFolder("row_softmax"), "--agent", "llm", "--json",
                          "--agent-option", "provider=openai-chat", "--agent-option", "base_url=" + options.base,
                          "--agent-option", "model=peer-model", "--session", path("s.kss"),
                          "--rounds", QString::number(options.rounds), "--seeds", QString::number(options.seeds)};
    if (!options.tape.isEmpty()) arguments += {"--agent-option", "cassette=" + options.tape};
    return kernelskill(arguments + options.more);
}

QList<Event> TestLlmCast::events() const
{
    const auto file = SessionFile::open(path("s.kss"));
    return file ? file->events().value_or(QList<Event>()) : QList<Event>();
}

void TestLlmCast::checkTheWholeCast(const ProgramEnd &end) const
{
    QVERIFY2(end.exitCode == 0, end.err);
    const QJsonObject json = end.json();
    QCOMPARE(json["stopped_by"].toString(), QString("rounds"));
    QCOMPARE(json["nodes"].toInt(), 7);
    QCOMPARE(json["best"]["node"].toInt(), 6);
    QCOMPARE(json["best"]["verdict"].toString(), QString("verified"));
    QVERIFY(json["best"]["speedup"].toDouble() > 30);
    QCOMPARE(json["llm"]["calls"].toInt(), 18);
    QVERIFY(json["llm"]["tokens_in"].toInt() > 20'000);
    const Trajectory trajectory = Trajectory::fold(events());
    QStringList states;
    for (const TrajectoryNode &node : trajectory.nodes)
        states.append(QStringLiteral("%1 %2 %3").arg(node.kind, node.skill, toString(node.state)).simplified());
    QCOMPARE(states, QStringList({"seed verified", "seed wrong", "optimise memory-coalescing wrong", "repair memory-coalescing verified",
                                  "optimise online-softmax verified", "optimise fewer-passes-over-the-row verified", "optimise fewer-passes-over-the-row verified"}));
    QStringList refusals, roles;
    for (const Event &event : events()) {
        if (event.kind == u"round.refused") refusals.append(event.data["reason"].toString());
        if (event.kind != u"role.call") continue;
        roles.append(event.data["role"].toString());
        if (event.data["role"] != "optimizer") QVERIFY2(!event.data.contains("error"), qPrintable(event.data["error"].toString()));
        QCOMPARE(event.data["facts"]["prompt"]["name"].toString(), event.data["role"].toString());
    }
    QCOMPARE(refusals.size(), 2);
    QCOMPARE(refusals.first(), QString("online-softmax with these parameters was tried on this base already (node 4: verified)"));
    QVERIFY(refusals.last().startsWith("online-softmax: the row is read once already"));
    QCOMPARE(QSet<QString>(roles.begin(), roles.end()).size(), 7);
    // The idea that won twice is a draft in the model's words, with the record's evidence.
    const ProgramEnd shown = kernelskill({"skills", "show", "fewer-passes-over-the-row", "--json"});
    QVERIFY2(shown.exitCode == 0, shown.err);
    QVERIFY2(shown.out.contains("Reads each row from global memory once"), shown.out);
    QVERIFY(shown.out.contains("Where it comes from"));
    QVERIFY(shown.out.contains("\"draft\""));
}

void TestLlmCast::fromTheCassette()
{
    if (qEnvironmentVariableIsSet("KERNELSKILL_RECORD")) QSKIP("it is recorded anew");
    const ProgramEnd end = optimize({.tape = "replay:" + cassette});
    QVERIFY2(!end.err.contains("not on the cassette"), end.err + "\nrecord it anew: README.md beside the test");
    checkTheWholeCast(end);
    // What the transcript pane shows, as JSON.
    const ProgramEnd transcript = kernelskill({"session", "show", path("s.kss"), "--node", "3", "--transcript", "--json"});
    QCOMPARE(transcript.exitCode, 0);
    QByteArray all = transcript.out;
    QVERIFY(all.contains("\"role\": \"repairer\""));
    QVERIFY(all.contains("barriers around the read of the reduction's result"));
    QVERIFY(all.contains("Your part: mend a candidate that fails"));
    QVERIFY(all.contains("\"tokens_in\""));
}

void TestLlmCast::againstThePeer()
{
    MockPeer peer(text(fixturesOfTheCast()));
    if (peer.isOffline()) QSKIP(qPrintable(peer.trouble()));
    QVERIFY2(peer.trouble().isEmpty(), qPrintable(peer.trouble()));
    const ProgramEnd end = optimize({.base = peer.url("/v1").toString(), .tape = "record:" + path("tape")});
    checkTheWholeCast(end);
    QVERIFY2(QFile::exists(path("tape")), end.err);
    if (!qEnvironmentVariableIsSet("KERNELSKILL_RECORD")) return;
    // The port is the peer's of this day; any will do, since it is never reached.
    QByteArray tape = contentOf(path("tape"));
    tape.replace(peer.url().authority().toUtf8(), "127.0.0.1:9");
    QFile file(cassette);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(tape), tape.size());
}

// No file a run leaves behind holds the key, nor do its words.
void TestLlmCast::keepsTheKeyToItself()
{
    QJsonArray fixtures = fixturesOfTheCast();
    // A peer that repeats the key in an error, as some do.
    fixtures.prepend(QJsonObject{{"match", QJsonObject{{"systemMessage", "write a first candidate"}, {"sequenceIndex", 0}}},
                                 {"response", QJsonObject{{"error", QJsonObject{{"message", "temporary trouble with key " + key}, {"type", "server_error"}}}, {"status", 500}}}});
    MockPeer peer(text(fixtures));
    if (peer.isOffline()) QSKIP(qPrintable(peer.trouble()));
    QVERIFY2(peer.trouble().isEmpty(), qPrintable(peer.trouble()));
    qputenv("PEER_KEY", key.toUtf8());
    const ProgramEnd end = optimize({.base = peer.url("/v1").toString(), .more = {"--agent-option", "key_variable=PEER_KEY"}, .tape = "record:" + path("tape"), .rounds = 1});
    qunsetenv("PEER_KEY");
    QVERIFY2(end.exitCode == 0, end.err);
    QVERIFY(!end.out.contains(key.toUtf8()) && !end.err.contains(key.toUtf8()));
    int files = 0;
    for (QDirIterator it(path("."), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories); it.hasNext();) {
        const QString file = it.next();
        QVERIFY2(!contentOf(file).contains(key.toUtf8()), qPrintable(file));
        ++files;
    }
    QVERIFY(files > 4);
    const ProgramEnd html = kernelskill({"session", "export", path("s.kss"), "--html", path("s.html")});
    QCOMPARE(html.exitCode, 0);
    QVERIFY(!contentOf(path("s.html")).contains(key.toUtf8()));
    for (const char *node : {"0", "1", "2"})
        QVERIFY(!kernelskill({"session", "show", path("s.kss"), "--node", node, "--transcript"}).out.contains(key.toUtf8()));
}

void TestLlmCast::endsAtALimitAndGoesOn()
{
    const ProgramEnd end = optimize({.more = {"--budget", "calls=5"}, .tape = "replay:" + cassette});
    QVERIFY2(end.exitCode == 0, end.err);
    QCOMPARE(end.json()["stopped_by"].toString(), QString("calls"));
    QCOMPARE(end.json()["llm"]["calls"].toInt(), 5);
    QVERIFY2(events().last().data["message"].toString().contains("5"), qPrintable(events().last().data["message"].toString()));
    // The step in flight is done again from the cassette's beginning, which is another tape position: only more money is new.
    const ProgramEnd again = kernelskill({"session", "resume", path("s.kss"), "--json"});
    QCOMPARE(again.json()["stopped_by"].toString(), QString("calls"));
    const ProgramEnd more = kernelskill({"session", "resume", path("s.kss"), "--json", "--budget", "calls=40"});
    QVERIFY2(more.json()["llm"]["calls"].toInt() > 5, more.err);
}

void TestLlmCast::troubles_data()
{
    QTest::addColumn<QJsonObject>("response");
    QTest::addColumn<QString>("says");
    const auto error = [](int status, const char *message, const char *type, const char *code = "") {
        return QJsonObject{{"error", QJsonObject{{"message", message}, {"type", type}, {"code", code}}}, {"status", status}};
    };
    QTest::newRow("wrong key") << error(401, "Incorrect API key provided", "invalid_request_error", "invalid_api_key") << "answers 401: Incorrect API key provided";
    QTest::newRow("unknown model") << error(404, "The model `peer-model` does not exist", "invalid_request_error", "model_not_found") << "kernelskill plugins choices llm model";
    QTest::newRow("spent") << error(429, "You exceeded your current quota, please check your plan", "insufficient_quota", "insufficient_quota") << "You exceeded your current quota";
    QTest::newRow("down") << error(503, "no healthy upstream", "server_error") << "(tried 2 times)";
    QTest::newRow("overloaded") << error(529, "overloaded", "overloaded_error") << "answers 529: overloaded";
}

// The run pauses: what there is stays, the exit status is that of the environment, and the sentence says what to do.
void TestLlmCast::troubles()
{
    QFETCH(QJsonObject, response);
    QFETCH(QString, says);
    MockPeer peer(text({QJsonObject{{"match", QJsonObject{{"model", "peer-model"}}}, {"response", response}}}));
    if (peer.isOffline()) QSKIP(qPrintable(peer.trouble()));
    QVERIFY2(peer.trouble().isEmpty(), qPrintable(peer.trouble()));
    const ProgramEnd end = optimize({.base = peer.url("/v1").toString(), .more = {"--agent-option", "retries=1"}, .seeds = 1});
    QCOMPARE(end.exitCode, 3);
    QCOMPARE(end.json()["stopped_by"].toString(), QString("provider"));
    QCOMPARE(end.json()["nodes"].toInt(), 1); // the baseline is measured and stays
    const QString message = events().last().data["message"].toString();
    QVERIFY2(message.contains(says), qPrintable(message));
    QVERIFY2(end.err.contains(says.toUtf8()), end.err);
}

void TestLlmCast::goesOnOnceItIsMended()
{
    const ProgramEnd end = optimize({.more = {"--agent-option", "retries=0"}, .rounds = 1, .seeds = 1}); // nothing listens there
    QCOMPARE(end.exitCode, 3);
    QVERIFY2(end.err.contains("127.0.0.1:9"), end.err);
    MockPeer peer(text(fixturesOfTheCast()));
    if (peer.isOffline()) QSKIP(qPrintable(peer.trouble()));
    QVERIFY2(peer.trouble().isEmpty(), qPrintable(peer.trouble()));
    const ProgramEnd resumed = kernelskill({"session", "resume", path("s.kss"), "--json", "--agent-option", "llm.base_url=" + peer.url("/v1").toString()});
    QVERIFY2(resumed.exitCode == 0, resumed.err);
    QCOMPARE(resumed.json()["stopped_by"].toString(), QString("rounds"));
    QCOMPARE(resumed.json()["nodes"].toInt(), 2);
}

void TestLlmCast::unusableReplies_data()
{
    QTest::addColumn<QString>("reply");
    QTest::newRow("ignores the schema") << "Sure! I would coalesce the memory accesses first, since each lane reads another row.";
    QTest::newRow("blank") << " ";
    QTest::newRow("a megabyte") << QString("All work and no play makes a dull kernel.\n").repeated(25'000);
    QTest::newRow("another language") << "すべてのスレッドが別々の行を読むので、まずメモリアクセスをまとめます。";
}

// The run goes on: the ranking plans, the code stays as it was.
void TestLlmCast::unusableReplies()
{
    QFETCH(QString, reply);
    QJsonObject fixture{{"match", QJsonObject{{"model", "peer-model"}}}, {"response", QJsonObject{{"content", reply}}}, {"chunkSize", 4000}};
    MockPeer peer(text({fixture}));
    if (peer.isOffline()) QSKIP(qPrintable(peer.trouble()));
    QVERIFY2(peer.trouble().isEmpty(), qPrintable(peer.trouble()));
    const ProgramEnd end = optimize({.base = peer.url("/v1").toString(), .rounds = 2, .seeds = 1});
    QVERIFY2(end.exitCode == 0, end.err);
    QCOMPARE(end.json()["stopped_by"].toString(), QString("exhausted"));
    QVERIFY2(end.err.contains("the model's reply could not be used"), end.err);
    QVERIFY(end.json()["llm"]["calls"].toInt() >= 6); // features, plan, code: each asked for twice
}

void TestLlmCast::waitsForTheLimit()
{
    QJsonArray fixtures = fixturesOfTheCast();
    fixtures.prepend(QJsonObject{{"match", QJsonObject{{"systemMessage", "read a kernel's source"}, {"sequenceIndex", 0}}},
                                 {"response", QJsonObject{{"error", QJsonObject{{"message", "slow down", }, {"type", "rate_limit_error"}}}, {"status", 429}, {"retryAfter", 3}}}});
    MockPeer peer(text(fixtures));
    if (peer.isOffline()) QSKIP(qPrintable(peer.trouble()));
    QVERIFY2(peer.trouble().isEmpty(), qPrintable(peer.trouble()));
    const ProgramEnd end = optimize({.base = peer.url("/v1").toString(), .rounds = 1, .seeds = 1});
    QVERIFY2(end.exitCode == 0, end.err);
    QVERIFY2(QRegularExpression("waiting until \\d\\d:\\d\\d:\\d\\d: .*slow down; everything so far is in the session").match(QString::fromUtf8(end.err)).hasMatch(), end.err);
    bool noted = false;
    for (const Event &event : events())
        noted = noted || (event.kind == u"run.waiting" && event.data["until_ms"].toInteger() > 0);
    QVERIFY(noted);
}

void TestLlmCast::missesWhatIsNotOnTheCassette()
{
    const ProgramEnd end = optimize({.more = {"--agent-option", "temperature=0.3"}, .tape = "replay:" + cassette, .rounds = 1});
    QCOMPARE(end.exitCode, 3);
    QVERIFY2(end.err.contains("/temperature") || end.err.contains("temperature"), end.err);
}

QTEST_GUILESS_MAIN(TestLlmCast)
#include "tst_llm_cast.moc"
