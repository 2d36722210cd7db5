// SPDX-License-Identifier: Apache-2.0
// A program in every role: what it is told, what becomes of its answers, and that a wrong one costs no more than itself.
#include "scripts.h"

#include "../../support/result_text.h"

#include <QCoroTask>
#include <QCoroTimer>
#include <QFile>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::process;
using namespace kernelskill::test;

namespace {

Attempt attemptWith(const QString &skill)
{
    Attempt attempt;
    attempt.skill = skill;
    attempt.outcome = "verified";
    attempt.speedupOverBase = 1.5;
    return attempt;
}

} // namespace

class TestProcessAgent : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_scripts = std::make_unique<Scripts>(); }
    void splitsWords_data();
    void splitsWords();
    void refusesSettings_data();
    void refusesSettings();
    void namedRolesAreTheOnlyOnes();
    void plannerOfTheReadme();
    void toldWhatThePlannerIsTold();
    void plansAnIdeaOfItsOwn();
    void firstCandidatesAndFeatures();
    void changesCode();
    void mendsAndDistils();
    void badReplies_data();
    void badReplies();
    void badPlans_data();
    void badPlans();
    void ownErrors_data();
    void ownErrors();
    void lateAnswersAreNotTaken();
    void notesWhileItWorks();
    void asksThePerson();
    void aPersonsTimeDoesNotCount();

private:
    [[nodiscard]] QJsonObject script(const QString &body, const QJsonObject &settings = {}) const { return m_scripts->settings(body, settings); }
    [[nodiscard]] QStringList noted(const QString &name) const { return m_scripts->noted(name); }
    std::unique_ptr<Scripts> m_scripts;
};

void TestProcessAgent::splitsWords_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("plain") << "python3  planner.py\t-v" << QStringList{"python3", "planner.py", "-v"};
    QTest::newRow("single quotes") << R"(a 'b "c" \d')" << QStringList{"a", R"(b "c" \d)"};
    QTest::newRow("double quotes") << R"(a "b \"c\" \\ \d 'e'")" << QStringList{"a", R"(b "c" \ \d 'e')"};
    QTest::newRow("joined") << R"(--name="a b"'c d'e)" << QStringList{"--name=a bc de"};
    QTest::newRow("escaped space") << R"(my\ planner \"x)" << QStringList{"my planner", "\"x"};
    QTest::newRow("empty word") << "a '' \"\"" << QStringList{"a", "", ""};
    QTest::newRow("nothing is run") << "a $HOME `b` | *" << QStringList{"a", "$HOME", "`b`", "|", "*"};
    QTest::newRow("nothing") << "  " << QStringList{};
}

void TestProcessAgent::splitsWords()
{
    QFETCH(QString, line);
    const auto words = wordsOf(line);
    QVERIFY(words);
    QTEST(*words, "words");
}

void TestProcessAgent::refusesSettings_data()
{
    QTest::addColumn<QJsonObject>("settings");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("part");
    QTest::newRow("no command") << QJsonObject{} << "settings.value" << "needs a command";
    QTest::newRow("open quote") << QJsonObject{{"command", "python3 'a"}} << "settings.value" << "' is not closed";
    QTest::newRow("not installed") << QJsonObject{{"command", "no-such-program-anywhere x"}} << "agent.program" << "no-such-program-anywhere";
    QTest::newRow("not there") << QJsonObject{{"command", "./nothing.py"}} << "agent.program" << "nothing.py: there is no such program";
    QTest::newRow("not executable") << QJsonObject{{"command", SOURCE_DIR "/README.md"}} << "agent.program" << "can be executed";
    QTest::newRow("a folder") << QJsonObject{{"command", SOURCE_DIR "/core"}} << "agent.program" << "can be executed";
    QTest::newRow("timeout") << QJsonObject{{"command", "python3"}, {"timeout_s", "soon"}} << "settings.value" << "soon";
    QTest::newRow("no time") << QJsonObject{{"command", "python3"}, {"timeout_s", "0"}} << "settings.value" << "“0”";
    QTest::newRow("role") << QJsonObject{{"command", "python3"}, {"roles", "planner, poet"}} << "settings.value" << "poet";
    QTest::newRow("folder") << QJsonObject{{"command", "python3"}, {"folder", "/nowhere"}} << "settings.value" << "/nowhere";
}

void TestProcessAgent::refusesSettings()
{
    QFETCH(QJsonObject, settings);
    QFETCH(QString, part);
    ProcessAgent agent(settings);
    const auto prepared = agent.prepare({});
    QVERIFY(!prepared);
    QTEST(prepared.error().code, "code");
    QVERIFY2(prepared.error().message.contains(part), qPrintable(prepared.error().message));
}

void TestProcessAgent::namedRolesAreTheOnlyOnes()
{
    ProcessAgent agent({{"command", "python3 x.py"}, {"roles", QJsonArray{"planner", "repairer"}}});
    QVERIFY(agent.prepare({}));
    QVERIFY(agent.plays(Role::Planner));
    QVERIFY(agent.plays(Role::Repairer));
    QVERIFY(!agent.plays(Role::Optimizer));
    ProcessAgent any({{"command", "python3 x.py"}});
    QVERIFY(any.prepare({}));
    for (const Role role : allRoles())
        QVERIFY(any.plays(role));
}

void TestProcessAgent::plannerOfTheReadme()
{
    QFile file(TEST_DIR "/planner.py");
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().count('\n') <= 40);
    ProcessAgent agent({{"command", "python3 '" TEST_DIR "/planner.py'"}});
    QVERIFY(agent.prepare({}));
    PlanRequest request = planRequest();
    const auto first = plan(agent, {}, request);
    QVERIFY2(first, errorIn(first).constData());
    QCOMPARE(first->skill, QString("memory-coalescing"));
    QCOMPARE(first->method, QString("M3"));
    QCOMPARE(first->rationale, QString("expected 1.42× from 7 uses on sm_90; 2 allowed, 0 tried before"));
    QVERIFY(!first->overridesPolicy);
    QCOMPARE(first->promises.size(), 1); // the skill's own
    QCOMPARE(first->promises.first().metric, QString("sectors_per_request"));
    request.attempts.add(attemptWith("memory-coalescing"));
    QCOMPARE(plan(agent, {}, request)->skill, QString("shared-memory-tiling"));
    request.refusals = {"shared-memory-tiling: does not fit"};
    const auto none = plan(agent, {}, request);
    QVERIFY(!none);
    QCOMPARE(none.error().code, QString("plan.none"));
    QCOMPARE(none.error().message, QString("everything that is allowed was tried"));
}

void TestProcessAgent::toldWhatThePlannerIsTold()
{
    ProcessAgent agent(script(R"(hello()
for message in requests():
    r, c = message["request"], message["context"]
    told = [message["role"], r["task"]["name"], r["task"]["sizes"]["check"]["rows"], r["task"]["sizes"]["time"][0]["weight"],
            r["task"]["parameters"][0]["dtype"], r["task"]["parameters"][0]["role"], r["task"]["reference"], r["base"]["files"][0]["content"],
            r["evaluation"]["verdict"], r["features"]["has_reuse"], r["features"]["kernel_structure_id"],
            r["retrieval"]["allowed"][1]["reason"], r["retrieval"]["forbidden"], r["retrieval"]["explanation"], r["skills"][0]["body"],
            r["attempts"][0]["speedup_over_base"], r["refusals"], c["seed"], c["round"], c["device"], c["session"],
            c["allowance"]["money_usd"], c["allowance"]["tokens"], c["person"]]
    result(message, {"skill": "memory-coalescing", "parameters": {"told": told}}))"));
    PlanRequest request = planRequest();
    request.task.name = "row_softmax";
    request.task.check = {{"rows", 7}};
    request.task.time = {TimeSize{"time", 2, {{"rows", 4096}}, 1.05}};
    Parameter x;
    x.name = "x";
    x.dtype = "float32";
    request.task.parameters = {x};
    request.task.reference = "void reference();";
    request.attempts.add(attemptWith("memory-coalescing"));
    request.refusals = {"not that"};
    RoleContext context;
    context.seed = (quint64(1) << 60) + 5;
    context.round = 3;
    context.device = "h100_sxm";
    context.session = "abc";
    context.allowance.money_usd = 1.5;
    const auto answer = plan(agent, context, request);
    QVERIFY2(answer, errorIn(answer).constData());
    const QJsonArray expected{"planner", "row_softmax", 7, 2, "float32", "in", "void reference();", "void solve();\n", "verified", true, "S1",
                              "policy order 2", QJsonArray{"M9"}, "Loads are scattered.", "Let neighbours touch neighbours.\n", 1.5,
                              QJsonArray{"not that"}, 5, 3, "h100_sxm", "abc", 1.5, QJsonValue(), false};
    QCOMPARE(answer->parameters.value("told").toArray(), expected);
}

void TestProcessAgent::plansAnIdeaOfItsOwn()
{
    ProcessAgent agent(script(R"(hello()
for message in requests():
    result(message, {"method": "free", "skill": "use-float4", "rationale": "Rows are aligned.", "promises": [{"metric": "dram_bytes", "change": "lower"}], "mood": "good"}))"));
    const auto answer = plan(agent);
    QVERIFY2(answer, errorIn(answer).constData());
    QVERIFY(answer->isFreeForm());
    QCOMPARE(answer->skill, QString("use-float4"));
    QCOMPARE(answer->rationale, QString("Rows are aligned."));
    QCOMPARE(answer->promises.first().change, QString("lower"));
    QVERIFY(!answer->overridesPolicy);
}

// Plays every role but the planner, from what it is told.
static const char *const everyRole = R"(hello()
for message in requests():
    r, role = message["request"], message["role"]
    if role == "generator": result(message, {"candidates": [{"code": "// " + str(i)} for i in range(r["count"] + 1)]})
    if role == "features": result(message, {"features": {"has_reuse": True, "unroll": 4, "kernel_structure_id": "S2", "unknown": None}})
    if role == "optimizer": result(message, {"code": "// " + r["plan"]["skill"] + r["skill"]["title"], "agent_data": {"tile": 8}})
    if role == "diagnoser": result(message, {"error_class": "race", "cause": r["evaluation"]["findings"][0]["message"], "fix": r["chain"][0]["fix"] + " again"})
    if role == "repairer": result(message, {"files": [{"path": "helper.cuh", "content": "// new"}, {"path": "more.cuh", "content": "// more"}], "summary": r["diagnosis"]["fix"]})
    if role == "distiller": result(message, {"skill_md": r["draft"] + "!"}))";

void TestProcessAgent::firstCandidatesAndFeatures()
{
    ProcessAgent agent(script(everyRole));
    GenerateRequest generate;
    generate.task.baseline = Candidate::fromText("solve.cu", "// baseline");
    generate.count = 2;
    const auto candidates = QCoro::waitFor(agent.generator()->generate(generate, {}));
    QVERIFY2(candidates, errorIn(candidates).constData());
    QCOMPARE(candidates->size(), 2); // of three: no more than were asked for
    QCOMPARE(candidates->at(1).candidate.mainText(), QString("// 1"));
    QCOMPARE(candidates->at(1).summary, QString("First candidate"));

    const auto features = QCoro::waitFor(agent.featureExtractor()->extract({}, {}));
    QVERIFY(features);
    QCOMPARE(*features, (Features{{"has_reuse", true}, {"unroll", 4.0}, {"kernel_structure_id", "S2"}}));
}

void TestProcessAgent::changesCode()
{
    ProcessAgent agent(script(everyRole));
    OptimizeRequest optimise;
    optimise.base = Candidate::fromText("solve.cu", "// base");
    optimise.base.files.append(CandidateFile{"helper.cuh", "// kept"});
    optimise.base.agentData = {{"tile", 1}};
    optimise.plan.skill = "memory-coalescing";
    optimise.skill.title = "Memory coalescing";
    const auto change = QCoro::waitFor(agent.optimizer()->optimise(optimise, {}));
    QVERIFY2(change, errorIn(change).constData());
    QCOMPARE(change->candidate.mainText(), QString("// memory-coalescingMemory coalescing"));
    QCOMPARE(change->candidate.files.at(1).content, QString("// kept"));
    QCOMPARE(change->candidate.agentData, (QJsonObject{{"tile", 8}}));
    QCOMPARE(change->summary, QString("Memory coalescing"));
}

void TestProcessAgent::mendsAndDistils()
{
    ProcessAgent agent(script(everyRole));
    DiagnoseRequest failure;
    failure.candidate = Candidate::fromText("solve.cu", "// base");
    failure.candidate.files.append(CandidateFile{"helper.cuh", "// kept"});
    failure.candidate.agentData = {{"tile", 1}};
    Finding finding;
    finding.message = "two threads write sum[0]";
    failure.evaluation.findings = {finding};
    failure.chain = {{3, "race", "no barrier", "add a barrier", "wrong"}};
    const auto diagnosis = QCoro::waitFor(agent.diagnoser()->diagnose(failure, {}));
    QVERIFY2(diagnosis, errorIn(diagnosis).constData());
    QCOMPARE(diagnosis->errorClass, QString("race"));
    QCOMPARE(diagnosis->cause, QString("two threads write sum[0]"));
    QCOMPARE(diagnosis->fix, QString("add a barrier again"));

    const auto repaired = QCoro::waitFor(agent.repairer()->repair({failure, *diagnosis}, {}));
    QVERIFY2(repaired, errorIn(repaired).constData());
    QCOMPARE(repaired->summary, QString("add a barrier again"));
    const QList<CandidateFile> files{{"solve.cu", "// base"}, {"helper.cuh", "// new"}, {"more.cuh", "// more"}};
    QCOMPARE(repaired->candidate.files, files);
    QVERIFY(repaired->candidate.agentData.isEmpty()); // it described the other code

    DistillRequest distil;
    distil.draft = "a draft";
    const auto skill = QCoro::waitFor(agent.distiller()->distil(distil, {}));
    QVERIFY(skill);
    QCOMPARE(*skill, QString("a draft!"));
}

// The result of each role but the planner's, wrong.
void TestProcessAgent::badReplies_data()
{
    QTest::addColumn<QString>("role");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("part");
    QTest::newRow("no candidates") << "generator" << "{}" << "agent.reply" << "“candidates”, found nothing";
    QTest::newRow("a candidate that is none") << "generator" << R"({"candidates": ["x"]})" << "agent.reply" << "found \"x\"";
    QTest::newRow("features in a list") << "features" << R"({"features": [1]})" << "features.reply" << "found [1]";
    QTest::newRow("a feature in a list") << "features" << R"({"features": {"unroll": [1]}})" << "features.reply" << "as “unroll”, found [1]";
    QTest::newRow("no code") << "optimizer" << "{}" << "optimise.reply" << "“code”, found nothing";
    QTest::newRow("empty code") << "optimizer" << R"({"code": " \n"})" << "optimise.reply" << "not empty";
    QTest::newRow("no files") << "optimizer" << R"({"files": []})" << "optimise.reply" << "“files”, found []";
    QTest::newRow("a file outside") << "optimizer" << R"({"files": [{"path": "../x.cu", "content": ""}]})" << "optimise.reply" << "../x.cu";
    QTest::newRow("an absolute file") << "optimizer" << R"({"files": [{"path": "/x.cu", "content": ""}]})" << "optimise.reply" << "/x.cu";
    QTest::newRow("a file twice") << "optimizer" << R"({"files": [{"path": "a", "content": ""}, {"path": "a", "content": ""}]})" << "optimise.reply" << "each once";
    QTest::newRow("no content") << "optimizer" << R"({"files": [{"path": "a"}]})" << "optimise.reply" << "“content”, found nothing";
    QTest::newRow("empty main file") << "optimizer" << R"({"files": [{"path": "solve.cu", "content": ""}]})" << "optimise.reply" << "a main file";
    QTest::newRow("summary") << "optimizer" << R"({"code": "x", "summary": 4})" << "optimise.reply" << "“summary”, found 4";
    QTest::newRow("no fix") << "diagnoser" << R"({"error_class": "race", "cause": "x"})" << "diagnose.reply" << "“fix”";
    QTest::newRow("no class") << "diagnoser" << R"({"fix": "x"})" << "diagnose.reply" << "“error_class”";
    QTest::newRow("no repair") << "repairer" << R"({"code": null})" << "repair.reply" << "found null";
    QTest::newRow("no skill") << "distiller" << "{}" << "agent.reply" << "“skill_md”";
}

void TestProcessAgent::badReplies()
{
    QFETCH(QString, role);
    QFETCH(QString, value);
    QFETCH(QString, part);
    ProcessAgent agent(script(QStringLiteral("hello()\nfor message in requests(): result(message, json.loads(r'''%1'''))").arg(value)));
    const Candidate base = Candidate::fromText("solve.cu", "// base");
    std::optional<Error> error;
    const auto keep = [&error](const auto &answer) {
        if (!answer) error = answer.error();
    };
    if (role == u"generator") keep(QCoro::waitFor(agent.generator()->generate({}, {})));
    if (role == u"features") keep(QCoro::waitFor(agent.featureExtractor()->extract({}, {})));
    if (role == u"optimizer") keep(QCoro::waitFor(agent.optimizer()->optimise({{}, base, {}, {}, {}, {}, {}}, {})));
    if (role == u"diagnoser") keep(QCoro::waitFor(agent.diagnoser()->diagnose({}, {})));
    if (role == u"repairer") keep(QCoro::waitFor(agent.repairer()->repair({{{}, base, {}, {}, {}}, {}}, {})));
    if (role == u"distiller") keep(QCoro::waitFor(agent.distiller()->distil({}, {})));
    QVERIFY(error);
    QTEST(error->code, "code");
    QVERIFY2(error->message.contains(part), qPrintable(error->message));
}

void TestProcessAgent::badPlans_data()
{
    QTest::addColumn<QString>("line"); // Python, says something for `message`
    QTest::addColumn<QString>("part");
    QTest::newRow("no JSON") << "print('hello there', flush=True)" << "wrote “hello there” where one JSON object a line was expected";
    QTest::newRow("a list") << "say([1, 2])" << "wrote “[1, 2]”";
    QTest::newRow("too deep") << "print('{\"a\":' * 5000 + '1' + '}' * 5000, flush=True)" << "one JSON object a line";
    QTest::newRow("no UTF-8") << "os.write(1, b'{\"id\": \"\\xff\\xfe\"}\\n')" << "one JSON object a line";
    QTest::newRow("no id") << "say({'result': {}})" << "without the “id”";
    QTest::newRow("text as result") << "say({'id': message['id'], 'result': 'M3'})" << "no object";
    QTest::newRow("nothing") << "result(message, {})" << "one of the skills allowed (memory-coalescing, shared-memory-tiling), found nothing";
    QTest::newRow("unknown skill") << "result(message, {'skill': 'magic'})" << "found \"magic\"";
    QTest::newRow("skill and method at odds") << "result(message, {'skill': 'memory-coalescing', 'method': 'M8'})" << "one of the skills allowed";
    QTest::newRow("a number") << "result(message, {'skill': 4})" << "a text as “skill”, found 4";
    QTest::newRow("parameters") << "result(message, {'method': 'M3', 'parameters': [1]})" << "an object as “parameters”, found [1]";
    QTest::newRow("promises") << "result(message, {'method': 'M3', 'promises': [{'metric': 'x'}]})" << "a promise";
    QTest::newRow("idea without name") << "result(message, {'method': 'free', 'rationale': 'x'})" << "a name for an idea";
    QTest::newRow("idea without words") << "result(message, {'method': 'free', 'skill': 'x'})" << "“rationale”";
    QTest::newRow("error without words") << "say({'id': message['id'], 'error': 'no'})" << "as “error”, found \"no\"";
    QTest::newRow("usage") << "say({'id': message['id'], 'usage': {'tokens_in': -1}})" << "“tokens_in” of its usage, found -1";
}

// The next answer is taken as if nothing had been, by the same program.
void TestProcessAgent::badPlans()
{
    QFETCH(QString, line);
    QFETCH(QString, part);
    ProcessAgent agent(script(QStringLiteral("hello()\nnote('starts', os.getpid())\nfor i, message in enumerate(requests()):\n"
                                             "    if i == 0: %1\n    else: result(message, {'method': 'M8'})").arg(line)));
    const auto bad = plan(agent);
    QVERIFY(!bad);
    QCOMPARE(bad.error().code, QString("plan.reply"));
    QVERIFY2(bad.error().message.contains(part), qPrintable(bad.error().message));
    const auto good = plan(agent);
    QVERIFY2(good, errorIn(good).constData());
    QCOMPARE(good->skill, QString("shared-memory-tiling"));
    QCOMPARE(noted("starts").size(), 1);
}

void TestProcessAgent::ownErrors_data()
{
    QTest::addColumn<QString>("given");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("message");
    QTest::newRow("none") << "plan.none" << "plan.none" << "because";
    QTest::newRow("its own") << "agent.tired" << "agent.tired" << "because";
    QTest::newRow("money") << "budget.money" << "budget.money" << "because";
    QTest::newRow("provider") << "provider.unavailable" << "provider.unavailable" << "because";
    QTest::newRow("the engine's") << "recording.over" << "agent.error" << "because (recording.over)";
    QTest::newRow("a stop") << "run.stopped" << "agent.error" << "because (run.stopped)";
}

void TestProcessAgent::ownErrors()
{
    QFETCH(QString, given);
    ProcessAgent agent(script(QStringLiteral("hello()\nfor message in requests(): say({'id': message['id'], 'error': {'code': '%1', 'message': 'because'}})").arg(given)));
    const auto answer = plan(agent);
    QVERIFY(!answer);
    QTEST(answer.error().code, "code");
    QTEST(answer.error().message, "message");
}

void TestProcessAgent::lateAnswersAreNotTaken()
{
    ProcessAgent agent(script(R"(hello()
for i, message in enumerate(requests()):
    if i == 0:
        print("a stray print", flush=True)
        first = message
    else:
        result(first, {"method": "M3"})
        result(message, {"method": "M8"}))"));
    QVERIFY(!plan(agent));
    QCOMPARE(plan(agent)->method, QString("M8"));
}

void TestProcessAgent::notesWhileItWorks()
{
    ProcessAgent agent(script(R"(hello()
for message in requests():
    say({"id": message["id"], "tell": "looking at the counters"})
    say({"id": message["id"], "message": {"from": "user", "text": "Which skill?"}})
    say({"id": message["id"], "message": {"from": "oracle", "text": "M8, with sk-abcdefghijklmnopqrstuvwxyz0123456789"}})
    say({"id": message["id"], "usage": {"calls": 2, "tokens_in": 1200, "tokens_out": 30, "tokens_cached": 1000, "cost_usd": 0.25, "model": "small"}})
    say({"id": message["id"], "usage": {"tokens_in": 10}})
    say({"id": message["id"], "weather": "fine"})
    result(message, {"method": "M8"}))"));
    RoleContext context;
    QStringList told;
    QList<RoleUsage> usages;
    context.tells = [&told](const QString &text) { told.append(text); };
    context.report = [&usages](const RoleUsage &usage) { usages.append(usage); };
    const auto answer = plan(agent, context);
    QVERIFY2(answer, errorIn(answer).constData());
    QCOMPARE(told, QStringList{"looking at the counters"});
    QCOMPARE(usages.size(), 3);
    QCOMPARE(usages[0].calls, 2);
    QCOMPARE(usages[0].tokensIn, 1200);
    QCOMPARE(usages[0].tokensOut, 30);
    QCOMPARE(usages[0].tokensCached, 1000);
    QCOMPARE(usages[0].cost_usd, 0.25);
    QCOMPARE(usages[0].facts, (QJsonObject{{"model", "small"}}));
    QCOMPARE(usages[1].calls, 1); // tokens without a call were one
    QCOMPARE(usages[2].messages.size(), 2);
    QCOMPARE(usages[2].messages[0].toObject(), (QJsonObject{{"from", "user"}, {"text", "Which skill?"}}));
    QCOMPARE(usages[2].messages[1].toObject(), (QJsonObject{{"from", "assistant"}, {"text", "M8, with [redacted]"}}));
}

void TestProcessAgent::asksThePerson()
{
    const QJsonObject settings = script(R"(hello()
for message in requests():
    say({"id": message["id"], "ask": {"text": "Which one?", "choices": ["M3", "M8"]}})
    answer = json.loads(sys.stdin.readline())
    assert answer["id"] == message["id"]
    if not answer["answer"]["given"]: say({"id": message["id"], "error": {"code": "plan.withdrawn", "message": "nobody said"}})
    else: result(message, {"method": ["M3", "M8"][answer["answer"]["choice"]], "rationale": answer["answer"]["text"]}))");
    ProcessAgent agent(settings);
    RoleContext context;
    Question asked;
    context.round = 4;
    context.ask = [&asked](Question question) -> QCoro::Task<Result<Answer>> {
        asked = question;
        co_return Answer{true, 1, "as I said"};
    };
    const auto answer = plan(agent, context);
    QVERIFY2(answer, errorIn(answer).constData());
    QCOMPARE(answer->method, QString("M8"));
    QCOMPARE(answer->rationale, QString("as I said"));
    QVERIFY(asked.kind == Question::Kind::Choose);
    QCOMPARE(asked.title, QString("a script"));
    QCOMPARE(asked.text, QString("Which one?"));
    QCOMPARE(asked.choices, (QStringList{"M3", "M8"}));
    QCOMPARE(asked.role, QString("planner"));
    QCOMPARE(asked.round, 4);
    const auto nobody = plan(agent);
    QVERIFY(!nobody);
    QCOMPARE(nobody.error().code, QString("plan.withdrawn"));
}

void TestProcessAgent::aPersonsTimeDoesNotCount()
{
    ProcessAgent agent(script(R"(hello()
for message in requests():
    say({"id": message["id"], "ask": {"text": "And now?"}})
    sys.stdin.readline()
    result(message, {"method": "M8"}))", {{"timeout_s", "2"}}));
    RoleContext context;
    context.ask = [](Question) -> QCoro::Task<Result<Answer>> {
        co_await QCoro::sleepFor(std::chrono::milliseconds(2500));
        co_return Answer{true, -1, "go on"};
    };
    const auto answer = plan(agent, context);
    QVERIFY2(answer, errorIn(answer).constData());
}

QTEST_GUILESS_MAIN(TestProcessAgent)
#include "tst_process_agent.moc"
