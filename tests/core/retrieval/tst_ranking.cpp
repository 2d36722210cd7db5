// SPDX-License-Identifier: Apache-2.0
// The ledger as a teacher: expectations, and simulated histories in which the ranking must find the better skill.
#include "retrieval/ranking.h"

#include <QTest>

#include <array>
#include <cmath>
#include <random>

using namespace kernelskill;

namespace {

const RankingContext here{"sm_90", "memory_latency", "S0"};

SkillStatistics row(const QString &skill, const QString &architecture, int uses, double meanLog)
{
    return {skill, architecture, here.bottleneck, here.structure, uses, 0, 0, uses * meanLog, uses * meanLog * meanLog};
}

// Applies the skill that ranks first, round after round, and enters what it gained into the ledger.
class History
{
public:
    explicit History(quint64 seed) : m_random(seed) {}

    // True speedups of the two skills on the architecture, noise in ln speedup. Returns how often "better" came first in
    // the last `counted` of `rounds`.
    int play(const QString &architecture, const std::array<double, 2> &speedups, double noise, int rounds, int counted)
    {
        const RankingContext context{architecture, here.bottleneck, here.structure};
        std::normal_distribution<double> error(0, noise);
        int first = 0;
        for (int round = 0; round < rounds; ++round) {
            const int chosen = bestOf(context);
            const bool better = speedups[size_t(chosen)] == std::max(speedups[0], speedups[1]);
            if (round >= rounds - counted) first += better;
            enter(chosen, architecture, std::log(speedups[size_t(chosen)]) + error(m_random));
        }
        return first;
    }

private:
    [[nodiscard]] int bestOf(const RankingContext &context) const
    {
        const RankingStatistics statistics(m_rows);
        std::array<Expectation, 2> expected;
        double all = 0;
        for (size_t i = 0; i < 2; ++i) {
            expected[i] = expectation(m_names[i], statistics, context);
            all += expected[i].likeUses;
        }
        std::array<double, 2> score;
        for (size_t i = 0; i < 2; ++i)
            score[i] = expected[i].logSpeedup + explorationBonus(expected[i].likeUses, all);
        return score[1] > score[0] ? 1 : 0; // policy order decides a tie
    }

    void enter(int skill, const QString &architecture, double logSpeedup)
    {
        for (SkillStatistics &known : m_rows) {
            if (known.skill != m_names[size_t(skill)] || known.architecture != architecture) continue;
            ++known.uses;
            known.sumLogSpeedup += logSpeedup;
            return;
        }
        m_rows.append(row(m_names[size_t(skill)], architecture, 1, logSpeedup));
    }

    const std::array<QString, 2> m_names{"first-in-policy", "second-in-policy"};
    QList<SkillStatistics> m_rows;
    std::mt19937_64 m_random;
};

} // namespace

class TestRanking : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void withoutHistoryAllAreAlike()
    {
        const Expectation expected = expectation("any", {}, here);
        QCOMPARE(expected.logSpeedup, 0.05);
        QCOMPARE(expected.uses, 0);
        QCOMPARE(explorationBonus(0, 0), 0.0);
    }

    void shrinksTowardsTheMeanOfAll()
    {
        // All: (10·0.4 + 30·0.1 + 10·0.05) / 50 = 0.15. "a" exactly here: (10·0.4 + 3·0.15) / 13.
        const RankingStatistics statistics{row("a", "sm_90", 10, 0.4), row("b", "sm_90", 30, 0.1)};
        QVERIFY(qAbs(statistics.meanLogSpeedup() - 0.15) < 1e-12);
        const Expectation a = expectation("a", statistics, here);
        QVERIFY(qAbs(a.logSpeedup - 4.45 / 13) < 1e-12);
        QCOMPARE(a.usesExactly, 10);
        QCOMPARE(a.likeUses, 10.0);
        QVERIFY(qAbs(expectation("c", statistics, here).logSpeedup - 0.15) < 1e-12); // never used
        // More uses, less shrinkage.
        const RankingStatistics more{row("a", "sm_90", 1000, 0.4)};
        QVERIFY(expectation("a", more, here).logSpeedup > 0.398);
    }

    void otherGpusSayLess()
    {
        const RankingStatistics statistics{row("a", "sm_80", 10, 0.4), row("b", "sm_90", 10, 0.4)};
        const Expectation there = expectation("a", statistics, here), exactly = expectation("b", statistics, here);
        QCOMPARE(there.likeUses, 3.0);
        QCOMPARE(there.usesHere, 0);
        QCOMPARE(there.uses, 10);
        QVERIFY(there.logSpeedup > statistics.meanLogSpeedup());
        QVERIFY(there.logSpeedup < exactly.logSpeedup);
    }

    void whatWasTriedLittleIsFavoured()
    {
        QVERIFY(explorationBonus(1, 100) > explorationBonus(50, 100));
        QVERIFY(explorationBonus(50, 1e6) < 0.06); // and the favour fades
    }

    void convergesToTheBetterSkill_data()
    {
        QTest::addColumn<double>("first");
        QTest::addColumn<double>("second");
        QTest::newRow("the policy's first is worse") << 1.1 << 1.5;
        QTest::newRow("the policy's first is better") << 1.5 << 1.1;
        QTest::newRow("close") << 1.05 << 1.2;
        QTest::newRow("the first one harms") << 0.8 << 1.02;
    }

    void convergesToTheBetterSkill()
    {
        QFETCH(double, first);
        QFETCH(double, second);
        for (quint64 seed = 1; seed <= 20; ++seed) {
            History history(seed);
            const int chosen = history.play("sm_90", {first, second}, 0.1, 60, 20);
            QVERIFY2(chosen >= 18, qPrintable(QStringLiteral("seed %1: %2 of 20").arg(seed).arg(chosen)));
        }
    }

    void recoversWhenTheArchitectureChanges()
    {
        for (quint64 seed = 1; seed <= 20; ++seed) {
            History history(seed);
            QVERIFY(history.play("sm_80", {1.6, 1.1}, 0.1, 60, 20) >= 18);
            // On the new GPU it is the other way round; what was learnt on the old one must not hold for long.
            const int chosen = history.play("sm_90", {1.05, 1.5}, 0.1, 40, 20);
            QVERIFY2(chosen >= 18, qPrintable(QStringLiteral("seed %1: %2 of 20").arg(seed).arg(chosen)));
            // And back: what was learnt there still stands.
            QVERIFY(history.play("sm_80", {1.6, 1.1}, 0.1, 20, 20) >= 18);
        }
    }
};

QTEST_APPLESS_MAIN(TestRanking)
#include "tst_ranking.moc"
