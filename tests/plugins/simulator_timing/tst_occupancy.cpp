// SPDX-License-Identifier: Apache-2.0
#include "timing/occupancy.h"

#include <QTest>

using namespace kernelskill::simulator;

class TestOccupancy : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto gpu = GpuModel::read(SOURCE_DIR "/resources/gpus/h200.json");
        QVERIFY(gpu);
        m_gpu = *gpu;
    }

    // Expected values worked out by the vendor's occupancy rules for compute capability 9.0.
    void limits_data()
    {
        QTest::addColumn<int>("registers");
        QTest::addColumn<int>("shared");
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("byRegisters");
        QTest::addColumn<int>("byShared");
        QTest::addColumn<int>("byWarps");
        QTest::addColumn<int>("resident");
        QTest::addColumn<QString>("limiter");
        QTest::newRow("full SM") << 32 << 0 << 256 << 8 << 228 << 8 << 8 << "warps";
        QTest::newRow("registers") << 128 << 0 << 256 << 2 << 228 << 8 << 2 << "registers";
        QTest::newRow("register unit") << 33 << 0 << 256 << 6 << 228 << 8 << 6 << "registers";
        QTest::newRow("register files") << 168 << 0 << 384 << 1 << 228 << 5 << 1 << "registers";
        QTest::newRow("255 registers") << 255 << 0 << 256 << 1 << 228 << 8 << 1 << "registers";
        QTest::newRow("shared") << 32 << 100 * 1024 << 256 << 8 << 2 << 8 << 2 << "shared memory";
        QTest::newRow("reserved kibibyte") << 32 << 57 * 1024 << 256 << 8 << 3 << 8 << 3 << "shared memory";
        QTest::newRow("most shared") << 32 << 227 * 1024 << 256 << 8 << 1 << 8 << 1 << "shared memory";
        QTest::newRow("small blocks") << 32 << 0 << 32 << 64 << 228 << 64 << 32 << "blocks";
        QTest::newRow("warps") << 32 << 0 << 768 << 2 << 228 << 2 << 2 << "registers";
        QTest::newRow("ragged warp") << 16 << 0 << 33 << 64 << 228 << 32 << 32 << "warps";
        QTest::newRow("too many registers") << 128 << 0 << 1024 << 0 << 228 << 2 << 0 << "launch";
        QTest::newRow("too much shared") << 32 << 228 * 1024 << 256 << 8 << 0 << 8 << 0 << "launch";
    }

    void limits()
    {
        QFETCH(int, registers);
        QFETCH(int, shared);
        QFETCH(int, threads);
        KernelResources resources;
        resources.registersPerThread = registers;
        resources.dynamicSharedBytes = shared;
        const Occupancy result = occupancy(resources, std::uint64_t(threads), m_gpu);
        QTEST(result.registerBlocks, "byRegisters");
        if (shared > 0) QTEST(result.sharedBlocks, "byShared");
        QTEST(result.warpBlocks, "byWarps");
        QTEST(result.residentBlocks, "resident");
        QFETCH(QString, limiter);
        QCOMPARE(QString::fromStdString(std::string(name(result.limiter))), limiter);
        QCOMPARE(result.blockBlocks, 32);
        QCOMPARE(result.theoretical, result.residentBlocks * result.warpsPerBlock / 64.0);
    }

    void staticAndDynamicSharedMemoryAdd()
    {
        KernelResources resources;
        resources.staticSharedBytes = 1000;
        resources.dynamicSharedBytes = 100;
        // 1100 + 1024 = 2124, in units of 128
        QCOMPARE(occupancy(resources, 128, m_gpu).sharedBytesPerBlock, 2176);
    }

private:
    GpuModel m_gpu;
};

QTEST_GUILESS_MAIN(TestOccupancy)
#include "tst_occupancy.moc"
