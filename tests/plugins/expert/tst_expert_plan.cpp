// SPDX-License-Identifier: Apache-2.0
#include "expert_tasks.h"

#include <QJsonArray>

using namespace kernelskill;
using namespace kernelskill::expert;
using namespace kernelskill::expert::test;

class ExpertPlanTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void scheduleSurvivesJson()
    {
        Schedule schedule;
        QVERIFY(schedule.toJson().isEmpty()); // only differences are written
        schedule.threads = 512;
        schedule.vectorWidth = 4;
        schedule.itemsPerThread = 2;
        schedule.batchedLoads = true;
        schedule.mapping = RowMapping::Warp;
        schedule.shuffle = true;
        schedule.cachedVectors = 3;
        schedule.online = true;
        schedule.reciprocal = true;
        schedule.peeled = true;
        schedule.keepExponentials = true;
        schedule.coalesced = true;
        schedule.tileM = 64;
        schedule.tileN = 128;
        schedule.tileK = 8;
        schedule.threadM = 4;
        schedule.threadN = 8;
        schedule.padding = 4;
        schedule.prefetch = true;
        const QJsonObject json = schedule.toJson();
        QCOMPARE(json.size(), 19); // every field
        QCOMPARE(json.value(QStringLiteral("mapping")).toString(), QStringLiteral("warp"));
        QVERIFY(Schedule::fromJson(json) == schedule);
    }

    void planSurvivesJson_data()
    {
        QTest::addColumn<QString>("name");
        for (const QString &name : allTasks())
            QTest::newRow(qPrintable(name)) << name;
    }
    void planSurvivesJson()
    {
        QFETCH(QString, name);
        const TaskView taskView = view(name);
        const auto plan = studentPlan(taskView);
        QVERIFY2(plan, plan ? "" : qPrintable(plan.error().message));
        const auto again = KernelPlan::fromJson(plan->toJson());
        QVERIFY(again);
        QVERIFY(*again == *plan);
        Candidate candidate;
        candidate.agentData = plan->toJson();
        const auto carried = planOf(taskView, candidate);
        QVERIFY(carried);
        QVERIFY(*carried == *plan);
    }

    void refusesWhatIsNoPlan()
    {
        QVERIFY(!KernelPlan::fromJson({}));
        QVERIFY(!KernelPlan::fromJson(
            {{"plan_schema", 1},
             {"groups", QJsonArray{QJsonObject{{"pattern", "scan"}, {"nodes", QJsonArray{"y"}}}}}}));
    }

    void aForeignPlanGivesWayToTheStudents()
    {
        const TaskView taskView = view(QStringLiteral("transpose"));
        Candidate candidate;
        candidate.agentData = KernelPlan{{Group{Pattern::Rows, {QStringLiteral("other")}, {}, {}}}}.toJson();
        const auto plan = planOf(taskView, candidate);
        QVERIFY(plan);
        QVERIFY(*plan == *studentPlan(taskView));
    }

    void studentWritesOneKernelAnOperator()
    {
        const auto chain = studentPlan(view(QStringLiteral("bias_gelu_residual")));
        QCOMPARE(chain->groups.size(), 3);
        for (const Group &group : chain->groups)
            QVERIFY(group.pattern == Pattern::Pointwise);
        QCOMPARE(chain->groups.last().id(), QStringLiteral("y"));
        const auto softmax = studentPlan(view(QStringLiteral("row_softmax")));
        QCOMPARE(softmax->groups.size(), 1);
        QVERIFY(softmax->groups.first().pattern == Pattern::Rows);
        QVERIFY(softmax->groups.first().schedule.mapping == RowMapping::Thread);
        const auto loss = studentPlan(view(QStringLiteral("mean_squared_error")));
        QCOMPARE(loss->groups.size(), 1); // its intermediates have no memory to live in
        QVERIFY(loss->groups.first().pattern == Pattern::FullReduction);
    }

    // Code that launches once has its operators fused already.
    void readsFusionOffTheCode()
    {
        const TaskView taskView = view(QStringLiteral("rms_norm_steps"));
        QVERIFY(studentPlan(taskView)->groups.size() > 1);
        const auto plan = planOf(taskView, taskView.task().baseline);
        QVERIFY(plan);
        QCOMPARE(plan->groups.size(), 1);
        QVERIFY(plan->groups.first().pattern == Pattern::Rows);
    }

    void storesIntermediatesInFreeOutputs()
    {
        const TaskView taskView = view(QStringLiteral("bias_gelu_residual"));
        QCOMPARE(taskView.storage(QStringLiteral("x")), QStringLiteral("x"));
        QCOMPARE(taskView.storage(QStringLiteral("biased")), QStringLiteral("y"));
        QCOMPARE(taskView.storage(QStringLiteral("activated")), QStringLiteral("y"));
        QCOMPARE(*taskView.extentCode({QStringLiteral("rows"), QStringLiteral("cols")}), QStringLiteral("rows * cols"));
        QCOMPARE(*taskView.extent({QStringLiteral("rows"), QStringLiteral("cols")}), 4096 * 4096);
    }

    void saysWhyATaskIsNotPlanned()
    {
        Task without = task(QStringLiteral("transpose"));
        without.graph.reset();
        const auto made = TaskView::make(without);
        QVERIFY(!made);
        QCOMPARE(made.error().code, QStringLiteral("expert.unsupported"));
        Task half = task(QStringLiteral("transpose"));
        half.parameters.first().dtype = QStringLiteral("float16");
        QVERIFY(TaskView::make(half).error().message.contains(QStringLiteral("float16")));
    }
};

QTEST_APPLESS_MAIN(ExpertPlanTest)
#include "tst_expert_plan.moc"
