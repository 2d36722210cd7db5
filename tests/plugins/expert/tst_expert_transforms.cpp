// SPDX-License-Identifier: Apache-2.0
#include "expert_tasks.h"

#include "memory/longterm/skill.h"

using namespace kernelskill;
using namespace kernelskill::expert;
using namespace kernelskill::expert::test;

class ExpertTransformsTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // A skill applies after those in `before`, or says why not.
    void preconditions_data()
    {
        QTest::addColumn<QString>("taskName");
        QTest::addColumn<QStringList>("before");
        QTest::addColumn<QString>("skill");
        QTest::addColumn<QString>("reason"); // empty: applies
        const auto row = [](const char *taskName, const QStringList &before, const char *skill,
                            const char *reason = "") {
            QTest::addRow("%s after %s on %s", skill, qPrintable(before.join(u'+')), taskName)
                << QString::fromLatin1(taskName) << before << QString::fromLatin1(skill) << QString::fromLatin1(reason);
        };
        const QString coalesce = QStringLiteral("memory-coalescing"),
                      shuffle = QStringLiteral("warp-shuffle-reduction"), vector = QStringLiteral("vectorised-access"),
                      cache = QStringLiteral("memory-level-parallelism"), tile = QStringLiteral("shared-memory-tiling"),
                      block = QStringLiteral("register-blocking"), pad = QStringLiteral("bank-conflict-padding"),
                      less = QStringLiteral("fewer-instructions"), online = QStringLiteral("online-softmax"),
                      fuse = QStringLiteral("kernel-fusion"), fetch = QStringLiteral("software-prefetch"),
                      work = QStringLiteral("work-per-thread");
        row("row_softmax", {}, "memory-coalescing");
        row("row_softmax", {coalesce}, "memory-coalescing", "already read neighbouring columns");
        row("row_softmax", {}, "warp-shuffle-reduction", "its own row");
        row("row_softmax", {coalesce}, "warp-shuffle-reduction");
        row("row_softmax", {coalesce, shuffle}, "warp-shuffle-reduction", "already");
        row("row_softmax", {}, "vectorised-access", "memory-coalescing comes first");
        row("row_softmax", {coalesce}, "vectorised-access");
        row("row_softmax", {coalesce, vector}, "vectorised-access", "4 elements wide already");
        row("row_softmax", {}, "online-softmax");
        row("row_softmax", {online}, "online-softmax", "one pass already");
        row("row_softmax", {coalesce, cache}, "online-softmax", "costs no memory traffic");
        row("layer_norm", {}, "online-softmax", "no softmax");
        row("row_softmax", {}, "memory-level-parallelism", "memory-coalescing comes first");
        row("row_softmax", {coalesce}, "memory-level-parallelism");
        row("row_softmax", {coalesce, cache}, "work-per-thread", "unrolled already");
        row("row_softmax", {}, "fewer-instructions");
        row("row_softmax", {less}, "fewer-instructions", "computed once");
        row("row_softmax", {coalesce, less, cache}, "fewer-instructions");
        row("row_softmax", {}, "shared-memory-tiling", "more than one thread");
        row("row_softmax", {}, "kernel-fusion", "one kernel already");
        row("matmul", {}, "memory-coalescing");
        row("matmul", {}, "shared-memory-tiling");
        row("matmul", {tile}, "shared-memory-tiling", "already");
        row("matmul", {tile}, "memory-coalescing", "already");
        row("matmul", {}, "register-blocking", "shared-memory-tiling comes first");
        row("matmul", {tile}, "register-blocking");
        row("matmul", {tile}, "bank-conflict-padding", "no conflicts to remove");
        row("matmul", {tile, block}, "bank-conflict-padding");
        row("matmul", {tile, block, pad}, "bank-conflict-padding", "padded already");
        row("matmul", {tile}, "vectorised-access", "register-blocking comes first");
        row("matmul", {tile, block}, "vectorised-access");
        row("matmul", {tile}, "software-prefetch", "no loop over tiles");
        row("matmul", {tile, block}, "software-prefetch");
        row("matmul", {tile, block, fetch}, "software-prefetch", "already");
        row("matmul", {}, "work-per-thread", "register-blocking");
        row("transpose", {}, "memory-coalescing");
        row("transpose", {}, "bank-conflict-padding", "no tile");
        row("transpose", {}, "vectorised-access", "shared-memory-tiling comes first");
        row("transpose", {tile}, "bank-conflict-padding");
        row("transpose", {tile}, "vectorised-access");
        row("transpose", {tile}, "work-per-thread");
        row("bias_gelu_residual", {}, "kernel-fusion");
        row("bias_gelu_residual", {fuse}, "kernel-fusion", "one kernel already");
        row("bias_gelu_residual", {fuse}, "vectorised-access");
        row("bias_gelu_residual", {fuse}, "memory-coalescing", "next to its neighbour");
        row("bias_gelu_residual", {fuse, work}, "memory-level-parallelism");
        row("bias_gelu_residual", {fuse, cache}, "memory-level-parallelism", "already");
        row("linear_gelu_residual", {}, "kernel-fusion");
        row("transposed_product", {tile}, "bank-conflict-padding", "no operand is transposed");
        row("mean_squared_error", {}, "warp-shuffle-reduction");
        row("row_softmax", {coalesce}, "alignment-and-tail", "vectorised-access is enough");
        row("ragged_softmax", {}, "alignment-and-tail", "memory-coalescing comes first");
        row("ragged_softmax", {coalesce}, "alignment-and-tail");
        row("ragged_softmax", {coalesce, QStringLiteral("alignment-and-tail")}, "alignment-and-tail", "apart already");
        row("ragged_softmax", {coalesce}, "vectorised-access", "16-byte boundaries");
        row("row_softmax", {}, "tensor-cores", "no transform");
    }
    void preconditions()
    {
        QFETCH(QString, taskName);
        QFETCH(QStringList, before);
        QFETCH(QString, skill);
        QFETCH(QString, reason);
        const TaskView taskView = view(taskName);
        const auto plan = planAfter(taskView, before);
        QVERIFY2(plan, plan ? "" : qPrintable(plan.error().message));
        const auto steps = stepsOf(skill, taskView, *plan);
        if (reason.isEmpty()) {
            QVERIFY2(steps, steps ? "" : qPrintable(steps.error().message));
            QVERIFY(!steps->isEmpty());
            for (const Step &step : *steps) {
                QVERIFY(!(step.plan == *plan));
                QVERIFY(!step.parameters.isEmpty());
                QVERIFY(!step.rationale.isEmpty());
                QVERIFY(step.plan.skills().contains(skill));
            }
        } else {
            QVERIFY(!steps);
            QVERIFY2(steps.error().message.contains(reason), qPrintable(steps.error().message));
        }
    }

    void sweepsAreBoundedAndDistinct()
    {
        const TaskView taskView = view(QStringLiteral("row_softmax"));
        const auto plan = planAfter(taskView, {QStringLiteral("memory-coalescing")});
        const auto steps = stepsOf(QStringLiteral("launch-tuning"), taskView, *plan);
        QList<int> threads;
        for (const Step &step : *steps)
            threads.append(step.parameters.value(QStringLiteral("threads")).toInt());
        QCOMPARE(threads, QList<int>({512, 128, 1024}));
    }

    void oneChangeReachesAllKernels()
    {
        const TaskView taskView = view(QStringLiteral("bias_gelu_residual"));
        const auto plan = planAfter(taskView, {QStringLiteral("vectorised-access")});
        QCOMPARE(plan->groups.size(), 3);
        for (const Group &group : plan->groups)
            QCOMPARE(group.schedule.vectorWidth, 4);
    }

    void rowsInRegistersFollowBlockSize()
    {
        const TaskView taskView = view(QStringLiteral("row_softmax"));
        const auto plan =
            planAfter(taskView, {QStringLiteral("memory-coalescing"), QStringLiteral("vectorised-access"),
                                 QStringLiteral("memory-level-parallelism"), QStringLiteral("launch-tuning")});
        QVERIFY(plan);
        const Schedule schedule = plan->groups.first().schedule;
        QCOMPARE(schedule.threads, 512);
        QCOMPARE(schedule.cachedVectors, 2); // 4096 columns in 512 × 2 vectors of 4
    }

    void blockingsAreLegal()
    {
        Schedule schedule;
        schedule.tileM = schedule.tileN = 64;
        schedule.tileK = 16;
        schedule.threadM = schedule.threadN = 4;
        QVERIFY(isLegalBlocking(schedule));
        schedule.tileK = 128; // 64 KiB of shared memory
        QVERIFY(!isLegalBlocking(schedule));
        schedule.tileK = 16;
        schedule.threadM = 5;
        QVERIFY(!isLegalBlocking(schedule));
    }

    // Each transform has its skill folder and each of our skill folders its transform.
    void skillsAndTransformsBelongTogether()
    {
        for (const Transform &transform : transforms()) {
            const auto skill = readSkill(QStringLiteral(SOURCE_DIR "/skills/") + QLatin1String(transform.skill));
            QVERIFY2(skill, skill ? "" : qPrintable(skill.error().message));
            QCOMPARE(skill->name, QString::fromLatin1(transform.skill));
            QVERIFY(!skill->title.isEmpty());
            QVERIFY(!skill->promises.isEmpty());
            QVERIFY(!skill->prohibits.isEmpty());
            QVERIFY(skill->languages.contains(QStringLiteral("cuda")));
            for (const char *heading :
                 {"## Intent", "## Required evidence", "## How", "## What it must not do", "## Example"})
                QVERIFY2(skill->body.contains(QLatin1String(heading)), heading);
        }
    }
};

QTEST_APPLESS_MAIN(ExpertTransformsTest)
#include "tst_expert_transforms.moc"
