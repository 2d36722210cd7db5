// SPDX-License-Identifier: Apache-2.0
#include "evaluation/checks.h"
#include "evaluation/evaluation.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <cmath>

using namespace kernelskill;

class TestEvaluation : public QObject
{
    Q_OBJECT

private:
    static SizeTiming timing(const QString &name, double weight, double time, double low, double high)
    {
        return {name, weight, time, {low, high}, {}};
    }
    static Evaluation timed(const QList<SizeTiming> &timings)
    {
        Evaluation evaluation;
        evaluation.timings = timings;
        return evaluation;
    }
    static bool near(double actual, double expected) { return std::abs(actual - expected) < 1e-9 * std::abs(expected); }

private Q_SLOTS:
    void wordsGoBothWays()
    {
        for (Status status : {Status::Ok, Status::BuildFailed, Status::Timeout, Status::Crashed, Status::Wrong})
            QVERIFY(statusFromString(toString(status)) == status);
        for (Verdict verdict : {Verdict::Verified, Verdict::Unproven, Verdict::Suspect, Verdict::Wrong, Verdict::Failed})
            QVERIFY(verdictFromString(toString(verdict)) == verdict);
        QCOMPARE(toString(Status::BuildFailed), QStringLiteral("build_failed"));
        QVERIFY(!verdictFromString(QStringLiteral("splendid")));
        QVERIFY(timeKindFromString(QStringLiteral("anything")) == TimeKind::Modelled);
    }

    void jsonHasTheFixedFields()
    {
        Evaluation evaluation = timed({timing(QStringLiteral("time"), 1, 61.2, 60, 62)});
        evaluation.verdict = Verdict::Verified;
        KernelProfile kernel;
        kernel.metrics.insert(QStringLiteral("dram_throughput_pct"), 81.5);
        evaluation.profile.kernels = {kernel};
        evaluation.profile.launchCount = 3;
        evaluation.checks = {checks::passed(QStringLiteral("build"))};
        Finding finding;
        finding.kind = QStringLiteral("race");
        finding.hasPlace = true;
        finding.block = {1, 2, 3};
        finding.thread = {4, 5, 6};
        finding.address = 0xfedcba9876543210ULL;
        evaluation.findings = {finding};
        const QJsonObject object = evaluation.toJson();
        QCOMPARE(object.value(u"status").toString(), QStringLiteral("ok"));
        QCOMPARE(object.value(u"verdict").toString(), QStringLiteral("verified"));
        QCOMPARE(object.value(u"kind").toString(), QStringLiteral("modelled"));
        QVERIFY(near(object.value(u"time_us").toDouble(), 61.2));
        QVERIFY(near(object.value(u"interval")[0].toDouble(), 60));
        QVERIFY(near(object.value(u"interval")[1].toDouble(), 62));
        QCOMPARE(object.value(u"metrics")[u"dram_throughput_pct"].toDouble(), 81.5);
        QCOMPARE(object.value(u"metrics")[u"kernel_launch_count"].toInt(), 3);
        QCOMPARE(object.value(u"findings")[0][u"address"].toString(), QStringLiteral("0xfedcba9876543210"));
        QCOMPARE(object.value(u"findings")[0][u"block"].toArray(), QJsonArray({1, 2, 3}));
        QVERIFY(object.contains(u"log") && object.contains(u"checks"));
    }

    void jsonRoundTrips()
    {
        Evaluation evaluation = timed({timing(QStringLiteral("a"), 2, 10, 9, 11), timing(QStringLiteral("b"), 1, 5, 4, 7)});
        evaluation.status = Status::Wrong;
        evaluation.verdict = Verdict::Wrong;
        evaluation.kind = TimeKind::Measured;
        evaluation.timings[0].samples_us = {9.5, 10.5};
        evaluation.checks = {checks::failed(QStringLiteral("outputs"), QStringLiteral("off by one"))};
        evaluation.log = QStringLiteral("a\nb");
        evaluation.artefacts = {{QStringLiteral("ptx"), QStringLiteral(".version 8.0")}};
        evaluation.manifest = {{QStringLiteral("compiler"), QStringLiteral("clang 19")}};
        KernelProfile kernel;
        kernel.name = QStringLiteral("k");
        kernel.grid = {7, 1, 1};
        kernel.stalls = {{QStringLiteral("barrier"), 0.25}};
        kernel.hotSpots = {{QStringLiteral("solve.cu"), 12, 0.4, QStringLiteral("barrier"), QStringLiteral("text")}};
        evaluation.profile.kernels = {kernel};
        const QJsonObject object = evaluation.toJson();
        QCOMPARE(QJsonDocument(Evaluation::fromJson(object).toJson()).toJson(), QJsonDocument(object).toJson());
    }

    void unknownWordsNeverReadAsSuccess()
    {
        const Evaluation evaluation = Evaluation::fromJson({{QStringLiteral("status"), QStringLiteral("excellent")}});
        QVERIFY(evaluation.status == Status::Crashed);
        QVERIFY(evaluation.verdict == Verdict::Failed);
        QVERIFY(!evaluation.isUsable());
    }

    void noTimesGiveNoTime()
    {
        const Evaluation evaluation;
        QVERIFY(!evaluation.time_us());
        QVERIFY(!evaluation.interval());
        QVERIFY(evaluation.toJson().value(u"time_us").isNull());
        QVERIFY(!speedup(evaluation, timed({timing(QStringLiteral("time"), 1, 1, 1, 1)})));
    }

    void timeIsTheWeightedGeometricMean()
    {
        const Evaluation evaluation = timed({timing(QStringLiteral("a"), 3, 2, 2, 2), timing(QStringLiteral("b"), 1, 32, 32, 32)});
        QVERIFY(near(*evaluation.time_us(), 4)); // 2^(3/4)·2^(5/4)
        QVERIFY(near(evaluation.interval()->low, 4) && near(evaluation.interval()->high, 4));
    }

    void speedupCombinesErrorsInLogSpace()
    {
        const double e3 = std::exp(0.03), e4 = std::exp(0.04), e5 = std::exp(0.05);
        const auto result = speedup(timed({timing(QStringLiteral("time"), 1, 200, 200 / e3, 200 * e3)}),
                                    timed({timing(QStringLiteral("time"), 1, 100, 100 / e4, 100 * e4)}));
        QVERIFY(result);
        QVERIFY(near(result->value, 2));
        QVERIFY(near(result->interval.low, 2 / e5)); // √(3² + 4²)
        QVERIFY(near(result->interval.high, 2 * e5));
        QVERIFY(!result->touchesOne());
    }

    void speedupMatchesSizesByName()
    {
        const auto result = speedup(timed({timing(QStringLiteral("a"), 1, 10, 10, 10), timing(QStringLiteral("b"), 1, 90, 90, 90)}),
                                    timed({timing(QStringLiteral("b"), 1, 10, 10, 10), timing(QStringLiteral("a"), 1, 10, 10, 10)}));
        QVERIFY(near(result->value, 3)); // √(1·9)
        QVERIFY(!speedup(timed({timing(QStringLiteral("a"), 1, 1, 1, 1)}), timed({timing(QStringLiteral("b"), 1, 1, 1, 1)})));
    }

    void noiseTouchesOne()
    {
        const auto result = speedup(timed({timing(QStringLiteral("time"), 1, 102, 97, 108)}),
                                    timed({timing(QStringLiteral("time"), 1, 100, 95, 106)}));
        QVERIFY(result->touchesOne());
    }

    void measuredOnlyWhenBothAre()
    {
        Evaluation measured = timed({timing(QStringLiteral("time"), 1, 1, 1, 1)}), modelled = measured;
        measured.kind = TimeKind::Measured;
        QVERIFY(speedup(measured, measured)->kind == TimeKind::Measured);
        QVERIFY(speedup(measured, modelled)->kind == TimeKind::Modelled);
    }

    void verdicts_data()
    {
        using namespace checks;
        QTest::addColumn<Evaluation>("evaluation");
        QTest::addColumn<QString>("verdict");
        QTest::addColumn<QString>("status");
        const Check built = passed(QStringLiteral("build")), right = passed(QStringLiteral("outputs rows=7 seed 1"));
        const auto with = [](const QList<Check> &list, Status status = Status::Ok, const QList<Finding> &findings = {}) {
            Evaluation evaluation;
            evaluation.checks = list;
            evaluation.status = status;
            evaluation.findings = findings;
            return evaluation;
        };
        Finding race, warning;
        race.kind = QStringLiteral("race");
        warning.kind = QStringLiteral("compile_warning");
        QTest::newRow("all passed") << with({built, right}) << "verified" << "ok";
        QTest::newRow("warnings are harmless") << with({built, right}, Status::Ok, {warning}) << "verified" << "ok";
        QTest::newRow("no check") << with({}) << "unproven" << "ok";
        QTest::newRow("one not made") << with({built, right, notMade(QStringLiteral("isolation"), QStringLiteral("no sandbox"))}) << "unproven" << "ok";
        QTest::newRow("outputs differ") << with({built, right, failed(QStringLiteral("outputs zeros"), QStringLiteral("x"))}) << "wrong" << "wrong";
        QTest::newRow("wrong beats suspect") << with({failed(QStringLiteral("inputs unmodified"), QStringLiteral("x")), failed(QStringLiteral("outputs"), QStringLiteral("x"))}) << "wrong" << "wrong";
        QTest::newRow("inputs changed") << with({built, right, failed(QStringLiteral("inputs unmodified"), QStringLiteral("x"))}) << "suspect" << "ok";
        QTest::newRow("finding") << with({built, right}, Status::Ok, {race}) << "suspect" << "ok";
        QTest::newRow("misspelt outcome") << with({{QStringLiteral("outputs"), QStringLiteral("pased"), {}}}) << "wrong" << "wrong";
        QTest::newRow("build failed") << with({failed(QStringLiteral("build"), QStringLiteral("x"))}, Status::BuildFailed) << "failed" << "build_failed";
        QTest::newRow("timeout") << with({built}, Status::Timeout) << "failed" << "timeout";
    }
    void verdicts()
    {
        QFETCH(Evaluation, evaluation);
        QFETCH(QString, verdict);
        QFETCH(QString, status);
        checks::conclude(evaluation);
        QCOMPARE(toString(evaluation.verdict), verdict);
        QCOMPARE(toString(evaluation.status), status);
    }

    void reasonsAndNames()
    {
        QCOMPARE(checks::outputsName({{QStringLiteral("rows"), 7}, {QStringLiteral("cols"), 515}}, QStringLiteral("seed 1")),
                 QStringLiteral("outputs cols=515 rows=7 seed 1"));
        Evaluation evaluation;
        evaluation.checks = {checks::notMade(QStringLiteral("a"), QStringLiteral("b")), checks::failed(QStringLiteral("c"), QStringLiteral("d"))};
        QCOMPARE(checks::reason(evaluation), QStringLiteral("c: d"));
    }
};

QTEST_APPLESS_MAIN(TestEvaluation)
#include "tst_evaluation.moc"
