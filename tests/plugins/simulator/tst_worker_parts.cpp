// SPDX-License-Identifier: Apache-2.0
// Pieces of the worker that need no process.
#include "runtime/wire.h"
#include "worker/check_chains.h"
#include "worker/kernel_facts.h"
#include "worker/launch_record.h"
#include "worker/report_merge.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace kernelskill::simulator;

static LineCounters line(int number, std::uint64_t stallCycles, StallReason reason)
{
    LineCounters counters;
    counters.file = "solve.cu";
    counters.line = number;
    counters.stallCycles = stallCycles;
    counters.mainStall = reason;
    return counters;
}

// Cases whose sizes are the numbers given.
static std::vector<CheckCase> casesOfSizes(std::initializer_list<std::int64_t> sizes)
{
    std::vector<CheckCase> cases;
    for (const std::int64_t size : sizes) {
        CheckCase one;
        one.binding.shapes = {{size}};
        cases.push_back(one);
    }
    return cases;
}

class tst_worker_parts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void kernelsWhoseBlocksTalk()
    {
        const char *ptx = R"(
.visible .entry quiet(
	.param .u64 quiet_param_0
)
{
	.reg .b32 	%r<5>;
	ld.param.u64 	%rd1, [quiet_param_0];
	atom.global.add.u32 	%r1, [%rd1], 1;
	atom.shared.add.u32 	%r2, [%rd1], 1;
	add.s32 %r3, %r2, %r2;
	ret;
}
.visible .entry counts(
	.param .u64 counts_param_0
)
{
	.reg .b32 	%r<5>;
	atom.global.add.u32 	%r1, [%rd1], 1;
	setp.eq.s32 	%p1, %r1, 7;
	st.global.u32 	[%rd2], %r1;
	ret;
}
.visible .entry takes(
	.param .u64 takes_param_0
)
{
	.reg .b32 	%r<5>;
	atom.global.add.u32 	%r1, [%rd1], 1;
	st.shared.u32 	[mine], %r1;
	ret;
}
.visible .entry spins(
	.param .u64 spins_param_0
)
{
	ld.volatile.global.u32 	%r1, [%rd1];
	ret;
}
)";
        const auto names = communicatingKernels(ptx);
        QVERIFY(!names.contains("quiet"));
        QVERIFY(names.contains("counts"));
        QVERIFY(names.contains("takes")); // used once
        QVERIFY(names.contains("spins"));
    }

    void chainsOfATasksCases()
    {
        // Ten of one size and three others, as most tasks have: every chain finds addresses again and gets new ones.
        const auto chains = checkChains(casesOfSizes({7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 1, 33, 5}), 100);
        const std::vector<CheckChain> expected{{0, 1, 8, 9}, {2, 3, 10}, {4, 5, 11}, {6, 7, 12}};
        QCOMPARE(chains, expected);
        QCOMPARE(orderOfStart(chains, casesOfSizes({7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 1, 33, 5})),
                 (std::vector<std::size_t>{2, 3, 1})); // the one of 33 first
    }

    void chainsThatWouldLackAKind_data()
    {
        QTest::addColumn<QList<int>>("sizes");
        QTest::addColumn<int>("chains");
        QTest::newRow("none") << QList<int>{} << 1;
        QTest::newRow("one") << QList<int>{7} << 1;
        QTest::newRow("one pair") << QList<int>{7, 7} << 1;
        QTest::newRow("two pairs") << QList<int>{7, 7, 7, 7} << 1;
        QTest::newRow("six: two chains of three") << QList<int>{7, 7, 7, 7, 1, 2} << 2;
        QTest::newRow("nothing is found again") << QList<int>{1, 2, 3, 4, 5, 6, 7, 8} << 1;
        QTest::newRow("one pair is enough for one chain") << QList<int>{7, 7, 1, 2, 3, 4, 5, 6} << 1;
        QTest::newRow("ten of one size") << QList<int>{7, 7, 7, 7, 7, 7, 7, 7, 7, 7} << 2;
    }

    void chainsThatWouldLackAKind()
    {
        QFETCH(QList<int>, sizes);
        QFETCH(int, chains);
        std::vector<CheckCase> cases;
        for (const int size : sizes)
            cases.push_back(casesOfSizes({size}).front());
        const std::vector<CheckChain> dealt = checkChains(cases, 100);
        QCOMPARE(int(dealt.size()), chains);
        std::vector<std::size_t> all;
        for (const CheckChain &chain : dealt) {
            QVERIFY(std::ranges::is_sorted(chain));
            all.insert(all.end(), chain.begin(), chain.end());
        }
        std::ranges::sort(all);
        QCOMPARE(all.size(), cases.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            QCOMPARE(all[i], i);
        if (!cases.empty()) QCOMPARE(dealt.front().front(), std::size_t(0));
    }

    void chainsAreWorthTheirWork()
    {
        const auto cases = casesOfSizes({9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 99, 9}); // ten elements each, a hundred once
        QCOMPARE(worthwhileChains(cases, 1000, 30e6), std::size_t(1));
        QCOMPARE(worthwhileChains(cases, 3'000'000, 30e6), std::size_t(2)); // 63 million
        QCOMPARE(worthwhileChains(cases, 1'000'000'000, 30e6), cases.size());
        QCOMPARE(worthwhileChains({}, 1000, 30e6), std::size_t(1));
        QCOMPARE(checkChains(casesOfSizes({7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 1, 33, 5}), 2).size(), std::size_t(2));
    }

    void readerNeverReadsBeyondItsFrame()
    {
        wire::Writer writer;
        writer.value(std::uint32_t(1000)); // a length with nothing behind it
        wire::Reader reader(writer.bytes());
        QVERIFY(reader.text().empty());
        QVERIFY(!reader.ok());
        QCOMPARE(reader.value<std::uint64_t>(), std::uint64_t(0));
        QVERIFY(reader.rest().empty());
    }

    void writerAndReaderAgree()
    {
        wire::Writer writer;
        writer.text("kernel");
        writer.value(std::uint64_t(42));
        const std::byte data[3]{std::byte(1), std::byte(2), std::byte(3)};
        writer.block(data);
        wire::Reader reader(writer.bytes());
        QCOMPARE(reader.text(), std::string("kernel"));
        QCOMPARE(reader.value<std::uint64_t>(), std::uint64_t(42));
        QCOMPARE(reader.block().size(), std::size_t(3));
        QVERIFY(reader.ok());
    }

    void reportsAddUp()
    {
        LaunchReport a, b;
        a.counters.blocks = 2;
        b.counters.blocks = 3;
        a.counters.longestBlockCycles = 10;
        b.counters.longestBlockCycles = 7;
        a.counters.dramReadBytes = 100;
        b.counters.dramReadBytes = 50;
        a.lines = {line(3, 100, StallReason::Wait)};
        b.lines = {line(3, 200, StallReason::Barrier), line(9, 1, StallReason::Wait)};
        a.completed = b.completed = true;
        add(a, b);
        QCOMPARE(a.counters.blocks, std::uint64_t(5));
        QCOMPARE(a.counters.longestBlockCycles, std::uint64_t(10));
        QCOMPARE(a.counters.dramReadBytes, std::uint64_t(150));
        QCOMPARE(a.lines.size(), std::size_t(2));
        QCOMPARE(a.lines[0].stallCycles, std::uint64_t(300));
        QVERIFY(a.lines[0].mainStall == StallReason::Barrier);
        QVERIFY(a.completed);
    }

    void uncertaintyIsAtLeastAHundredth()
    {
        CallRecord call;
        LaunchRecord launch;
        launch.modelled.time_us = 100;
        call.launches.push_back(launch);
        QCOMPARE(call.uncertainty_us(), 1.0);
        call.launches[0].windowTimes_us = {98, 100, 102};
        const double expected = 1.96 * 2 / std::sqrt(3.0);
        QVERIFY(std::abs(call.uncertainty_us() - expected) < 1e-9);
        call.launches[0].windowTimes_us = {10, 100, 190}; // a trend, not noise
        QCOMPARE(call.uncertainty_us(), 5.0);
    }
};

QTEST_GUILESS_MAIN(tst_worker_parts)
#include "tst_worker_parts.moc"
