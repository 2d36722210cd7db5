// SPDX-License-Identifier: Apache-2.0
// The ledger's sums against the ledger itself.
#include "memory_folder.h"

#include <QJsonArray>
#include <QTest>
#include <QThread>

#include <cmath>
#include <random>

using namespace kernelskill;
using namespace kernelskill::test;

namespace {

LedgerEntry entry(const QString &session, int node)
{
    LedgerEntry result;
    result.session = session;
    result.node = node;
    result.task = "t";
    result.skill = "a";
    result.architecture = "sm_90";
    result.bottleneck = "compute";
    result.structure = "S1";
    result.verdict = "verified";
    result.logSpeedup = 0.5;
    result.interval = {1.5, 1.8};
    result.kind = "modelled";
    return result;
}

template <class Random> LedgerEntry randomEntry(int number, Random &random)
{
    const auto pick = [&](const QStringList &list) { return list[qsizetype(random() % size_t(list.size()))]; };
    LedgerEntry result = entry(QString("s%1").arg(random() % 40), number);
    result.task = pick({"t1", "t2", "t3"});
    result.skill = pick({"a", "b"});
    result.architecture = pick({"sm_90", "sm_80"});
    result.bottleneck = pick({"compute", "memory_bandwidth", ""});
    result.structure = pick({"S0", "S1"});
    result.verdict = pick({"verified", "verified", "unproven", "wrong", "failed"});
    result.kind = pick({"measured", "modelled", ""});
    const double speedup = 0.5 + double(random() % 1000) / 500;
    result.logSpeedup = result.verdict == "verified" ? std::log(speedup) : 0;
    result.interval = {speedup * 0.98, speedup * 1.02};
    return result;
}

// The definition, in the plainest way.
QList<SkillStatistics> count(const QList<LedgerEntry> &entries, const QString &withoutTask)
{
    QMap<QStringList, SkillStatistics> groups;
    for (const LedgerEntry &one : entries) {
        if (!withoutTask.isEmpty() && one.task == withoutTask) continue;
        SkillStatistics &row = groups[{one.skill, one.architecture, one.bottleneck, one.structure}];
        row.skill = one.skill;
        row.architecture = one.architecture;
        row.bottleneck = one.bottleneck;
        row.structure = one.structure;
        const bool verified = one.verdict == "verified";
        const SkillTally tally{1, verified && one.interval.low > 1 ? 1 : 0,
                               (!verified && one.verdict != "unproven") || one.interval.high < 1 ? 1 : 0,
                               one.logSpeedup, one.logSpeedup * one.logSpeedup};
        row.uses += tally.uses;
        row.wins += tally.wins;
        row.losses += tally.losses;
        row.sumLogSpeedup += tally.sumLogSpeedup;
        row.sumSquaredLogSpeedup += tally.sumSquaredLogSpeedup;
        if (one.kind == "measured") row.measured += tally;
        if (one.kind == "modelled") row.modelled += tally;
    }
    return groups.values();
}

bool same(const SkillTally &a, const SkillTally &b)
{
    return a.uses == b.uses && a.wins == b.wins && a.losses == b.losses &&
           std::abs(a.sumLogSpeedup - b.sumLogSpeedup) < 1e-9 &&
           std::abs(a.sumSquaredLogSpeedup - b.sumSquaredLogSpeedup) < 1e-9;
}

void compare(const QList<SkillStatistics> &got, const QList<SkillStatistics> &expected)
{
    QCOMPARE(got.size(), expected.size());
    for (qsizetype i = 0; i < got.size(); ++i) {
        const SkillStatistics &a = got[i], &b = expected[i];
        QCOMPARE(QStringList({a.skill, a.architecture, a.bottleneck, a.structure}),
                 QStringList({b.skill, b.architecture, b.bottleneck, b.structure}));
        QVERIFY(same({a.uses, a.wins, a.losses, a.sumLogSpeedup, a.sumSquaredLogSpeedup},
                     {b.uses, b.wins, b.losses, b.sumLogSpeedup, b.sumSquaredLogSpeedup}));
        QVERIFY(same(a.measured, b.measured));
        QVERIFY(same(a.modelled, b.modelled));
    }
}

} // namespace

class TestLedger : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<MemoryFolder>(); }
    void keepsAllOfAnEntry();
    void sumsAreExact();
    void frozenStaysAsItWas();
    void aTaskUnderTestDoesNotCount();
    void recordingTwiceChangesNothing();
    void aBatchIsAllOrNothing();
    void fromSessionToSkillAndBack();
    void sumsBySkill();
    void whenEachSkillWasUsedLast();
    void manyThreads();

private:
    std::unique_ptr<MemoryFolder> m_folder;
};

void TestLedger::keepsAllOfAnEntry()
{
    SkillStore store = m_folder->store();
    LedgerEntry one = entry("s", 3);
    one.revision = 7;
    one.method = "M3";
    one.kind = "measured";
    one.observed = {{"changes", QJsonArray{1, 2}}};
    one.promised = {{"promises", QJsonArray{QJsonObject{{"metric", "dram_bytes"}, {"change", "lower"}}}}};
    one.sessionPath = "/sessions/x.kss";
    one.when = QDateTime::fromMSecsSinceEpoch(1'700'000'000'123, QTimeZone::UTC);
    QVERIFY(store.record(one));
    const auto rows = *store.ledger("a");
    QCOMPARE(rows.size(), 1);
    QCOMPARE(rows[0].revision, 7);
    QCOMPARE(rows[0].method, QString("M3"));
    QCOMPARE(rows[0].kind, QString("measured"));
    QCOMPARE(rows[0].observed, one.observed);
    QCOMPARE(rows[0].promised, one.promised);
    QCOMPARE(rows[0].sessionPath, one.sessionPath);
    QCOMPARE(rows[0].when, one.when);
}

void TestLedger::sumsAreExact()
{
    SkillStore store = m_folder->store();
    std::mt19937 random(1);
    QList<LedgerEntry> entries;
    for (int i = 0; i < 600; ++i)
        entries.append(randomEntry(i, random));
    QVERIFY(store.record(entries.mid(0, 300)));
    for (const LedgerEntry &one : entries.mid(300))
        QVERIFY(store.record(one));
    compare(*store.statistics(), count(entries, {}));
    for (const char *task : {"t1", "t2", "t3", "t4"})
        compare(*store.statistics(task), count(entries, task));
    // Any row: what the ledger held then.
    for (const qint64 row : {0, 1, 17, 299, 600, 601}) {
        compare(*store.statistics({}, row), count(entries.mid(0, row), {}));
        compare(*store.statistics("t2", row), count(entries.mid(0, row), "t2"));
    }
}

void TestLedger::frozenStaysAsItWas()
{
    SkillStore store = m_folder->store();
    std::mt19937 random(2);
    QList<LedgerEntry> entries;
    for (int i = 0; i < 300; ++i)
        entries.append(randomEntry(i, random));
    QVERIFY(store.record(entries.mid(0, 100)));
    QCOMPARE(*store.frozenAt(), 100);
    QVERIFY(store.record(entries.mid(100, 100)));
    QCOMPARE(*store.frozenAt(), 100); // the first call froze it
    compare(*store.statistics({}, 100), count(entries.mid(0, 100), {}));
    compare(*store.statistics("t1", 100), count(entries.mid(0, 100), "t1"));
    QCOMPARE(*store.frozenAt(true), 200);
    QVERIFY(store.record(entries.mid(200)));
    compare(*store.statistics({}, 200), count(entries.mid(0, 200), {}));
    compare(*store.statistics("t3", 200), count(entries.mid(0, 200), "t3"));
    compare(*store.statistics({}, 100), count(entries.mid(0, 100), {})); // no longer the frozen one
    compare(*store.statistics(), count(entries, {}));
}

void TestLedger::aTaskUnderTestDoesNotCount()
{
    SkillStore store = m_folder->store();
    QVERIFY(store.record(entry("s", 1)));
    QVERIFY(store.statistics("t")->isEmpty());
    QCOMPARE(store.statistics("other")->size(), 1);
}

void TestLedger::recordingTwiceChangesNothing()
{
    SkillStore store = m_folder->store();
    QVERIFY(store.record(entry("s", 1)));
    LedgerEntry again = entry("s", 1);
    again.verdict = "wrong";
    QVERIFY(store.record(again));
    QVERIFY(store.record({entry("s", 1), entry("s", 2), entry("s", 2)}));
    QCOMPARE(store.ledger("a")->size(), 2);
    QCOMPARE(store.statistics()->first().uses, 2);
    QCOMPARE(store.statistics()->first().wins, 2);
}

void TestLedger::aBatchIsAllOrNothing()
{
    SkillStore store = m_folder->store();
    LedgerEntry bad = entry("s", 2);
    bad.logSpeedup = std::nan(""); // no number: SQLite stores none, and the column wants one
    QVERIFY(!store.record({entry("s", 1), bad}));
    QVERIFY(store.ledger("a")->isEmpty());
    QVERIFY(store.statistics()->isEmpty());
    QVERIFY(store.record(entry("s", 1)));
}

void TestLedger::fromSessionToSkillAndBack()
{
    SkillStore store = m_folder->store();
    LedgerEntry one = entry("session-1", 3), two = entry("session-1", 5), other = entry("session-2", 1);
    two.skill = "b";
    one.sessionPath = "/old/x.kss";
    two.sessionPath = "/new/x.kss"; // the file was moved between
    QVERIFY(store.record({one, two, other}));
    const auto nodes = *store.ledgerOfSession("session-1");
    QCOMPARE(nodes.size(), 2);
    QCOMPARE(nodes[0].skill, QString("a"));
    QCOMPARE(nodes[1].skill, QString("b"));
    QCOMPARE(nodes[0].sessionPath, QString("/new/x.kss"));
    QCOMPARE(store.ledgerOfSession("session-1", 5)->size(), 1);
    QVERIFY(store.ledgerOfSession("session-1", 4)->isEmpty());
    QCOMPARE(store.ledger("b")->first().session, QString("session-1"));
    QCOMPARE(store.ledger("a")->last().sessionPath, QString());
}

void TestLedger::sumsBySkill()
{
    SkillStore store = m_folder->store();
    LedgerEntry measured = entry("s", 2);
    measured.kind = "measured";
    measured.architecture = "sm_80";
    QVERIFY(store.record({entry("s", 1), measured, entry("s", 3)}));
    const auto rows = *store.statisticsBySkill();
    QCOMPARE(rows.size(), 1);
    QCOMPARE(rows[0].uses, 3);
    QCOMPARE(rows[0].measured.uses, 1);
    QCOMPARE(rows[0].modelled.wins, 2);
    QCOMPARE(rows[0].architecture, QString());
}

void TestLedger::whenEachSkillWasUsedLast()
{
    SkillStore store = m_folder->store();
    QVERIFY(store.lastUses()->isEmpty());
    const QDateTime noon = QDateTime::fromString("2026-11-30T12:00:00Z", Qt::ISODate);
    LedgerEntry early = entry("s", 1), late = entry("s", 2), other = entry("s", 3);
    early.when = noon.addDays(-3);
    late.when = noon;
    other.when = noon.addDays(-1);
    other.skill = "b";
    QVERIFY(store.record({late, early, other}));
    QCOMPARE(*store.lastUses(), (QHash<QString, QDateTime>{{"a", noon}, {"b", noon.addDays(-1)}}));
}

// Each thread has its own connection; the sums are kept by SQL, so no update is lost.
void TestLedger::manyThreads()
{
    SkillStore store = m_folder->store();
    std::vector<std::unique_ptr<QThread>> threads;
    std::atomic<int> failures = 0;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back(QThread::create([&store, &failures, t] {
            for (int i = 0; i < 50; ++i) {
                if (!store.record(entry(QString("s%1").arg(t), i))) ++failures;
            }
        }));
        threads.back()->start();
    }
    for (const auto &thread : threads)
        thread->wait();
    QCOMPARE(failures.load(), 0);
    QCOMPARE(store.statistics()->first().uses, 200);
}

QTEST_GUILESS_MAIN(TestLedger)
#include "tst_ledger.moc"
