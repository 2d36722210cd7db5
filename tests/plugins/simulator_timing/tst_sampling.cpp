// SPDX-License-Identifier: Apache-2.0
#include "timing/sampling.h"

#include <QTest>

#include <algorithm>

using namespace kernelskill::simulator;

class TestSampling : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto gpu = GpuModel::read(SOURCE_DIR "/resources/gpus/h200.json");
        QVERIFY(gpu);
        m_gpu = *gpu;
    }

    void affordableGridsRunWhole()
    {
        const SamplePlan result = plan(request({100, 1, 1}, 1000, 1e6), m_gpu);
        QVERIFY(result.runsAll());
        QCOMPARE(result.blocks, std::uint64_t(100));
        QCOMPARE(result.residentShare, 1.0);
    }

    void blocksThatCommunicateRunWhole()
    {
        SampleRequest wanted = request({100000, 1, 1}, 1e6, 1e6);
        wanted.blocksCommunicate = true;
        QVERIFY(plan(wanted, m_gpu).runsAll());
    }

    void threeEqualSlicesWithTheEnds()
    {
        // 100 blocks a slice by the budget: 8 rounds of 12 neighbours, a device's width apart
        const SamplePlan result = plan(request({10000, 1, 1}, 1e6, 3e8), m_gpu);
        QCOMPARE(result.slices.size(), std::size_t(3));
        const std::uint64_t span = 7 * 132 + 12, firsts[] = {0, (10000 - span) / 2, 10000 - span};
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(result.slices[i].size(), std::size_t(8));
            for (std::size_t round = 0; round < 8; ++round) {
                QCOMPARE(result.slices[i][round].first, firsts[i] + round * 132);
                QCOMPARE(result.slices[i][round].count, std::uint64_t(12));
            }
        }
        QCOMPARE(result.blocks, std::uint64_t(288));
        QCOMPARE(result.residentShare, 12.0 / 132);
    }

    void wholeRoundsAreOneWindow()
    {
        const SamplePlan result = plan(request({100000, 1, 1}, 1000, 132 * 8 * 3 * 1000.0), m_gpu);
        QCOMPARE(result.slices.size(), std::size_t(3));
        QCOMPARE(result.slices[0].size(), std::size_t(1));
        QCOMPARE(result.slices[0][0].count, std::uint64_t(132 * 8));
        QCOMPARE(result.residentShare, 1.0);
    }

    void costlyBlocksKeepTheirNeighbours()
    {
        // 12 blocks a slice: 3 rounds of 4
        const SamplePlan result = plan(request({10000, 1, 1}, 1e6, 36e6), m_gpu);
        QCOMPARE(result.slices[0].size(), std::size_t(3));
        QCOMPARE(result.slices[0][0].count, std::uint64_t(4));
    }

    void workThatGrowsWithTheBlockAveragesOut()
    {
        // block b costs b: the sample's mean is the grid's
        const SamplePlan result = plan(request({10000, 1, 1}, 1e6, 3e8), m_gpu);
        double sum = 0;
        for (const SampleSlice &slice : result.slices) {
            for (const BlockWindow &window : slice) {
                for (std::uint64_t i = 0; i < window.count; ++i)
                    sum += double(window.first + i);
            }
        }
        QCOMPARE(sum / double(result.blocks), 9999 / 2.0);
    }

    void unknownCostIsAssumedFromThreads()
    {
        // 256 threads × 100 = 25600 a block; 3 × 40 blocks
        const SamplePlan result = plan(request({100000, 1, 1}, 0, 25600.0 * 120), m_gpu);
        QCOMPARE(result.blocks, std::uint64_t(120));
    }

    void slicesNeverOverlapAndStayInside()
    {
        for (std::uint32_t x : {1u, 7u, 13u, 100u, 1000u}) {
            for (std::uint32_t y : {1u, 2u, 33u, 5000u}) {
                for (double budget : {0.0, 1e3, 1e5, 1e7, 1e9}) {
                    const SamplePlan result = plan(request({x, y, 1}, 1000, budget), m_gpu);
                    const std::uint64_t total = std::uint64_t(x) * y;
                    if (result.runsAll()) {
                        QCOMPARE(result.blocks, total);
                        continue;
                    }
                    std::uint64_t sum = 0;
                    std::vector<BlockWindow> windows;
                    for (const SampleSlice &slice : result.slices) {
                        QVERIFY(std::ranges::is_sorted(slice, {}, &BlockWindow::first));
                        windows.insert(windows.end(), slice.begin(), slice.end());
                    }
                    std::ranges::sort(windows, {}, &BlockWindow::first);
                    std::uint64_t end = 0;
                    for (const BlockWindow &window : windows) {
                        QVERIFY(window.first >= end && window.count > 0);
                        end = window.first + window.count;
                        sum += window.count;
                    }
                    QVERIFY(end <= total && windows.front().first == 0);
                    QCOMPARE(sum, result.blocks);
                    QVERIFY(result.residentShare > 0 && result.residentShare <= 1);
                }
            }
        }
    }

    void blocksOfAnSmRunSideBySide()
    {
        Occupancy held;
        held.residentBlocks = 2;
        held.warpsPerBlock = 4;
        const StartOrder all = startOrder({}, 4 * 132 - 110, held, m_gpu);
        QCOMPARE(all.sharingL1, std::uint64_t(2));
        QCOMPARE(all.concurrentBlocks, 264u); // two on each of 132 multiprocessors
        QCOMPARE(all.windows.size(), std::size_t(4));
        // 2048 warps: 32 multiprocessors with two blocks of 32 each, which go through all four rounds before others begin
        held.warpsPerBlock = 32;
        const StartOrder order = startOrder({}, 4 * 132 - 110, held, m_gpu);
        QCOMPARE(order.concurrentBlocks, 64u);
        const std::uint64_t firsts[] = {0, 132, 264, 396, 32};
        for (std::size_t i = 0; i < 5; ++i) QCOMPARE(order.windows[i].first, firsts[i]);
        QCOMPARE(order.windows[0].count, std::uint64_t(32));
        QCOMPARE(order.windows[3].count, std::uint64_t(22)); // the last round is ragged
        std::vector<int> started(4 * 132 - 110);
        for (const BlockWindow &window : order.windows)
            for (std::uint64_t i = 0; i < window.count; ++i) ++started.at(window.first + i);
        QCOMPARE(std::ranges::count(started, 1), std::ptrdiff_t(started.size()));
    }

    void fewRoundsShareL1AsFarAsTheyGo()
    {
        Occupancy held;
        held.residentBlocks = 8;
        held.warpsPerBlock = 8;
        const SampleSlice slice{{1000, 4}, {1132, 4}, {1264, 4}};
        const StartOrder order = startOrder(slice, 100000, held, m_gpu);
        QCOMPARE(order.sharingL1, std::uint64_t(3));
        QCOMPARE(order.concurrentBlocks, 255u); // 85 multiprocessors would fit
        QCOMPARE(order.windows.size(), std::size_t(3));
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(order.windows[i].first, slice[i].first);
            QCOMPARE(order.windows[i].count, slice[i].count);
        }
    }

    void roundsComeBeforeManyNeighbours()
    {
        // 1000 blocks a slice: 32 rounds, 31 wide
        const SamplePlan result = plan(request({20000, 1, 1}, 1e5, 3e8), m_gpu);
        QCOMPARE(result.slices[0].size(), std::size_t(32));
        QCOMPARE(result.slices[0][0].count, std::uint64_t(31));
    }

    void someMultiprocessorsRunAllTheirRoundsWhereTheyCan()
    {
        // 1000 blocks a slice, and the grid has 76 rounds: 13 multiprocessors at the start, the middle and the end of the device
        const SamplePlan result = plan(request({10000, 1, 1}, 1e5, 3e8), m_gpu);
        QCOMPARE(result.slices.size(), std::size_t(3));
        const std::uint64_t firsts[] = {0, 59, 119};
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t round = 0; round < 75; ++round) {
                QCOMPARE(result.slices[i][round].first, firsts[i] + round * 132);
                QCOMPARE(result.slices[i][round].count, std::uint64_t(13));
            }
            for (const BlockWindow &window : result.slices[i]) sum += window.count;
        }
        QCOMPARE(result.slices[1].size(), std::size_t(76));
        QCOMPARE(result.slices[2].size(), std::size_t(75)); // the last round has 100 blocks
        QCOMPARE(result.blocks, sum);
        QCOMPARE(result.residentShare, 13.0 / 132);
    }

    void pilotsAreFirstAndMiddle()
    {
        QVERIFY(pilot({4, 1, 1}).empty());
        const auto windows = pilot({10, 10, 1});
        QCOMPARE(windows.size(), std::size_t(2));
        QCOMPARE(windows[1].first, std::uint64_t(50));
        QCOMPARE(windows[1].count, std::uint64_t(1));
    }

private:
    SampleRequest request(Dim3 grid, double perBlock, double budget) const
    {
        SampleRequest result;
        result.grid = grid;
        result.block = {256, 1, 1};
        result.threadInstructionsPerBlock = perBlock;
        result.threadInstructionBudget = budget;
        return result;
    }

    GpuModel m_gpu;
};

QTEST_GUILESS_MAIN(TestSampling)
#include "tst_sampling.moc"
