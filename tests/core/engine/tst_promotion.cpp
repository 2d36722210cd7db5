// SPDX-License-Identifier: Apache-2.0
// The arithmetic of promotion, stop rules, promises.
#include "engine/observed.h"
#include "engine/promotion.h"
#include "engine/stop_rules.h"

#include <QTest>

using namespace kernelskill;

namespace {

Evaluation timed(double time_us, double half = 0, Verdict verdict = Verdict::Verified)
{
    Evaluation result;
    result.verdict = verdict;
    result.timings = {{"time", 1, time_us, {time_us - half, time_us + half}, {}}};
    return result;
}

PromotionDecision decide(const Evaluation &candidate, const Evaluation *base, const Evaluation *best,
                         Promotion rule = Promotion::Interval, const Evaluation *baseline = nullptr,
                         const QList<TimeSize> &sizes = {})
{
    return decidePromotion({&candidate, base, best, baseline, sizes, rule});
}

} // namespace

class TestPromotion : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theFirstUsableOneIsBaseAndBest();
    void theIntervalRule();
    void thePaperRule();
    void bestFollowsAnyGain();
    void noSizeMayRegress();
    void stopRules();
    void promises();
};

void TestPromotion::theFirstUsableOneIsBaseAndBest()
{
    PromotionDecision decision = decide(timed(100), nullptr, nullptr);
    QVERIFY(decision.base && decision.best);
    decision = decide(timed(100, 0, Verdict::Unproven), nullptr, nullptr);
    QVERIFY(decision.base && decision.best);
    decision = decide(timed(100, 0, Verdict::Suspect), nullptr, nullptr);
    QVERIFY(!decision.base && !decision.best);
    QCOMPARE(decision.reason, QString("did not pass its checks"));
}

void TestPromotion::theIntervalRule()
{
    const Evaluation base = timed(102);
    QVERIFY(!decide(timed(100), &base, &base).base); // 1.02 is not above 1.02
    QVERIFY(decide(timed(99.9), &base, &base).base);
    const Evaluation noisy = timed(102, 3);
    PromotionDecision decision = decide(timed(99.9, 3), &noisy, &noisy);
    QVERIFY(!decision.base && !decision.best);
    QCOMPARE(decision.reason, QString("no change"));
    decision = decide(timed(150), &base, &base);
    QVERIFY(!decision.base && !decision.best);
    QCOMPARE(decision.reason, QString("slower than its base"));
}

void TestPromotion::thePaperRule()
{
    const Evaluation baseline = timed(100), base = timed(50);
    QVERIFY(!decide(timed(45), &base, &base, Promotion::Paper, &baseline).base); // 1.11×, 2.00 → 2.22
    QVERIFY(decide(timed(43), &base, &base, Promotion::Paper, &baseline).base);  // 1.16×, 2.00 → 2.33
    QVERIFY(!decide(timed(43), &base, &base, Promotion::Paper, nullptr).base);
    QVERIFY(decide(timed(38), &base, &base, Promotion::Paper, nullptr).base);   // 1.32×
    QVERIFY(decide(timed(45), &base, &base, Promotion::Paper, &baseline).best); // best needs no step of that size
}

void TestPromotion::bestFollowsAnyGain()
{
    const Evaluation base = timed(100);
    PromotionDecision decision = decide(timed(99), &base, &base);
    QVERIFY(!decision.base && decision.best);
    QCOMPARE(decision.reason, QString("the gain is too small for a new base"));
    QVERIFY(
        !decide(timed(50, 0, Verdict::Unproven), &base, &base).best); // a verified best gives way to verified ones only
    const Evaluation unproven = timed(100, 0, Verdict::Unproven);
    QVERIFY(decide(timed(50, 0, Verdict::Unproven), &unproven, &unproven).best);
}

void TestPromotion::noSizeMayRegress()
{
    Evaluation base, candidate;
    base.verdict = candidate.verdict = Verdict::Verified;
    base.timings = {{"small", 1, 10, {10, 10}, {}}, {"large", 1, 1000, {1000, 1000}, {}}};
    candidate.timings = {{"small", 1, 11, {11, 11}, {}}, {"large", 1, 500, {500, 500}, {}}};
    const QList<TimeSize> strict{{"small", 1, {}, 1.05}, {"large", 1, {}, 1.05}};
    const QList<TimeSize> loose{{"small", 1, {}, 1.2}, {"large", 1, {}, 1.05}};
    PromotionDecision decision = decide(candidate, &base, &base, Promotion::Interval, nullptr, strict);
    QVERIFY(!decision.base && !decision.best);
    QCOMPARE(decision.reason, QString("size 'small' got slower than its limit allows"));
    decision = decide(candidate, &base, &base, Promotion::Interval, nullptr, loose);
    QVERIFY(decision.base && decision.best);
}

void TestPromotion::stopRules()
{
    RunSettings settings;
    settings.rounds = 4;
    Trajectory trajectory;
    TrajectoryNode node;
    node.id = 0;
    trajectory.nodes = {node};
    trajectory.best = 0;
    trajectory.rounds = {{}, {}, {}};
    for (int i = 0; i < 3; ++i)
        trajectory.rounds[i].round = i + 1;
    QCOMPARE(stopReason(settings, trajectory, {}), QString());
    settings.rounds = 3;
    QCOMPARE(stopReason(settings, trajectory, {}), QString("rounds"));
    settings.rounds = 9;
    settings.plateauRounds = 3;
    QCOMPARE(stopReason(settings, trajectory, {}), QString("plateau"));
    settings.plateauRounds = 4;
    settings.budget = {10, 1.5};
    trajectory.cost_usd = 1.5;
    QCOMPARE(stopReason(settings, trajectory, {}), QString("money"));
    trajectory.cost_usd = 1;
    QCOMPARE(stopReason(settings, trajectory, {10, 0}), QString("time"));
    settings.rooflineFraction = 0.8;
    QCOMPARE(stopReason(settings, trajectory, {0, 0.85}), QString("roofline"));
    QCOMPARE(stopReason(settings, trajectory, {0, 0.75}), QString());
    Profile profile;
    profile.kernels.resize(2);
    profile.kernels[0].duration_us = 30;
    profile.kernels[0].roofline_us = 10;
    profile.kernels[1].duration_us = 10;
    profile.kernels[1].roofline_us = 10;
    QCOMPARE(rooflineFraction(profile), 0.5);
    QCOMPARE(rooflineFraction({}), 0.0);
}

void TestPromotion::promises()
{
    Profile before, after;
    KernelProfile kernel;
    kernel.duration_us = 10;
    kernel.metrics = {{"dram_bytes", 100}, {"sectors_per_request", 32}, {"achieved_occupancy_pct", 50}};
    KernelProfile twice = kernel;
    twice.launches = 2;
    twice.metrics["dram_bytes"] = 50;
    before.kernels = {kernel, kernel, twice};
    before.launchCount = 4;
    kernel.metrics = {{"dram_bytes", 120}, {"sectors_per_request", 4}};
    after.kernels = {kernel};
    after.launchCount = 1;
    const auto changes = observedChanges({{"dram_bytes", "lower"},
                                          {"sectors_per_request", "at most 8"},
                                          {"kernel_launch_count", "at most 1"},
                                          {"achieved_occupancy_pct", "higher"},
                                          {"sectors_per_request", "at least 8"},
                                          {"kernel_duration_ns", "lower"}},
                                         before, after);
    QCOMPARE(changes.size(), 6);
    QCOMPARE(*changes[0].before, 300.0); // 100 + 100 + two launches of 50
    QCOMPARE(*changes[0].after, 120.0);
    QCOMPARE(*changes[0].kept, true);
    QCOMPARE(*changes[1].kept, true);
    QCOMPARE(*changes[2].before, 4.0);
    QCOMPARE(*changes[2].kept, true);
    QVERIFY(!changes[3].kept && !changes[3].after);
    QCOMPARE(*changes[3].before, 50.0);
    QCOMPARE(*changes[4].kept, false);
    QCOMPARE(*changes[5].before, 30'000.0); // all launches of the candidate, in ns
    QCOMPARE(*changes[5].after, 10'000.0);
}

QTEST_APPLESS_MAIN(TestPromotion)
#include "tst_promotion.moc"
