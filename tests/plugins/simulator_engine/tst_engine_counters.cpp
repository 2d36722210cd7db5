// SPDX-License-Identifier: Apache-2.0
// Counters of small kernels, derived by hand.
#include "engine/counters/cache.h"
#include "engine_fixture.h"

#include <algorithm>
#include <numeric>
#include <map>

using namespace kernelskill::simulator;

class EngineCounters : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void coalescedLoadTouchesFourSectors();
    void strideOfTwoTouchesEight();
    void stridedLoadTouchesASectorALane();
    void broadcastTouchesOneSector();
    void misphasedLoadTouchesFive();
    void float4LoadTouchesSixteen();
    void wavefrontsOfL1_data();
    void wavefrontsOfL1();
    void atomicsCountTheirTurns();
    void sharedAtomicsOfOneBankGoOneByOne();
    void sharedConflicts_data();
    void sharedConflicts();
    void sharedFloat4IsFourWavefronts();
    void wideSharedAccessesGoInPhases_data();
    void wideSharedAccessesGoInPhases();
    void linesAndRequests();
    void divergenceIsCounted();
    void classesAndFlops();
    void cachesHitOnTheSecondRead();
    void storesSideBySideAreJoined_data();
    void storesSideBySideAreJoined();
    void whatAStoreFillsIsInL1();
    void whatABlockFetchesAgainIsTold();
    void bothSidesOfL2KeepWhatTheyRead();
    void l1DrawsWhatLeaves();
    void whatEarlierLaunchesLeftIsNotCounted();
    void anSmGetsItsNextBlockWhenItHasRoom();
    void readersOfALineAreCounted();
    void warpsWaitForMemoryTogether();
    void theOldestBlockGoesFirst();
    void anOlderBlockThatWaitsHoldsUpNobody();
    void barriersAreCountedByWarp();
    void windowRunsItsBlocksOnly();
    void registersAreRoundedToEight();
    void linesCarryTheirSectors();
};

namespace {
std::vector<float> ramp(std::size_t n) {
    std::vector<float> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i);
    return v;
}
// one warp loads float at byte offset tid * stride + start
LaunchReport oneLoad(int stride, int start, const char *load = "ld.global.f32 %f1, [%d1];") {
    Engine e;
    const auto x = e.upload(ramp(8192));
    const std::string body = "mul.lo.u32 %r1, %tid, " + std::to_string(stride) + ";\nadd.u32 %r1, %r1, " + std::to_string(start)
                           + ";\ncvt.u64.u32 %d1, %r1;\nadd.s64 %d1, %a0, %d1;\n" + load;
    if (!e.run(kernelText(1, body), {1}, {32}, {x})) return {};
    return e.report;
}
} // namespace

void EngineCounters::coalescedLoadTouchesFourSectors() {
    const auto r = oneLoad(4, 0);
    QCOMPARE(r.counters.globalLoad.requests, 1u);
    QCOMPARE(r.counters.globalLoad.sectors, 4u);
    QCOMPARE(r.counters.globalLoad.bytes, 128u);
    QCOMPARE(r.counters.dramReadBytes, 128u);
    QVERIFY(r.completed);
}
void EngineCounters::strideOfTwoTouchesEight() { QCOMPARE(oneLoad(8, 0).counters.globalLoad.sectors, 8u); }
void EngineCounters::stridedLoadTouchesASectorALane() { QCOMPARE(oneLoad(128, 0).counters.globalLoad.sectors, 32u); }
void EngineCounters::broadcastTouchesOneSector() {
    const auto r = oneLoad(0, 64);
    QCOMPARE(r.counters.globalLoad.sectors, 1u);
    QCOMPARE(r.counters.globalLoad.bytes, 128u);
}
void EngineCounters::misphasedLoadTouchesFive() { QCOMPARE(oneLoad(4, 4).counters.globalLoad.sectors, 5u); }
void EngineCounters::float4LoadTouchesSixteen() {
    const auto r = oneLoad(16, 0, "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d1];");
    QCOMPARE(r.counters.globalLoad.requests, 1u);
    QCOMPARE(r.counters.globalLoad.sectors, 16u);
    QCOMPARE(r.counters.globalLoad.bytes, 512u);
}

// As the profiler counted them on an H200 (l1tex__data_pipe_lsu_wavefronts of tests/bench/simulator_ladders).
void EngineCounters::wavefrontsOfL1_data() {
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("wavefronts");
    QTest::newRow("contiguous") << 4 << 1;
    QTest::newRow("one word") << 0 << 1;
    QTest::newRow("a line each, one bank") << 128 << 32;
    QTest::newRow("two banks, as conv3x3_direct v0") << 576 << 16;
    QTest::newRow("a line each, a bank each: four look-ups a cycle") << 132 << 8;
}
void EngineCounters::wavefrontsOfL1() {
    QFETCH(int, stride);
    QFETCH(int, wavefronts);
    QCOMPARE(oneLoad(stride, 0).counters.globalLoad.wavefronts, static_cast<std::uint64_t>(wavefronts));
}

void EngineCounters::atomicsCountTheirTurns() {
    Engine e;
    const auto x = e.upload(std::vector<std::uint32_t>(4096));
    // all lanes on one word; two lanes a word; a word each
    const std::string body = "red.global.add.u32 [%a0], 1;\nshr.u32 %r1, %tid, 1;\nmul.wide.u32 %d1, %r1, 4;\nadd.s64 %d1, %d1, %a0;\n"
                             "red.global.add.u32 [%d1], 1;\nadd.s64 %d2, %a0, %o64;\nred.global.add.f32 [%d2+8192], 0f3F800000;";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    QCOMPARE(e.report.counters.atomicTurnsInteger, 32u + 2 * 2); // 16 words in two sectors
    QCOMPARE(e.report.counters.atomicTurnsFloat, 4u);
    QCOMPARE(e.report.counters.l2WriteSectors, 40u); // a packet a turn
    QCOMPARE(e.report.counters.l2ReadSectors, 0u);
    QCOMPARE(e.report.counters.atomicPieces, 2u);
    QCOMPARE(e.report.counters.globalAtomic.sectors, 1u + 2 + 4);
    QCOMPARE(e.report.loadedAllocationBytes, 16384u);
    QCOMPARE(e.report.storedAllocationBytes, 16384u);
}

void EngineCounters::sharedAtomicsOfOneBankGoOneByOne() {
    Engine e;
    const std::string body = "mov.u32 %r2, s;\nmad.lo.u32 %r1, %tid, 4, %r2;\nst.shared.u32 [%r1], 0;\nbar.sync 0;\n"
                             "red.shared.add.u32 [%r2], 1;\nred.shared.add.u32 [%r1], 1;";
    QVERIFY(e.run(kernelText(0, body, ".shared .align 4 .b8 s[128];"), {1}, {32}, {}));
    QCOMPARE(e.report.counters.sharedAtomicRequests, 2u);
    QCOMPARE(e.report.counters.sharedAtomicWavefronts, 32u + 1);
}

void EngineCounters::sharedConflicts_data() {
    QTest::addColumn<int>("strideWords");
    QTest::addColumn<int>("wavefronts");
    QTest::newRow("unit stride") << 1 << 1;
    QTest::newRow("stride 2") << 2 << 2;
    QTest::newRow("stride 8") << 8 << 8;
    QTest::newRow("stride 32") << 32 << 32;
    QTest::newRow("stride 33, padded") << 33 << 1;
    QTest::newRow("broadcast") << 0 << 1;
}
void EngineCounters::sharedConflicts() {
    QFETCH(int, strideWords);
    QFETCH(int, wavefronts);
    Engine e;
    const std::string body = "mul.lo.u32 %r1, %tid, " + std::to_string(strideWords * 4)
                           + ";\nmov.u32 %r2, s;\nadd.u32 %r1, %r1, %r2;\nst.shared.u32 [%r1], 7;\nld.shared.u32 %r3, [%r1];";
    QVERIFY(e.run(kernelText(0, body, ".shared .align 4 .b8 s[4352];"), {1}, {32}, {}));
    QCOMPARE(e.report.counters.sharedLoadRequests, 1u);
    QCOMPARE(e.report.counters.sharedLoadWavefronts, static_cast<std::uint64_t>(wavefronts));
    QCOMPARE(e.report.counters.sharedLoadConflicts, static_cast<std::uint64_t>(wavefronts - 1));
    QCOMPARE(e.report.counters.sharedStoreWavefronts, static_cast<std::uint64_t>(wavefronts));
    QCOMPARE(e.report.resources.staticSharedBytes, 4352);
    QVERIFY(e.report.findings.empty());
}

// Lanes of a 128-bit access go eight at a time, of a 64-bit one sixteen at a time; in each phase a bank gives one word a
// wavefront. Lanes use places of their own, in a shuffled order.
void EngineCounters::wideSharedAccessesGoInPhases_data() {
    QTest::addColumn<int>("words");
    QTest::addColumn<quint32>("seed");
    for (const int words : {2, 4})
        for (quint32 seed = 1; seed <= 6; ++seed) QTest::addRow("%d bytes, order %u", 4 * words, seed) << words << seed;
}
void EngineCounters::wideSharedAccessesGoInPhases() {
    QFETCH(int, words);
    QFETCH(quint32, seed);
    std::vector<std::uint32_t> places(128);
    std::iota(places.begin(), places.end(), 0u);
    quint32 state = seed;
    for (std::size_t i = places.size() - 1; i > 0; --i) {
        state = state * 1664525u + 1013904223u;
        std::swap(places[i], places[(state >> 8) % (i + 1)]);
    }
    places.resize(32);
    std::uint64_t expected = 0;
    const int phase = 32 / words;
    for (int begin = 0; begin < 32; begin += phase) {
        std::map<std::uint32_t, std::uint64_t> wordsOfBank;
        for (int lane = begin; lane < begin + phase; ++lane)
            for (int k = 0; k < words; ++k) ++wordsOfBank[(places[static_cast<std::size_t>(lane)] * static_cast<std::uint32_t>(words) + static_cast<std::uint32_t>(k)) % 32];
        expected += std::ranges::max_element(wordsOfBank, {}, [](const auto &b) { return b.second; })->second;
    }
    Engine e;
    const auto x = e.upload(places);
    const std::string bytes = std::to_string(4 * words), registers = words == 4 ? "{%r4, %r5, %r6, %r7}" : "{%r4, %r5}", v = words == 4 ? "v4" : "v2";
    QVERIFY(e.run(kernelText(1, "add.s64 %d1, %a0, %o64;\nld.global.u32 %r1, [%d1];\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %r1, " + bytes + ", %r2;\nmov.u32 %r4, 1;\nmov.u32 %r5, 1;\nmov.u32 %r6, 1;\nmov.u32 %r7, 1;\nst.shared." + v + ".u32 [%r3], " + registers + ";\nld.shared." + v + ".u32 " + registers + ", [%r3];",
                             ".shared .align 16 .b8 s[2048];"), {1}, {32}, {x}));
    QVERIFY(e.report.findings.empty());
    QCOMPARE(e.report.counters.sharedStoreWavefronts, expected);
    QCOMPARE(e.report.counters.sharedLoadWavefronts, expected);
    QCOMPARE(e.report.counters.sharedLoadConflicts, expected - static_cast<std::uint64_t>(words));
}

void EngineCounters::linesAndRequests() {
    Engine e;
    const auto x = e.upload(std::vector<std::uint32_t>(4096, 1));
    // a row of 128 bytes is one line; a stride of 64 bytes touches 16; a row that starts in the middle of a line two
    QVERIFY(e.run(kernelText(1, "add.s64 %d1, %a0, %o64;\nld.global.u32 %r1, [%d1];\n.loc 1 101 1\nmul.wide.u32 %d2, %tid, 64;\nadd.s64 %d2, %a0, %d2;\nld.global.u32 %r2, [%d2];\n.loc 1 102 1\nst.global.u32 [%d1+64], %r2;\nmov.u32 %r4, s;\n.loc 1 103 1\n"
                                "mad.lo.u32 %r4, %tid, 4, %r4;\nst.shared.u32 [%r4], %r2;\nld.shared.u32 %r5, [%r4];\natom.shared.add.u32 %r6, [%r4], 1;\n.loc 1 104 1\nred.global.add.u32 [%d1], 1;", ".shared .align 4 .b8 s[128];"), {2}, {32}, {x}));
    QVERIFY(e.report.completed);
    QCOMPARE(e.report.counters.globalLoad.lines, 2u * (1 + 16));
    QCOMPARE(e.report.counters.globalStore.lines, 2u * 2);
    QCOMPARE(e.report.counters.globalAtomic.lines, 2u);
    const auto at = [&](int line) -> const LineCounters & { return *std::ranges::find(e.report.lines, line, &LineCounters::line); };
    QCOMPARE(at(100).globalRequests, 2u);
    QCOMPARE(at(101).globalRequests, 2u);
    QCOMPARE(at(102).globalRequests, 2u);
    QCOMPARE(at(103).globalRequests, 0u);
    QCOMPARE(at(103).sharedRequests, 6u);
    QCOMPARE(at(104).globalRequests, 2u);
    QCOMPARE(at(104).sharedRequests, 0u);
}

void EngineCounters::sharedFloat4IsFourWavefronts() {
    Engine e;
    const std::string body = "mov.f32 %f1, 0f3F800000;\nmov.u32 %r2, s;\nmad.lo.u32 %r1, %tid, 16, %r2;\nst.shared.v4.f32 [%r1], {%f1, %f1, %f1, %f1};\n"
                             "ld.shared.v4.f32 {%f2, %f3, %f4, %f5}, [%r1];\nmad.lo.u32 %r1, %tid, 8, %r2;\nld.shared.v2.f32 {%f2, %f3}, [%r1];";
    QVERIFY(e.run(kernelText(0, body, ".shared .align 16 .b8 s[512];"), {1}, {32}, {}));
    QCOMPARE(e.report.counters.sharedStoreWavefronts, 4u);
    QCOMPARE(e.report.counters.sharedLoadWavefronts, 6u); // 4 of the 128-bit load, 2 of the 64-bit one
    QCOMPARE(e.report.counters.sharedLoadConflicts, 0u);
}

void EngineCounters::divergenceIsCounted() {
    Engine e;
    const auto x = e.upload(ramp(32));
    // lanes below 16 go one way; then a branch all take
    const std::string body = "setp.lt.u32 %p1, %tid, 16;\n@%p1 bra LOW;\nmov.u32 %r1, 2;\nbra.uni JOIN;\nLOW:\nmov.u32 %r1, 1;\nJOIN:\n"
                             "add.s64 %d1, %a0, %o64;\nst.global.u32 [%d1], %r1;";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    QCOMPARE(e.report.counters.branches, 2u);
    QCOMPARE(e.report.counters.divergentBranches, 1u);
    QCOMPARE(e.report.counters.globalStore.requests, 1u); // the lanes have met again
    const auto values = e.download<std::uint32_t>(x, 32);
    QCOMPARE(values[15], 1u);
    QCOMPARE(values[16], 2u);
}

void EngineCounters::classesAndFlops() {
    Engine e;
    const std::string body = "mov.f32 %f1, 0f40000000;\nfma.rn.f32 %f2, %f1, %f1, %f1;\nadd.f32 %f3, %f2, %f1;\nmov.f64 %e1, 0d4000000000000000;\n"
                             "fma.rn.f64 %e2, %e1, %e1, %e1;\nrcp.approx.f32 %f4, %f3;\nsetp.lt.u32 %p1, %tid, 8;\n@%p1 add.f32 %f3, %f2, %f1;";
    QVERIFY(e.run(kernelText(0, body), {2}, {64}, {}));
    const auto &c = e.report.counters;
    const auto at = [](InstructionClass k) { return static_cast<std::size_t>(k); };
    QCOMPARE(c.blocks, 2u);
    QCOMPARE(c.warps, 4u);
    QCOMPARE(c.threads, 128u);
    QCOMPARE(c.warpInstructions[at(InstructionClass::Fp32)], 12u);       // three a warp
    QCOMPARE(c.threadInstructions[at(InstructionClass::Fp32)], 2u * 128 + 16); // the last only in 8 threads of each block
    QCOMPARE(c.warpInstructions[at(InstructionClass::Special)], 4u);
    QCOMPARE(c.fp32Flops, 128u * 3 + 16);
    QCOMPARE(c.fp64Flops, 128u * 2);
    QCOMPARE(c.activeLanes - c.predicatedOnLanes, 32u * 4 - 16); // lanes switched off by the predicate
}

void EngineCounters::cachesHitOnTheSecondRead() {
    Engine e;
    const auto x = e.upload(ramp(32));
    const std::string body = "add.s64 %d1, %a0, %o64;\nld.global.f32 %f1, [%d1];\nld.global.f32 %f2, [%d1];\nld.global.cg.f32 %f3, [%d1];";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    QCOMPARE(e.report.counters.globalLoad.l1HitSectors, 4u); // the second; the third passes L1
    QCOMPARE(e.report.counters.globalLoad.l2HitSectors, 4u);
    QCOMPARE(e.report.counters.l2ReadSectors, 8u);
    QCOMPARE(e.report.counters.dramReadBytes, 128u);
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    QCOMPARE(e.report.counters.dramReadBytes, 0u); // still in L2
    e.device.flushCaches();
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    QCOMPARE(e.report.counters.dramReadBytes, 128u);
}

void EngineCounters::storesSideBySideAreJoined_data() {
    QTest::addColumn<int>("stride"); // bytes from lane to lane
    QTest::addColumn<int>("sectors");
    QTest::newRow("two words a lane, 8 sectors") << 8 << 8;
    QTest::newRow("a sector a lane, 8 lines") << 32 << 32;
    QTest::newRow("a line a lane: no room") << 128 << 64;
}
void EngineCounters::storesSideBySideAreJoined() {
    QFETCH(int, stride);
    QFETCH(int, sectors);
    Engine e;
    const auto x = e.upload(ramp(8192));
    const std::string body = "mul.wide.u32 %d1, %tid, " + std::to_string(stride)
                           + ";\nadd.s64 %d1, %d1, %a0;\nst.global.f32 [%d1], 0f00000000;\nst.global.f32 [%d1+4], 0f00000000;";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    QCOMPARE(e.report.counters.globalStore.sectors, static_cast<std::uint64_t>(2 * (stride < 32 ? stride : 32)));
    QCOMPARE(e.report.counters.l2WriteSectors, static_cast<std::uint64_t>(sectors));
}
void EngineCounters::whatAStoreFillsIsInL1() {
    Engine e;
    const auto x = e.upload(ramp(64));
    const std::string body = "add.s64 %d1, %a0, %o64;\nst.global.f32 [%d1], 0f00000000;\nld.global.f32 %f1, [%d1];\n"
                             "mul.wide.u32 %d2, %tid, 8;\nadd.s64 %d2, %a0, %d2;\nst.global.f32 [%d2], 0f00000000;\nld.global.f32 %f1, [%d2];";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    QCOMPARE(e.report.counters.globalLoad.l1HitSectors, 4u + 4); // of the second load those that the first store filled
    QCOMPARE(e.report.counters.l2ReadSectors, 4u);
}
void EngineCounters::whatABlockFetchesAgainIsTold() {
    ExecutionModel model = asWritten();
    model.l2Bytes = 2048; // sixteen lines
    Engine e;
    e.device = Device(model);
    const auto x = e.upload(ramp(16384)); // 512 lines, read twice by each of two blocks
    const std::string body = "mov.u32 %r1, 0;\nLOOP:\nand.b32 %r2, %r1, 511;\nshl.b32 %r2, %r2, 7;\nshl.b32 %r3, %tid, 2;\nadd.u32 %r2, %r2, %r3;\n"
                             "cvt.u64.u32 %d1, %r2;\nadd.s64 %d1, %d1, %a0;\nld.global.cg.f32 %f1, [%d1];\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 1024;\n@%p1 bra LOOP;";
    QVERIFY(e.run(kernelText(1, body), {2}, {32}, {x}));
    const LaunchCounters &c = e.report.counters;
    QCOMPARE(c.dramReadBytes - c.dramAgainBytes, 2u * 65536); // the first time, by each block
    QVERIFY(c.dramAgainBytes > 2 * 65536 * 0.95 && c.dramAgainBytes <= 2 * 65536);
}
void EngineCounters::bothSidesOfL2KeepWhatTheyRead() {
    std::vector<CacheSet> sets(16);
    SplitCache cache{{{sets.data(), 8, 1}, {sets.data() + 8, 8, 1}}};
    std::uint32_t writtenBack = 0;
    const std::uint32_t line = 5, side = cache.home(line), other = 1 - side;
    QVERIFY(cache.home(4) != side); // two lines side by side lie in different parts
    const auto holds = [&](std::uint32_t part) { return cache.part[part].find(cache.part[part].setOf(line), line) >= 0; };
    QCOMPARE(cache.read(line, 3, side, writtenBack), 0u);
    QVERIFY(holds(side) && !holds(other)); // read next to its home
    QCOMPARE(cache.read(line, 6, other, writtenBack), 2u); // found at home, one sector fetched
    QVERIFY(holds(other));
    QCOMPARE(cache.read(line, 7, side, writtenBack), 7u);
    cache.write(line, 8, writtenBack);
    QCOMPARE(cache.read(line, 8, other, writtenBack), 8u);
    QCOMPARE(writtenBack, 0u);
}

// A way is drawn in 36 of 64 cases: half of them are, and one more for sure. Of the drawn ones the oldest leaves that nobody has
// found again.
void EngineCounters::l1DrawsWhatLeaves() {
    std::vector<CacheSet> sets(1);
    SectorCache cache = SectorCache::over(sets.data(), 1, 0, 1);
    constexpr int rounds = 4000, drawn = rounds * 36 / 64;
    std::uint32_t ignored = 0;
    const auto gone = [&](auto &&use) { // how often each of eight lines, filled in their order and then used, makes room for a ninth
        std::array<int, 8> times{};
        for (int round = 0; round < rounds; ++round) {
            sets[0] = {};
            for (std::uint32_t line = 0; line < 8; ++line) (void)cache.read(line, 1, ignored); // free ways first
            for (std::uint32_t line = 0; line < 8; ++line) use(line);
            (void)cache.read(1000, 1, ignored);
            for (std::uint32_t line = 0; line < 8; ++line) times[line] += cache.find(sets[0], line) < 0;
        }
        return times;
    };
    const auto about = [](int times, int expected) { QVERIFY2(std::abs(times - expected) < rounds / 25, qPrintable(QString::number(times))); };
    const auto fresh = gone([](std::uint32_t) {});
    about(fresh[0], drawn);
    about(fresh[1], drawn * 28 / 64);
    QVERIFY(fresh[7] < rounds / 100);
    const auto found = gone([&](std::uint32_t line) { if (line != 7) QCOMPARE(cache.read(line, 1, ignored), 1u); });
    about(found[7], drawn); // though it is the newest
    const auto stored = gone([&](std::uint32_t line) { if (line == 0) cache.pass(line, 1); });
    QVERIFY(stored[0] < rounds / 100); // what is stored counts as found
    about(stored[1], drawn);
}
void EngineCounters::whatEarlierLaunchesLeftIsNotCounted() {
    ExecutionModel model = asWritten();
    model.l2Bytes = 64 * 1024;
    Engine e;
    e.device = Device(model);
    const auto x = e.upload(ramp(32 * 1024)); // 128 KiB, twice what L2 holds
    const std::string text = kernelText(1, "add.s64 %d1, %a0, %o64;\nst.global.f32 [%d1], 0f00000000;");
    const auto written = [&] { return e.run(text, {256}, {128}, {x}) ? e.report.counters.dramWriteBytes : 0; };
    const std::uint64_t first = written();
    QVERIFY(first > 48 * 1024 && first < 80 * 1024); // half of it stays in L2
    QVERIFY(written() > first + 48 * 1024);
    e.device.cleanCaches();
    QVERIFY(written() < first + 8 * 1024);
}
// Of two SMs, one has a long block: its second one has to wait for that, though others could run.
void EngineCounters::anSmGetsItsNextBlockWhenItHasRoom() {
    const std::string body = "atom.global.add.u32 %r1, [%a0], 1;\nmul.wide.u32 %d1, %c, 8;\nadd.s64 %d1, %d1, %a1;\nst.global.u32 [%d1], %r1;\n"
                             "mov.u32 %r2, 0;\nLOOP:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 20000;\nsetp.eq.and.u32 %p1, %c, 0, %p1;\n@%p1 bra LOOP;\n"
                             "atom.global.add.u32 %r1, [%a0], 1;\nst.global.u32 [%d1+4], %r1;";
    const auto orderOf = [&](std::uint32_t blocksPerSm) {
        ExecutionModel model = asWritten();
        model.smCount = 2;
        Engine e;
        e.device = Device(model);
        e.concurrentBlocks = 4;
        e.blocksPerSm = blocksPerSm;
        const auto counter = e.upload(std::vector<std::uint32_t>(1)), times = e.upload(std::vector<std::uint32_t>(8));
        if (!e.run(kernelText(2, body), {4}, {1}, {counter, times})) return std::vector<std::uint32_t>();
        return e.download<std::uint32_t>(times, 8); // begin and end of each block
    };
    const auto free = orderOf(0), one = orderOf(1);
    QCOMPARE(free.size(), std::size_t(8));
    QCOMPARE(one.size(), std::size_t(8));
    QVERIFY(free[4] < free[1]); // the third block begins before the first has ended
    QVERIFY(one[4] > one[1]);
}
void EngineCounters::readersOfALineAreCounted() {
    ExecutionModel model = asWritten();
    model.smCount = 32;
    model.gpcCount = 2;
    Engine e;
    e.device = Device(model);
    const auto x = e.upload(ramp(64));
    // before the first barrier only those keep in step that begin together; %c / 8 · 32 bytes after it: eight blocks in a row read a sector
    const std::string body = "ld.global.cg.f32 %f1, [%a0+128];\nbar.sync 0;\nshr.u32 %r1, %c, 3;\nand.b32 %r1, %r1, 3;\nmul.wide.u32 %d1, %r1, 32;\nadd.s64 %d1, %a0, %d1;\nld.global.cg.f32 %f1, [%d1];";
    QVERIFY(e.run(kernelText(1, body), {64}, {32}, {x}));
    QCOMPARE(e.report.counters.companies.count[0], 0u); // nobody has asked
    e.firstWaveBlocks = 32;
    QVERIFY(e.run(kernelText(1, body), {64}, {32}, {x}));
    const Companies &companies = e.report.counters.companies;
    for (const std::size_t wave : {0, 1}) {
        QCOMPARE(companies.count[wave], 2u);
        QCOMPARE(companies.blocks[wave], 32u);
        QCOMPARE(companies.sectors[wave][8], 32u); // four times eight readers of a sector
        QCOMPARE(companies.sectors[wave][16], wave == 0 ? 32u : 0u); // all sixteen of a company, twice
        QCOMPARE(std::accumulate(companies.sectors[wave].begin(), companies.sectors[wave].end(), std::uint64_t{0}), wave == 0 ? 64u : 32u);
    }
    // no barriers: who begins together and reads one line at a time
    const auto sum = [&](std::size_t wave) { return std::accumulate(companies.sectors[wave].begin(), companies.sectors[wave].end(), std::uint64_t{0}); };
    QVERIFY(e.run(kernelText(1, "ld.global.cg.f32 %f1, [%a0];"), {64}, {32}, {x}));
    QCOMPARE(companies.sectors[0][16], 32u);
    QCOMPARE(sum(1), 0u);
    QVERIFY(e.run(kernelText(1, "and.b32 %r1, %t, 1;\nmul.wide.u32 %d1, %r1, 128;\nadd.s64 %d1, %a0, %d1;\nld.global.cg.f32 %f1, [%d1];"), {64}, {32}, {x}));
    QCOMPARE(sum(0), 0u);
}
// Each of 32 warps walks through a line of its own, word by word, and L1 has room for eight: as on a device, where a warp that
// waits for memory lets the others come after it, they take the lines from each other.
void EngineCounters::warpsWaitForMemoryTogether() {
    ExecutionModel model = asWritten();
    model.l1Bytes = 1024;
    model.smCount = 1;
    Engine e;
    e.device = Device(model);
    const auto x = e.upload(ramp(32 * 32));
    const std::string body = "and.b32 %r1, %tid, 992;\nshl.b32 %r1, %r1, 2;\ncvt.u64.u32 %d1, %r1;\nadd.s64 %d1, %d1, %a0;\nmov.u32 %r2, 0;\nmov.f32 %f2, 0f00000000;\nLOOP:\n"
                             "ld.global.f32 %f1, [%d1];\nadd.f32 %f2, %f2, %f1;\nadd.s64 %d1, %d1, 4;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 32;\n@%p1 bra LOOP;";
    QVERIFY(e.run(kernelText(1, body), {1}, {1024}, {x}));
    const auto &load = e.report.counters.globalLoad;
    QCOMPARE(load.sectors, 32u * 32);
    QVERIFY2(load.l1HitSectors < load.sectors * 7 / 10, qPrintable(QString::number(load.l1HitSectors)));
}
// Four blocks of an SM ask for 32 lines with every load, which L1 takes 32 cycles for, and need four times what it holds. The
// older ones go on first and find their lines again.
void EngineCounters::theOldestBlockGoesFirst() {
    ExecutionModel model = asWritten();
    model.l1Bytes = 80 * 1024;
    model.smCount = 1;
    Engine e;
    e.device = Device(model);
    const auto x = e.upload(ramp(4 * 256 * 32)); // a line a thread
    const std::string body = "shl.b32 %r1, %t, 7;\ncvt.u64.u32 %d1, %r1;\nadd.s64 %d1, %d1, %a0;\nmov.u32 %r2, 0;\nmov.f32 %f2, 0f00000000;\nLOOP:\n"
                             "ld.global.f32 %f1, [%d1];\nadd.f32 %f2, %f2, %f1;\nadd.s64 %d1, %d1, 4;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 32;\n@%p1 bra LOOP;";
    e.concurrentBlocks = 4;
    QVERIFY(e.run(kernelText(1, body), {4}, {256}, {x}));
    const auto &load = e.report.counters.globalLoad;
    QCOMPARE(load.sectors, 4u * 256 * 32);
    QVERIFY2(load.l1HitSectors > load.sectors * 8 / 10, qPrintable(QString::number(load.l1HitSectors)));
}

// The older blocks of an SM wait for the youngest, which asks for more than L1 gives in a turn.
void EngineCounters::anOlderBlockThatWaitsHoldsUpNobody() {
    for (const std::uint32_t blocks : {2u, 3u, 5u}) {
        ExecutionModel model = asWritten();
        model.smCount = 1;
        Engine e;
        e.device = Device(model);
        const auto x = e.upload(ramp(256 * 32 + 256)), flag = e.upload(std::vector<std::uint32_t>(1));
        const std::string last = std::to_string(blocks - 1);
        const std::string body = "setp.eq.u32 %p1, %c, " + last + ";\n@%p1 bra WORK;\nSPIN:\nld.volatile.global.u32 %r1, [%a1];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra SPIN;\nret;\n"
                                 "WORK:\nshl.b32 %r1, %tid, 7;\ncvt.u64.u32 %d1, %r1;\nadd.s64 %d1, %d1, %a0;\nmov.u32 %r2, 0;\nmov.f32 %f2, 0f00000000;\nLOOP:\n"
                                 "ld.global.f32 %f1, [%d1];\nadd.f32 %f2, %f2, %f1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 64;\n@%p1 bra LOOP;\n"
                                 "bar.sync 0;\nmembar.gl;\nst.volatile.global.u32 [%a1], 1;";
        e.concurrentBlocks = blocks;
        QVERIFY(e.run(kernelText(2, body), {blocks}, {256}, {x, flag}));
        QVERIFY(e.report.completed);
        QCOMPARE(e.finding("endless_loop"), nullptr);
    }
}

void EngineCounters::barriersAreCountedByWarp() {
    Engine e;
    QVERIFY(e.run(kernelText(0, "bar.sync 0;\nbar.sync 0;"), {3}, {128}, {}));
    QCOMPARE(e.report.counters.barriers, 3u * 4 * 2);
}

void EngineCounters::windowRunsItsBlocksOnly() {
    Engine e;
    const auto x = e.upload(std::vector<std::uint32_t>(10, 0));
    e.windows = {{2, 3}, {8, 1}};
    const std::string body = "mul.wide.u32 %d1, %c, 4;\nadd.s64 %d1, %a0, %d1;\nst.global.u32 [%d1], 1;";
    QVERIFY(e.run(kernelText(1, body), {10}, {1}, {x}));
    QCOMPARE(e.report.counters.blocks, 4u);
    QCOMPARE(e.report.blocksTotal, 10u);
    QCOMPARE(e.download<std::uint32_t>(x, 10), (std::vector<std::uint32_t>{0, 0, 1, 1, 1, 0, 0, 0, 1, 0}));
}

void EngineCounters::registersAreRoundedToEight() {
    Engine e;
    QVERIFY(e.run(kernelText(0, "nop: mov.u32 %r1, 0;"), {1}, {32}, {}));
    QCOMPARE(e.report.resources.registersPerThread, 16);
    // 40 values that live at once
    std::string body = ".reg .f32 %v<40>;\ncvt.rn.f32.u32 %v0, %tid;\n";
    for (int i = 1; i < 40; ++i) body += "add.f32 %v" + std::to_string(i) + ", %v" + std::to_string(i - 1) + ", 0f3F800000;\n";
    body += "mov.f32 %f1, 0f00000000;\n";
    for (int i = 0; i < 40; ++i) body += "add.f32 %f1, %f1, %v" + std::to_string(i) + ";\n";
    const auto x = e.upload(ramp(32));
    QVERIFY(e.run(kernelText(1, body + "add.s64 %d1, %a0, %o64;\nst.global.f32 [%d1], %f1;"), {1}, {32}, {x}));
    QVERIFY2(e.report.resources.registersPerThread >= 48 && e.report.resources.registersPerThread <= 56,
             qPrintable(QString::number(e.report.resources.registersPerThread)));
}

void EngineCounters::linesCarryTheirSectors() {
    Engine e;
    const auto x = e.upload(ramp(4096));
    const std::string body = "mul.lo.u32 %r1, %tid, 128;\ncvt.u64.u32 %d1, %r1;\nadd.s64 %d1, %a0, %d1;\n.loc 1 7 3\nld.global.f32 %f1, [%d1];\n.loc 1 8 3\nadd.f32 %f2, %f1, %f1;";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    const LineCounters *seven = nullptr, *eight = nullptr;
    for (const auto &line : e.report.lines) {
        QCOMPARE(line.file, std::string("kernel.cu"));
        if (line.line == 7) seven = &line;
        if (line.line == 8) eight = &line;
    }
    QVERIFY(seven != nullptr && eight != nullptr);
    QCOMPARE(seven->globalSectors, 32u);
    QCOMPARE(seven->idealSectors, 4u);
    QCOMPARE(eight->mainStall, StallReason::LongScoreboard); // the addition waits for the load
    QVERIFY(eight->stallCycles > 600);
}

QTEST_APPLESS_MAIN(EngineCounters)
#include "tst_engine_counters.moc"
