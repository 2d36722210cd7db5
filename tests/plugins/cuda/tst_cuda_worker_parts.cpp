// SPDX-License-Identifier: Apache-2.0
// Parts of the CUDA evaluator's worker that need no process.
#include "build_cache.h"
#include "freshness.h"
#include "program_build.h"
#include "telemetry.h"

#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill::cuda;

class TestCudaWorkerParts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void resources();
    void throttleReasons();
    void cache();
    void rememberedInputs();
};

// As nvcc 13.0 printed it for sm_90a.
void TestCudaWorkerParts::resources()
{
    const std::vector<KernelResources> found = resourcesIn(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z5tiledILi16EEvPKfS1_Pfi' for 'sm_90a'
ptxas info    : Function properties for _Z5tiledILi16EEvPKfS1_Pfi
    96 bytes stack frame, 92 bytes spill stores, 100 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 96 bytes cumulative stack size, 2048 bytes smem
ptxas info    : Compile time = 14.161 ms
ptxas info    : Compiling entry function 'plain' for 'sm_90a'
ptxas info    : Function properties for plain
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
)");
    QCOMPARE(found.size(), std::size_t(2));
    QCOMPARE(found[0].kernel, std::string("void tiled<16>"));
    QCOMPARE(found[0].symbol, std::string("_Z5tiledILi16EEvPKfS1_Pfi"));
    QCOMPARE(found[0].registers, 40);
    QCOMPARE(found[0].spillBytes, 192);
    QCOMPARE(found[0].sharedBytes, 2048);
    QCOMPARE(found[1].kernel, std::string("plain"));
    QCOMPARE(found[1].registers, 8);
    QCOMPARE(found[1].sharedBytes, 0);
}

void TestCudaWorkerParts::throttleReasons()
{
    QCOMPARE(Telemetry::reasonNames(0x1 | 0x2).size(), std::size_t(0)); // idle and chosen clocks slow nothing down
    QCOMPARE(Telemetry::reasonNames(0x4 | 0x40), (std::vector<std::string>{"power cap", "hardware thermal"}));
}

void TestCudaWorkerParts::cache()
{
    QTemporaryDir folder;
    const BuildCache cache(folder.path().toStdString());
    std::string error;
    QCOMPARE(cache.find("key"), std::string());
    const std::string work = cache.makeWorkFolder(error);
    QVERIFY(writeFile(work + "/made", "first"));
    const std::string entry = cache.keep(work, "key", error);
    QCOMPARE(cache.find("key"), entry);
    QCOMPARE(readFile(entry + "/made"), std::string("first"));
    QCOMPARE(cache.find("other key"), std::string());
    // Whoever comes second gets the first one's.
    const std::string again = cache.makeWorkFolder(error);
    QVERIFY(writeFile(again + "/made", "second"));
    QCOMPARE(cache.keep(again, "key", error), entry);
    QCOMPARE(readFile(entry + "/made"), std::string("first"));
    QVERIFY(!QFile::exists(QString::fromStdString(again)));
    cache.prune(0);
    QCOMPARE(cache.find("key"), std::string());
}

void TestCudaWorkerParts::rememberedInputs()
{
    const std::vector<bool> first{true, false, true, false, true, false, false, false, false, false, false, false};
    const auto judge = [&](const std::vector<double> &times) { return freshness(times, first); };
    // As long when it comes again, give or take.
    QVERIFY(judge({1.0, 1.1, 1.2, 0.9, 1.1, 1.0, 1.0, 1.1, 1.2, 0.9, 1.0, 1.3}).known);
    QVERIFY(!judge({1.0, 1.1, 1.2, 0.9, 1.1, 1.0, 1.0, 1.1, 1.2, 0.9, 1.0, 1.3}).remembers);
    const Freshness found = judge({2.0, 1.0, 2.2, 0.9, 2.1, 1.0, 1.0, 1.1, 1.2, 0.9, 1.0, 1.3});
    QVERIFY(found.remembers);
    QCOMPARE(found.first, 2.1);
    QCOMPARE(found.again, 1.0);
    // Always a little longer, but by less than counts.
    QVERIFY(!judge({1.04, 1, 1.04, 1, 1.04, 1, 1, 1, 1, 1, 1, 1}).remembers);
    QVERIFY(!freshness({2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, {true, true}).known);
}

QTEST_GUILESS_MAIN(TestCudaWorkerParts)
#include "tst_cuda_worker_parts.moc"
