// SPDX-License-Identifier: Apache-2.0
#include "expert_tasks.h"

#include "emission/emit_candidate.h"
#include "roles/decisions.h"

using namespace kernelskill;
using namespace kernelskill::expert;
using namespace kernelskill::expert::test;

namespace {

PlanRequest requestFor(const QString &name, const QStringList &allowed)
{
    PlanRequest request;
    request.task = task(name);
    request.base = request.task.baseline;
    for (const QString &skill : allowed) {
        RankedMethod method;
        method.skill = skill;
        request.retrieval.allowed.append(method);
        Skill entry;
        entry.name = skill;
        entry.promises = {{QStringLiteral("kernel_duration_ns"), QStringLiteral("lower"), QStringLiteral("why")}};
        request.skills.append(entry);
    }
    return request;
}

Attempt attemptOf(const Plan &plan, const QString &code, double speedup)
{
    Attempt attempt;
    attempt.node = 1;
    attempt.baseNode = 0;
    attempt.method = plan.method;
    attempt.skill = plan.skill;
    attempt.parameters = plan.parameters;
    attempt.codeDigest = normalisedCodeDigest(code);
    attempt.outcome = QStringLiteral("verified");
    attempt.speedupOverBase = speedup;
    return attempt;
}

Result<CodeChange> apply(const PlanRequest &request, const Plan &plan)
{
    OptimizeRequest optimise;
    optimise.task = request.task;
    optimise.base = request.base;
    optimise.plan = plan;
    return applyPlan(optimise);
}

DiagnoseRequest failureOf(const QString &name, const QStringList &skills, Status status, const QString &log)
{
    const TaskView taskView = view(name);
    DiagnoseRequest request;
    request.task = taskView.task();
    request.candidate = *emitCandidate(taskView, *planAfter(taskView, skills));
    request.evaluation.status = status;
    request.evaluation.verdict = status == Status::Wrong ? Verdict::Wrong : Verdict::Failed;
    request.evaluation.log = log;
    return request;
}

} // namespace

class ExpertRolesTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void startsFromTheBaseline()
    {
        const Task softmax = task(QStringLiteral("row_softmax"));
        const auto first = firstCandidates({softmax, 3});
        QVERIFY(first);
        QCOMPARE(first->size(), 1);
        QVERIFY(first->first().candidate == softmax.baseline);
    }

    void takesTheBestAllowedThatApplies()
    {
        const PlanRequest request = requestFor(QStringLiteral("row_softmax"),
                                               {QStringLiteral("shared-memory-tiling"),
                                                QStringLiteral("memory-coalescing"), QStringLiteral("online-softmax")});
        const auto plan = choosePlan(request);
        QVERIFY(plan);
        QCOMPARE(plan->skill, QStringLiteral("memory-coalescing"));
        QCOMPARE(plan->parameters, QJsonObject({{"mapping", "block"}, {"threads", 256}}));
        QCOMPARE(plan->promises.size(), 1);
        QVERIFY(!plan->rationale.isEmpty());
    }

    void neverRepeatsWhatWasTried()
    {
        PlanRequest request = requestFor(QStringLiteral("row_softmax"), {QStringLiteral("memory-coalescing")});
        QSet<QByteArray> codes;
        for (int i = 0; i < 3; ++i) {
            const auto plan = choosePlan(request);
            QVERIFY(plan);
            const auto change = apply(request, *plan);
            QVERIFY(change);
            const QByteArray digest = normalisedCodeDigest(change->candidate.mainText());
            QVERIFY(!codes.contains(digest));
            codes.insert(digest);
            request.attempts.add(attemptOf(*plan, change->candidate.mainText(), 0.9));
        }
        const auto none = choosePlan(request);
        QVERIFY(!none);
        QCOMPARE(none.error().code, QStringLiteral("plan.none"));
        QVERIFY(none.error().detail.contains(QStringLiteral("everything it offers was tried")));
    }

    void triesAnotherSkillBeforeASweepGoesOn()
    {
        PlanRequest request = requestFor(QStringLiteral("row_softmax"),
                                         {QStringLiteral("memory-coalescing"), QStringLiteral("online-softmax")});
        const auto first = choosePlan(request);
        request.attempts.add(attemptOf(*first, apply(request, *first)->candidate.mainText(), 0.8));
        QCOMPARE(choosePlan(request)->skill, QStringLiteral("online-softmax"));
    }

    void goesOnAfterARefusal()
    {
        PlanRequest request = requestFor(QStringLiteral("row_softmax"), {QStringLiteral("memory-coalescing")});
        request.refusals = {QStringLiteral("tried before")};
        QCOMPARE(choosePlan(request)->parameters.value(QStringLiteral("threads")).toInt(), 128);
    }

    void carriesThePlanToTheNextRound()
    {
        PlanRequest request = requestFor(QStringLiteral("bias_gelu_residual"),
                                         {QStringLiteral("kernel-fusion"), QStringLiteral("vectorised-access")});
        const auto fusion = choosePlan(request);
        QCOMPARE(fusion->skill, QStringLiteral("kernel-fusion"));
        const auto fused = apply(request, *fusion);
        QVERIFY(fused);
        request.base = fused->candidate;
        const auto next = choosePlan(request);
        QCOMPARE(next->skill, QStringLiteral("vectorised-access"));
        const auto vectorised = apply(request, *next);
        QVERIFY(vectorised->candidate.mainText().contains(QStringLiteral("kernel-fusion")));
        QVERIFY(vectorised->candidate.mainText().contains(QStringLiteral("float4")));
        QCOMPARE(vectorised->candidate.files.first().path, QStringLiteral("solve.cu"));
        QCOMPARE(vectorised->summary, QStringLiteral("vectorised access (vector width 4)"));
    }

    void refusesWhatDoesNotApply()
    {
        const PlanRequest request = requestFor(QStringLiteral("row_softmax"), {});
        Plan plan;
        plan.skill = QStringLiteral("memory-coalescing");
        plan.parameters = {{"threads", 77}};
        const auto change = apply(request, plan);
        QVERIFY(!change);
        QCOMPARE(change.error().code, QStringLiteral("optimise.inapplicable"));
        plan.parameters = {};
        QVERIFY(apply(request, plan)); // a person named the skill only: the preferred change
    }

    void diagnosesItsOwnMistakes_data()
    {
        QTest::addColumn<QStringList>("skills");
        QTest::addColumn<Status>("status");
        QTest::addColumn<QString>("log");
        QTest::addColumn<QString>("errorClass");
        QTest::addColumn<QString>("fix");
        const QStringList blocked{QStringLiteral("shared-memory-tiling"), QStringLiteral("register-blocking"),
                                  QStringLiteral("vectorised-access")};
        QTest::newRow("shared") << blocked.mid(0, 1) << Status::BuildFailed << "ptxas error: uses too much shared data"
                                << "resources"
                                << "smaller tile in shared memory";
        QTest::newRow("registers") << QStringList{blocked.at(0), QStringLiteral("register-blocking:1")}
                                   << Status::Crashed << "too many resources requested for launch"
                                   << "resources" << "fewer outputs a thread";
        QTest::newRow("misaligned") << blocked << Status::Crashed << "misaligned address" << "misaligned"
                                    << "accesses of one element";
        QTest::newRow("wrong") << blocked.mid(0, 1) << Status::Wrong << "" << "wrong_result" << "step back to the base";
        QTest::newRow("timeout") << blocked << Status::Timeout << "" << "timeout" << "step back to the base";
    }
    void diagnosesItsOwnMistakes()
    {
        QFETCH(QStringList, skills);
        QFETCH(Status, status);
        QFETCH(QString, log);
        QFETCH(QString, errorClass);
        QFETCH(QString, fix);
        DiagnoseRequest request = failureOf(QStringLiteral("matmul"), skills, status, log);
        const auto diagnosis = findCause(request);
        QVERIFY(diagnosis);
        QCOMPARE(diagnosis->errorClass, errorClass);
        QCOMPARE(diagnosis->fix, fix);
        const auto repaired = applyFix({request, *diagnosis});
        if (fix == u"step back to the base") {
            QCOMPARE(repaired.error().code, QStringLiteral("repair.give_up"));
            return;
        }
        QVERIFY2(repaired, repaired ? "" : qPrintable(repaired.error().message));
        QVERIFY(repaired->candidate.mainText() != request.candidate.mainText());
        // The same fix is not offered twice for the same error.
        request.chain.append({1, diagnosis->errorClass, diagnosis->cause, diagnosis->fix, QStringLiteral("failed")});
        QVERIFY(findCause(request)->fix != fix);
    }

    void givesUpOnForeignCode()
    {
        DiagnoseRequest request;
        request.task = task(QStringLiteral("matmul"));
        request.candidate = request.task.baseline;
        request.evaluation.status = Status::BuildFailed;
        const auto diagnosis = findCause(request);
        QCOMPARE(applyFix({request, *diagnosis}).error().code, QStringLiteral("repair.give_up"));
    }
};

QTEST_APPLESS_MAIN(ExpertRolesTest)
#include "tst_expert_roles.moc"
