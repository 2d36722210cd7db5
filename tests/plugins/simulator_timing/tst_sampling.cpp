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

    void threeEqualWindowsWithTheEnds()
    {
        // 100 blocks a window by the budget, in SM-loads of 8
        const SamplePlan result = plan(request({10000, 1, 1}, 1e6, 3e8), m_gpu);
        QCOMPARE(result.windows.size(), std::size_t(3));
        for (const BlockWindow &window : result.windows)
            QCOMPARE(window.count, std::uint64_t(96));
        QCOMPARE(result.windows[0].first, std::uint64_t(0));
        QCOMPARE(result.windows[1].first, std::uint64_t(4952));
        QCOMPARE(result.windows[2].first, std::uint64_t(9904));
        QCOMPARE(result.blocks, std::uint64_t(288));
        QCOMPARE(result.residentShare, 96.0 / (8 * 132));
    }

    void workThatGrowsWithTheBlockAveragesOut()
    {
        // block b costs b: the sample's mean is the grid's
        const SamplePlan result = plan(request({10000, 1, 1}, 1e6, 3e8), m_gpu);
        double sum = 0;
        for (const BlockWindow &window : result.windows) {
            for (std::uint64_t i = 0; i < window.count; ++i)
                sum += double(window.first + i);
        }
        QCOMPARE(sum / double(result.blocks), 9999 / 2.0);
    }

    void windowsCoverWholeRows()
    {
        const SamplePlan result = plan(request({30, 500, 1}, 1e6, 3e8), m_gpu);
        QCOMPARE(result.windows.size(), std::size_t(3));
        for (const BlockWindow &window : result.windows) {
            QCOMPARE(window.count, std::uint64_t(90));
            QCOMPARE(window.first % 30, std::uint64_t(0));
        }
    }

    void unknownCostIsAssumedFromThreads()
    {
        // 256 threads × 100 = 25600 a block; 3 × 40 blocks
        const SamplePlan result = plan(request({100000, 1, 1}, 0, 25600.0 * 120), m_gpu);
        QCOMPARE(result.blocks, std::uint64_t(120));
    }

    void windowsNeverOverlapAndStayInside()
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
                    std::uint64_t end = 0, sum = 0;
                    for (const BlockWindow &window : result.windows) {
                        QVERIFY(window.first >= end);
                        end = window.first + window.count;
                        sum += window.count;
                    }
                    QCOMPARE(end, total);
                    QCOMPARE(sum, result.blocks);
                    QVERIFY(result.residentShare > 0 && result.residentShare <= 1);
                }
            }
        }
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
        result.occupancy = occupancy(KernelResources{}, 256, m_gpu);
        result.threadInstructionsPerBlock = perBlock;
        result.threadInstructionBudget = budget;
        return result;
    }

    GpuModel m_gpu;
};

QTEST_GUILESS_MAIN(TestSampling)
#include "tst_sampling.moc"
