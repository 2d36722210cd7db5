// SPDX-License-Identifier: Apache-2.0
// Short-term memory in words: what is kept when a budget does not hold all.
#include "memory/shortterm/summary.h"

#include <QTest>

using namespace kernelskill;

namespace {

Attempt attempt(int node, const QString &skill, const QString &outcome, double speedup, const QString &why = {})
{
    Attempt result;
    result.node = node;
    result.baseNode = node - 1;
    result.skill = skill;
    result.outcome = outcome;
    result.speedupOverBase = speedup;
    result.why = why;
    return result;
}

Attempts many(int count)
{
    Attempts attempts;
    for (int i = 0; i < count; ++i) {
        const bool best = i == 3;
        attempts.add(attempt(i, best ? "memory-coalescing" : i % 2 ? "launch-tuning" : "work-per-thread",
                             i % 5 == 4 ? "wrong" : "verified", best ? 8 : i % 5 == 4 ? 0 : 1.02));
    }
    return attempts;
}

} // namespace

class TestAttemptSummary : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void nothingTried()
    {
        QCOMPARE(summarise({}, 1000), QString());
        QCOMPARE(summarise(many(3), 15), QString());
    }

    void allFit()
    {
        Attempts attempts;
        attempts.add(attempt(0, {}, "verified", 0));
        Attempt second = attempt(1, "memory-coalescing", "verified", 3.1);
        second.parameters = {{"tile", 32}};
        attempts.add(second);
        attempts.add(attempt(2, "vectorised-access", "wrong", 0, "element 3 is\n 0"));
        QCOMPARE(summarise(attempts, 1000),
                 QString("node 0 on -1: first candidate: verified\n"
                         "node 1 on 0: memory-coalescing {\"tile\":32}: verified, 3.10×\n"
                         "node 2 on 1: vectorised-access: wrong (element 3 is 0)"));
    }

    void whatDoesNotFitIsCounted()
    {
        const QString text = summarise(many(40), 120);
        QVERIFY(estimatedTokens(text) <= 120);
        const QStringList lines = text.split('\n');
        QVERIFY2(lines.first().startsWith("earlier: launch-tuning 1"), qPrintable(text));
        QVERIFY2(lines.first().contains("best 1.02×, "), qPrintable(text));
        QVERIFY2(lines.first().contains(" wrong"), qPrintable(text));
        QCOMPARE(lines[1], QString("node 3 on 2: memory-coalescing: verified, 8.00×")); // the best has its line
        QCOMPARE(lines.last(), QString("node 39 on 38: launch-tuning: wrong"));         // and the newest
    }

    void neverMoreThanTheBudget()
    {
        for (int budget = 0; budget < 400; budget += 7) {
            for (int count : {1, 2, 10, 300})
                QVERIFY(estimatedTokens(summarise(many(count), budget)) <= budget);
        }
    }
};

QTEST_APPLESS_MAIN(TestAttemptSummary)
#include "tst_attempt_summary.moc"
