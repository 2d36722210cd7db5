// SPDX-License-Identifier: Apache-2.0
// What a person is asked in each role, and what becomes of the answers.
#include "manual_agent.h"

#include <QCoroTask>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::manual;

class TestManualAgent : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void choosesASkill();
    void leavesItToTheRanking();
    void hasAnIdea();
    void withdrawsAnIdea();
    void endsTheRun();
    void editsTheCode();
    void givesAChangeUp();
    void namesTheCause();
    void saysFeatures_data();
    void saysFeatures();
    void nobodyThere();

private:
    [[nodiscard]] RoleContext answering(QList<Answer> answers);
    [[nodiscard]] static PlanRequest planRequest();
    ManualAgent m_agent;
    QList<Question> m_asked;
};

// Answers in the given order and keeps the questions.
RoleContext TestManualAgent::answering(QList<Answer> answers)
{
    m_asked.clear();
    RoleContext context;
    context.round = 4;
    context.ask = [this, answers](Question question) mutable -> QCoro::Task<Result<Answer>> {
        m_asked.append(question);
        co_return answers.isEmpty() ? Answer{} : answers.takeFirst();
    };
    return context;
}

PlanRequest TestManualAgent::planRequest()
{
    PlanRequest request;
    Skill coalescing;
    coalescing.name = "memory-coalescing";
    coalescing.title = "Memory coalescing";
    coalescing.promises = {{"sectors_per_request", "lower", {}}};
    request.skills = {coalescing};
    request.retrieval.allowed = {{"M3", "memory-coalescing", 1, false, false, "expected 1.42× from 7 uses on sm_90"}};
    request.retrieval.explanation = "Loads are scattered.";
    return request;
}

void TestManualAgent::choosesASkill()
{
    const auto plan = QCoro::waitFor(m_agent.planner()->plan(planRequest(), answering({{true, 0, {}}})));
    QVERIFY(plan);
    QCOMPARE(plan->method, QString("M3"));
    QCOMPARE(plan->skill, QString("memory-coalescing"));
    QVERIFY(!plan->overridesPolicy);
    QCOMPARE(plan->promises.size(), 1);
    QCOMPARE(plan->promises.first().metric, QString("sectors_per_request"));
    const Question &question = m_asked.first();
    QVERIFY(question.kind == Question::Kind::Choose);
    QCOMPARE(question.role, QString("planner"));
    QCOMPARE(question.round, 4);
    QCOMPARE(question.choices.first(), QString("Memory coalescing"));
    QCOMPARE(question.details.first(), QString("expected 1.42× from 7 uses on sm_90"));
    QCOMPARE(question.details.size(), question.choices.size());
    QVERIFY(question.text.contains("Loads are scattered."));
}

void TestManualAgent::leavesItToTheRanking()
{
    const auto plan = QCoro::waitFor(m_agent.planner()->plan(planRequest(), answering({{}})));
    QVERIFY(plan);
    QCOMPARE(plan->skill, QString("memory-coalescing"));
}

void TestManualAgent::hasAnIdea()
{
    const auto plan = QCoro::waitFor(m_agent.planner()->plan(
        planRequest(), answering({{true, 1, {}}, {true, -1, "Use float4, then unroll by 2\nRows are aligned."}})));
    QVERIFY(plan);
    QVERIFY(plan->isFreeForm());
    QCOMPARE(plan->skill, QString("use-float4-then-unroll-by-2"));
    QCOMPARE(plan->rationale, QString("Use float4, then unroll by 2\nRows are aligned."));
    QVERIFY(plan->overridesPolicy);
}

void TestManualAgent::withdrawsAnIdea()
{
    const auto plan = QCoro::waitFor(m_agent.planner()->plan(planRequest(), answering({{true, 1, {}}, {true, -1, "  "}})));
    QVERIFY(!plan);
    QCOMPARE(plan.error().code, QString("plan.withdrawn"));
}

void TestManualAgent::endsTheRun()
{
    const auto plan = QCoro::waitFor(m_agent.planner()->plan(planRequest(), answering({{true, 2, {}}})));
    QVERIFY(!plan);
    QCOMPARE(plan.error().code, QString("plan.none"));
}

void TestManualAgent::editsTheCode()
{
    OptimizeRequest request;
    request.base = Candidate::fromText("solve.cu", "void solve();\n");
    request.base.agentData = {{"schedule", 1}};
    request.base.files.append(CandidateFile{"helper.cuh", "// kept\n"});
    request.skill.title = "Memory coalescing";
    request.skill.body = "Let neighbours touch neighbours.";
    const auto change =
        QCoro::waitFor(m_agent.optimizer()->optimise(request, answering({{true, -1, "void solve() { }\n"}})));
    QVERIFY(change);
    QCOMPARE(change->candidate.mainText(), QString("void solve() { }\n"));
    QCOMPARE(change->candidate.files.size(), 2);
    QCOMPARE(change->candidate.files[1].content, QString("// kept\n"));
    QVERIFY(change->candidate.agentData.isEmpty()); // it described the other code
    QCOMPARE(change->summary, QString("Memory coalescing"));
    QVERIFY(m_asked.first().kind == Question::Kind::Code);
    QCOMPARE(m_asked.first().initial, QString("void solve();\n"));
    QCOMPARE(m_asked.first().text, QString("Let neighbours touch neighbours."));
}

void TestManualAgent::givesAChangeUp()
{
    OptimizeRequest request;
    request.base = Candidate::fromText("solve.cu", "void solve();\n");
    const auto change = QCoro::waitFor(m_agent.optimizer()->optimise(request, answering({{}})));
    QVERIFY(!change);
    QCOMPARE(change.error().code, QString("optimise.inapplicable"));
    RepairRequest repair;
    repair.failure.candidate = request.base;
    const auto mended = QCoro::waitFor(m_agent.repairer()->repair(repair, answering({{}})));
    QVERIFY(!mended);
    QCOMPARE(mended.error().code, QString("repair.give_up"));
}

void TestManualAgent::namesTheCause()
{
    DiagnoseRequest request;
    Finding finding;
    finding.kind = "race";
    finding.file = "solve.cu";
    finding.line = 12;
    finding.message = "two threads write sum[0]";
    request.evaluation.findings = {finding};
    request.chain = {{3, "race", "no barrier", "add a barrier", "wrong"}};
    const auto diagnosis = QCoro::waitFor(
        m_agent.diagnoser()->diagnose(request, answering({{true, -1, "cause: all add to one\nfix: reduce in the warp"}})));
    QVERIFY(diagnosis);
    QCOMPARE(diagnosis->errorClass, QString("race"));
    QCOMPARE(diagnosis->cause, QString("all add to one"));
    QCOMPARE(diagnosis->fix, QString("reduce in the warp"));
    QVERIFY(m_asked.first().text.contains("solve.cu:12: two threads write sum[0]"));
    QVERIFY(m_asked.first().text.contains("tried: add a barrier – wrong"));
}

void TestManualAgent::saysFeatures_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<Features>("features");
    QTest::addColumn<QString>("error");
    QTest::newRow("kinds") << "# note\nhas_reuse: yes\nuses_shared_memory: false\nkernel_structure_id: S1\nunroll: 4\n"
                           << Features{{"has_reuse", true}, {"uses_shared_memory", false}, {"kernel_structure_id", "S1"}, {"unroll", 4.0}}
                           << QString();
    QTest::newRow("nothing") << "" << Features{} << QString();
    QTest::newRow("no value") << "has_reuse: yes\nunroll:\n" << Features{} << "line 2";
    QTest::newRow("no name") << ": 4\n" << Features{} << "line 1";
}

void TestManualAgent::saysFeatures()
{
    QFETCH(QString, text);
    QFETCH(QString, error);
    const auto features = QCoro::waitFor(m_agent.featureExtractor()->extract({}, answering({{true, -1, text}})));
    QCOMPARE(features.has_value(), error.isEmpty());
    if (features)
        QTEST(*features, "features");
    else
        QVERIFY2(features.error().message.contains(error), qPrintable(features.error().message));
}

void TestManualAgent::nobodyThere()
{
    const auto plan = QCoro::waitFor(m_agent.planner()->plan(planRequest(), {}));
    QVERIFY(!plan);
    QCOMPARE(plan.error().code, QString("cast.nobody"));
    QVERIFY(plan.error().message.contains("terminal"));
}

QTEST_GUILESS_MAIN(TestManualAgent)
#include "tst_manual_agent.moc"
