// SPDX-License-Identifier: Apache-2.0
#include "hand_made_reports.h"
#include "timing/time_model.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace kernelskill::simulator;

class TestTimeModel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto gpu = GpuModel::read(SOURCE_DIR "/resources/gpus/h200.json");
        QVERIFY(gpu);
        m_gpu = *gpu;
    }

    // 128 MiB over a DRAM that reaches about 4.2 TB/s: 32 µs, and what a launch costs.
    void streamingCopyRunsAtDramSpeed()
    {
        const ModelledLaunch launch = timed(streamingCopy(true));
        QCOMPARE(launch.bound, Bound::Dram);
        between(launch.duration_us, 31.6, 36);
        between(launch.metrics.at("dram_throughput_pct"), 65, 80);
        // What is dirty in L2 at the end is not counted: of 67.1 MB the profiler saw 42 to 50 (ladders, transpose).
        // Half of what is read lies in L2 twice, so of five lines there two are written ones; reads go round once.
        QCOMPARE(launch.metrics.at("dram_bytes"), 2 * 4096.0 * 4096 * 4 - 0.4 * m_gpu.l2Bytes * (1 - 0.14 * (1 - std::exp(-0.1))));
        QCOMPARE(launch.metrics.at("sectors_per_request"), 16.0);
        QCOMPARE(launch.metrics.at("theoretical_occupancy_pct"), 100.0);
        QVERIFY(timed(streamingCopy(false)).time_us > launch.time_us);
    }

    void softmaxLadderHasItsProportions()
    {
        const auto times = timesOf(softmaxLadder());
        between(times[0] / times[2], 10, 120); // a thread a row: tens of times slower
        between(times[1] / times[2], 1.05, 3);
        between(times[2], 31.6, 42);
    }

    void matmulLadderReachesKnownThroughputs()
    {
        const auto times = timesOf(matmulLadder());
        const auto tflops = [&](std::size_t i) { return 2 * std::pow(1024.0, 3) / times[i] * 1e-6; };
        between(tflops(0), 0.2, 1);
        between(tflops(1), 5.6, 8.4); // tests/bench/simulator_ladders, matmul v1: 7.0 measured
        between(tflops(2), 7, 11);
        between(tflops(3), 20, 48);
    }

    void paddingBeatsBankConflictsBeatsScatteredStores()
    {
        const auto times = timesOf(transposeLadder());
        QVERIFY(times[0] > times[1]);
        between(times[1] / times[2], 1.5, 3.5);
        between(times[2], 31.6, 40);
    }

    void emptyKernelCostsALaunch()
    {
        KernelSketch nothing;
        const ModelledLaunch launch = timed(nothing);
        between(launch.time_us, 2.5, 2.8); // measured: 2.66 between two events
        QVERIFY(launch.duration_us < launch.time_us);
    }

    void aReportWithoutBlocksHasNoThroughputs()
    {
        LaunchReport report;
        report.blocksTotal = 10;
        const ModelledLaunch launch = model(report, m_gpu);
        QVERIFY(launch.stalls.empty());
        QVERIFY(!launch.metrics.contains("dram_throughput_pct"));
        QCOMPARE(launch.metrics.at("grid_blocks"), 10.0);
    }

    void aSampleStandsForTheGrid()
    {
        const KernelSketch sketch = streamingCopy(true);
        const ModelledLaunch all = model(report(sketch), m_gpu);
        const ModelledLaunch sampled = model(report(sketch, 1024), m_gpu);
        QCOMPARE(sampled.scale, 16.0);
        QCOMPARE(sampled.time_us, all.time_us);
        QCOMPARE(sampled.metrics.size(), all.metrics.size());
        for (const auto &[name, value] : all.metrics)
            QVERIFY2(std::abs(sampled.metrics.at(name) - value) <= 1e-6 * std::abs(value), name.c_str());
    }

    void fewBlocksLeaveSmsIdle()
    {
        // The same work in 16 blocks or in 1024: latency and an SM's own bandwidth bind the former.
        KernelSketch many = streamingCopy(true);
        many.gridBlocks = 1024;
        many.criticalCycles = 12000;
        many.loads = many.stores = 16;
        many.branches = 32; // each load in a loop iteration of its own
        KernelSketch few = many;
        few.gridBlocks = 16;
        few.loads = few.stores = 16 * 64;
        few.criticalCycles = 64 * 12000;
        few.branches = 64 * many.branches;
        const ModelledLaunch launch = timed(few);
        between(launch.time_us / timed(many).time_us, 10, 80);
        QCOMPARE(launch.bound, Bound::Latency);
        QVERIFY(launch.metrics.at("waves_per_sm") < 0.1);
        QVERIFY(launch.sentence.contains("16 blocks leave 116 of 132 SMs idle"));
    }

    void oneBlockBeyondAWaveCostsAnother()
    {
        KernelSketch sketch;
        sketch.fp32 = 20000;
        sketch.criticalCycles = 90000;
        sketch.gridBlocks = 8 * 132;
        const double whole = timed(sketch).duration_us;
        sketch.gridBlocks += 1;
        const ModelledLaunch tail = timed(sketch);
        between(tail.duration_us - whole, 44, 62); // one critical path: 90000 cycles at 1.98 GHz are 45 µs
        between(tail.tail_us, 44, 62);
        QCOMPARE(tail.metrics.at("waves_per_sm"), 1057 / 1056.0);
    }

    void theLongestBlockEndsTheKernel()
    {
        KernelSketch sketch;
        sketch.gridBlocks = 132;
        sketch.criticalCycles = 10000;
        const double even = timed(sketch).duration_us;
        sketch.longestCycles = 1e6;
        between(timed(sketch).duration_us, 500, 520); // a million cycles
        QVERIFY(even < 10);
    }

    void bandwidthOfOneSmIsLimited()
    {
        // A single block that streams 64 MiB: 64 bytes a cycle at best, far from the device's bandwidth.
        KernelSketch sketch = streamingCopy(true);
        sketch.gridBlocks = 1;
        sketch.loads = sketch.stores = 16384;
        sketch.criticalCycles = 1000;
        const ModelledLaunch launch = timed(sketch);
        QCOMPARE(launch.bound, Bound::L2Port);
        QCOMPARE(launch.work[Bound::L2Port], 2 * 16384 * 8 * 512.0 / 64);
    }

    void atomicsOnOneAddressAreOneAfterTheOther()
    {
        KernelSketch sketch;
        sketch.gridBlocks = 2048;
        sketch.blockThreads = 1024;
        sketch.atomics = 1;
        sketch.atomicLanes = sketch.atomicTurns = 32; // a warp's lanes on one word
        sketch.criticalCycles = 300;
        const ModelledLaunch meeting = timed(sketch);
        QCOMPARE(meeting.bound, Bound::Atomics);
        // measured on an H200: 1363 integer additions to one word a microsecond
        between(meeting.duration_us, 65536 * 32 / 1363.0 * 0.95, 65536 * 32 / 1363.0 * 1.05);
        sketch.atomicSectors = sketch.atomicTurns = 4; // a word each, in one slice of L2; measured: 25600 a microsecond
        between(timed(sketch).duration_us, 65536 * 32 / 25600.0 * 0.9, 65536 * 32 / 25600.0 * 1.1);
        sketch.atomicPieces = 4096; // in all of them; measured: 194000 a microsecond
        between(timed(sketch).duration_us, 65536 * 32 / 194000.0, 65536 * 32 / 194000.0 + 5);
        sketch.atomicSectors = sketch.atomicTurns = 32; // scattered; measured: 80000 a microsecond
        between(timed(sketch).duration_us, 65536 * 32 / 80000.0 * 0.95, 65536 * 32 / 80000.0 * 1.15);
    }

    void whatStaysInL2IsFetchedOnce()
    {
        KernelSketch sketch = matmulLadder()[1];
        sketch.dramReadBytes = 64 * 4194304.0; // what a slice of the grid, run by itself, would suggest
        sketch.loadedBytes = 2 * 4194304;
        sketch.storedBytes = 4194304;
        QCOMPARE(model(report(sketch, 16), m_gpu).work.dramReadBytes * 1024, 2 * 4194304.0);
        QCOMPARE(timed(sketch).work.dramReadBytes * 1024, 64 * 4194304.0); // all blocks ran: the counters stand
        sketch.loadedBytes = sketch.storedBytes = 0;                       // not known: likewise
        QCOMPARE(model(report(sketch, 16), m_gpu).work.dramReadBytes * 1024, 64 * 4194304.0);
    }

    void aWaveFetchesAByteOnce()
    {
        KernelSketch sketch = matmulLadder()[1];
        sketch.dramReadBytes = 1e10;
        sketch.loadedBytes = 100'000'000; // beyond L2; 1024 blocks in 3.88 waves
        const ModelledLaunch launch = model(report(sketch, 16), m_gpu);
        QCOMPARE(launch.work.dramReadBytes * 1024, 4 * 100e6);
        // As many blocks as the device has in flight show the order of blocks truly.
        QCOMPARE(model(report(sketch, 300), m_gpu).work.dramReadBytes * 1024, 1e10);
        QVERIFY(launch.roofline_us < 100e6 / 4.25e6 * 1.01 + 40);
    }

    void whatABlockReadsAgainIsFetchedAgain()
    {
        KernelSketch sketch = matmulLadder()[1];
        sketch.dramReadBytes = 3e8;
        sketch.loadedBytes = 100'000'000; // beyond L2
        LaunchReport sample = report(sketch, 16);
        sample.counters.dramAgainBytes = sample.counters.dramReadBytes / 3 * 2; // three passes over data of its own
        const auto read = [&] { return model(sample, m_gpu).work.dramReadBytes * 1024; };
        QVERIFY(std::abs(read() - 3e8) < 1e3);
        sample.loadedAllocationBytes = 10'000'000; // all of it stays in L2
        QVERIFY(std::abs(read() - 1e7) < 1e3);
    }

    void anOutputThatFitsStaysInL2ButForOverfullSets()
    {
        KernelSketch sketch = streamingCopy(true); // 16384 blocks that read 67.1 MB and write as much
        sketch.gridBlocks = 4096;
        sketch.dramReadBytes = 4096.0 * 4096;
        sketch.dramWriteBytes = 0;
        sketch.storedBytes = 4096 * 4096;
        const double once = timed(sketch).metrics.at("dram_bytes");
        // 16.8 MB written and one and a half times as much read: 12.8 lines in a set of 16, 18.6 % of the sets too full
        const double overfull = 0.5 * std::erfc(3.2 / std::sqrt(25.6));
        const double expected = 4096.0 * 4096 * (1 + overfull / 2 * (1 - std::exp(-1 / 25.0)));
        QVERIFY(std::abs(once / expected - 1) < 1e-9);
        sketch.loads *= 64; // what was read goes round sixty times more
        between(timed(sketch).metrics.at("dram_bytes") / once, 1.1, 1.3); // matmul v0: 20.3 of 16.8 MB
    }

    void loadsInStepJoinOnTheirWay()
    {
        KernelSketch sketch;
        sketch.gridBlocks = 132;
        sketch.loads = 64;
        sketch.criticalCycles = 20000;
        sketch.dramReadBytes = 132 * 8 * 64 * 128.0 / 16; // sixteen blocks read the same
        const double all = 132 * 8 * 64 * 128.0, chance = 0.015 * 15 / 16;
        QCOMPARE(timed(sketch).metrics.at("l2_bytes"), all * (1 - chance)); // no barriers, not in step: a few meet
        sketch.barriers = 16;
        LaunchReport launch = report(sketch);
        const auto readBy = [&launch](std::size_t kind, std::size_t readers) {
            launch.counters.companies = {};
            launch.counters.companies.sectors[kind][readers] = launch.counters.l2ReadSectors;
            launch.counters.companies.blocks[kind] = 132;
            launch.counters.companies.count[kind] = 8;
        };
        const auto joined = [&] { return 1 - model(launch, m_gpu).metrics.at("l2_bytes") / (launch.counters.l2ReadSectors * 32.0); };
        const auto meet = [](double others, double inStep) { return 1 - 1 / (1 + others * inStep); };
        const auto near = [](double value, double expected) { QVERIFY2(std::abs(value - expected) < 1e-6, qPrintable(QString("%1 for %2").arg(value).arg(expected))); };
        readBy(0, 16);
        near(joined(), 0.72); // time to wait for each other
        launch.counters.blockCriticalCycles = 1; // none: only the first of eight rounds finds them in step
        const double drifting = std::exp(5 * (0.46 - 1)), first = 0.72 / 8 + meet(15, drifting) * 7 / 8;
        near(joined(), first);
        readBy(0, 2); // two of sixteen
        near(joined(), 0.5 / 8 + meet(1, drifting) * 7 / 8);

        sketch.gridBlocks = 2 * 1056; // two waves: the second does not begin together
        sketch.dramReadBytes *= 16;
        launch = report(sketch);
        launch.counters.blockCriticalCycles = 1;
        readBy(1, 16);
        near(joined(), first / 2 + meet(15, 0.034) / 2);
        readBy(1, 3); // neighbours in a grid
        near(joined(), chance);

        sketch.barriers = 0; // without them those drift that begin together, too
        sketch.gridBlocks = 132;
        LaunchReport apart = report(sketch);
        apart.counters.dramReadBytes /= 16;
        launch = apart;
        readBy(0, 16);
        near(joined(), meet(15, 0.034));
        sketch.barriers = 16;
        sketch.gridBlocks = 2 * 1056;
        sketch.dramReadBytes *= 8; // two blocks read the same
        launch = report(sketch);
        readBy(1, 16);
        near(joined(), 0);
    }

    void aPartlyStoredSectorCostsL2More()
    {
        KernelSketch sketch;
        sketch.gridBlocks = 65536;
        sketch.stores = 1;
        sketch.storeSectors = 32; // a word each, as of a transpose without shared memory: 16.8 million took 256 µs
        sketch.criticalCycles = 300;
        const ModelledLaunch scattered = timed(sketch);
        QCOMPARE(scattered.bound, Bound::L2);
        between(scattered.duration_us, 230, 280);
        sketch.storeBytes = 1024; // whole ones
        QVERIFY(timed(sketch).bounds_us[std::size_t(Bound::L2)] < scattered.bounds_us[std::size_t(Bound::L2)] / 3);
    }

    void smallKernelsLeaveTheirResultsInL2()
    {
        KernelSketch small = streamingCopy(true);
        small.gridBlocks = 64;
        small.dramReadBytes = 64 * 4096.0;
        small.dramWriteBytes = 0;
        QVERIFY(timed(small).work.dramWriteBytes * 64 < 0.02 * 64 * 4096);
        KernelSketch large = streamingCopy(true);
        large.dramWriteBytes = 0;
        QCOMPARE(timed(large).work.dramWriteBytes * 16384, 4096.0 * 4096 * 4);
    }

    void scatteredSectorsCostALookUpEach()
    {
        AccessCounters access;
        access.requests = 10;
        access.sectors = 320; // 4-byte words, each in a sector of its own
        access.bytes = 1280;
        QCOMPARE(tagWavefronts(access), 320.0);
        access.sectors = 40; // contiguous words
        QCOMPARE(tagWavefronts(access), 10.0);
        access.sectors = 10; // one word for all lanes
        QCOMPARE(tagWavefronts(access), 10.0);
        access.sectors = 160; // 16-byte words, contiguous
        access.bytes = 5120;
        QCOMPARE(tagWavefronts(access), 40.0);
        access.wavefronts = 80; // counted
        QCOMPARE(tagWavefronts(access), 80.0);
    }

    void stallSharesSumToOne()
    {
        std::vector<KernelSketch> sketches = matmulLadder();
        sketches.push_back(streamingCopy(false));
        sketches.push_back(KernelSketch{});
        for (const KernelSketch &sketch : sketches) {
            const ModelledLaunch launch = timed(sketch);
            const double sum = std::accumulate(launch.stalls.begin(), launch.stalls.end(), 0.0,
                                               [](double total, const auto &entry) { return total + entry.second; });
            QVERIFY(std::abs(sum - 1) < 1e-9);
            double metricSum =
                launch.metrics.at("stall_selected") + launch.stalls.at("branch") * (1 - launch.issuingShare);
            for (const auto &[reason, share] : launch.stalls) {
                if (reason != "branch") metricSum += launch.metrics.at("stall_" + reason);
            }
            QVERIFY(std::abs(metricSum - 1) < 1e-9);
        }
        QVERIFY(timed(streamingCopy(true)).stalls.at("long_scoreboard") > 0.8);
    }

    void issueBoundKernelsFillTheirSlots()
    {
        KernelSketch sketch;
        sketch.gridBlocks = 132 * 80;
        sketch.fp32 = sketch.integer = 10000;
        sketch.criticalCycles = 20000 * 4;
        sketch.longScoreboardShare = 0;
        const ModelledLaunch launch = timed(sketch);
        between(launch.metrics.at("sm_throughput_pct"), 70, 100);
        between(launch.metrics.at("issue_slot_pct"), 50, 100);
        QVERIFY(launch.metrics.at("warps_eligible_cnt") > 1);
        QVERIFY(launch.metrics.at("dram_throughput_pct") == 0);
    }

    void moreWorkNeverTakesLessTime()
    {
        const KernelSketch base = matmulLadder()[2];
        const double time = timed(base).time_us;
        for (double KernelSketch::*field :
             {&KernelSketch::fp32, &KernelSketch::integer, &KernelSketch::loads, &KernelSketch::stores,
              &KernelSketch::sharedLoads, &KernelSketch::criticalCycles, &KernelSketch::dramReadBytes,
              &KernelSketch::loadSectors}) {
            KernelSketch more = base;
            more.*field *= 4;
            QVERIFY(timed(more).time_us >= time);
        }
    }

    // Whatever the counters say, the figures are finite, in range and not below the roofline.
    void anyReportGivesSaneFigures()
    {
        std::mt19937 random(20260101); // the same reports every time
        const auto upTo = [&random](double most) {
            return std::floor(std::exp(std::uniform_real_distribution<>(0, std::log(most + 1))(random))) - 1;
        };
        for (int i = 0; i < 3000; ++i) {
            KernelSketch sketch;
            sketch.gridBlocks = std::uint32_t(upTo(1e5)) + 1;
            sketch.blockThreads = std::uint32_t(upTo(1024)) % 1024 + 1;
            sketch.registers = int(upTo(255));
            sketch.sharedBytes = int(upTo(250000));
            for (double KernelSketch::*field :
                 {&KernelSketch::fp32, &KernelSketch::integer, &KernelSketch::special, &KernelSketch::shuffles,
                  &KernelSketch::branches, &KernelSketch::barriers, &KernelSketch::tensor, &KernelSketch::loads,
                  &KernelSketch::stores, &KernelSketch::sharedLoads, &KernelSketch::atomics})
                sketch.*field = upTo(1e5);
            sketch.loadSectors = 1 + upTo(31);
            sketch.storeSectors = 1 + upTo(31);
            sketch.l1Hits = upTo(100) / 100;
            sketch.dramReadBytes = upTo(1e9);
            sketch.dramWriteBytes = upTo(1e9);
            sketch.criticalCycles = upTo(1e7);
            sketch.longestCycles = upTo(1e8);
            const ModelledLaunch launch = timed(sketch);
            QVERIFY(std::isfinite(launch.time_us) && launch.time_us > launch.duration_us);
            QVERIFY(launch.duration_us >= launch.roofline_us);
            QVERIFY(launch.duration_us >= *std::ranges::max_element(launch.bounds_us));
            double stalls = 0;
            for (const auto &[reason, share] : launch.stalls) {
                QVERIFY(share >= 0 && share <= 1);
                stalls += share;
            }
            QVERIFY(std::abs(stalls - 1) < 1e-9);
            for (const auto &[name, value] : launch.metrics) {
                QVERIFY2(std::isfinite(value) && value >= 0, name.c_str());
                if (name.ends_with("_pct")) QVERIFY2(value <= 100.0 + 1e-9, name.c_str());
            }
        }
    }

private:
    ModelledLaunch timed(const KernelSketch &sketch) const { return model(report(sketch), m_gpu); }
    std::vector<double> timesOf(const std::vector<KernelSketch> &ladder) const
    {
        std::vector<double> times;
        for (const KernelSketch &sketch : ladder)
            times.push_back(timed(sketch).duration_us);
        return times;
    }
    static void between(double value, double low, double high)
    {
        QVERIFY2(value >= low && value <= high,
                 qPrintable(QStringLiteral("%1 is not in [%2, %3]").arg(value).arg(low).arg(high)));
    }

    GpuModel m_gpu;
};

QTEST_GUILESS_MAIN(TestTimeModel)
#include "tst_time_model.moc"
