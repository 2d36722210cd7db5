// SPDX-License-Identifier: Apache-2.0
// mbarriers, bulk and tensor copies, clusters, memory on the stack.
#include "engine_fixture.h"

#include "engine/memory/tensor_map.h"

#include <numeric>

using namespace kernelskill::simulator;

class EngineAsync : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void phasesOfABarrier();
    void producerAndConsumerWarps();
    void barrierIsMisused_data();
    void barrierIsMisused();
    void waitForNobodyEnds();
    void copyOfManyBytes();
    void bulkStoreAndReduction();
    void bulkCopyFaults_data();
    void bulkCopyFaults();
    void asynchronousElementsArrive();
    void tensorTile_data();
    void tensorTile();
    void tensorStoreClips();
    void wrongMaps();
    void clusterNumbers();
    void neighboursSharedMemory();
    void clusterBarrierInTwoHalves();
    void multicast();
    void clusterLaunchesThatCannotBe();
    void stackMemory();
    void stackIsFinite();
    void wideAtomics();
    void eightHalves();
    void ignoredSourceFillsZeros();
};

namespace {

std::vector<std::uint32_t> counting(std::size_t count, std::uint32_t first = 0) {
    std::vector<std::uint32_t> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
}
const char *firstMessage(const Engine &e) { return e.report.findings.empty() ? "" : e.report.findings[0].message.c_str(); }

// A kernel with a tensor map as its first parameter, by value.
std::string tensorKernel(const std::string &body, const std::string &module) {
    return ".version 8.3\n.target sm_90a\n.address_size 64\n.file 1 \"kernel.cu\"\n" + module + "\n.visible .entry k(.param .align 64 .b8 map[128], .param .u64 p0)\n{\n.reg .pred %p<8>;\n.reg .b32 %r<32>, %tid;\n.reg .b64 %d<16>;\n"
           "mov.u32 %tid, %tid.x;\nmov.b64 %d1, map;\nld.param.u64 %d2, [p0];\n.loc 1 100 1\n" + body + "\nret;\n}\n";
}

struct TensorRun {
    Engine e;
    bool run(const std::string &text, const TensorMap &map, std::uint64_t pointer, Dim3 block) {
        if (const auto loaded = e.device.loadModule(text); !loaded) { qWarning("%s", loaded.error().message.c_str()); return false; }
        LaunchRequest request;
        request.kernel = "k";
        request.grid = {1};
        request.block = block;
        std::vector<std::byte> bytes(128);
        std::memcpy(bytes.data(), &map, 128);
        request.arguments = {bytes, argument(pointer)};
        auto result = e.device.launch(request);
        if (!result) { qWarning("%s", result.error().message.c_str()); return false; }
        e.report = std::move(*result);
        return true;
    }
};

} // namespace

void EngineAsync::phasesOfABarrier() {
    Engine e;
    const auto z = e.upload(std::vector<std::uint32_t>(8, 9));
    // two arrivals complete a phase; the token of the first half is over afterwards; the next phase is not
    const std::string body = "mov.u32 %r1, bar;\nmbarrier.init.shared.b64 [%r1], 2;\nmbarrier.arrive.shared.b64 %d2, [%r1];\nmbarrier.test_wait.shared.b64 %p1, [%r1], %d2;\nselp.u32 %r2, 1, 0, %p1;\n"
                             "mbarrier.pending_count.b64 %r3, %d2;\nmbarrier.arrive.shared.b64 %d3, [%r1];\nmbarrier.test_wait.shared.b64 %p1, [%r1], %d2;\nselp.u32 %r4, 1, 0, %p1;\n"
                             "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;\nselp.u32 %r5, 1, 0, %p1;\nmbarrier.test_wait.parity.shared.b64 %p1, [%r1], 1;\nselp.u32 %r6, 1, 0, %p1;\n"
                             "mbarrier.arrive_drop.shared.b64 %d4, [%r1];\nmbarrier.arrive.shared.b64 %d4, [%r1];\nmbarrier.arrive.shared.b64 %d4, [%r1];\nmbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;\nselp.u32 %r7, 1, 0, %p1;\n"
                             "mbarrier.inval.shared.b64 [%r1];\nst.global.v4.u32 [%a0], {%r2, %r3, %r4, %r5};\nst.global.v2.u32 [%a0+16], {%r6, %r7};";
    QVERIFY(e.run(kernelText(1, body, ".shared .align 8 .b8 bar[8];"), {1}, {1}, {z}));
    QVERIFY2(e.report.findings.empty(), firstMessage(e));
    // after the drop one arrival is enough: phases 1 and 2 are over, and 3 has begun: its parity is 1
    QCOMPARE(e.download<std::uint32_t>(z, 6), (std::vector<std::uint32_t>{0, 2, 1, 1, 0, 1}));
}

void EngineAsync::producerAndConsumerWarps() {
    Engine e;
    const auto z = e.upload(std::vector<std::uint32_t>(32, 0));
    // warp 1 fills a tile and arrives; warp 0 waits and reads it, eight times over, with a barrier in each direction
    const std::string body = "mov.u32 %r1, s;\nadd.u32 %r2, %r1, 256;\nadd.u32 %r3, %r1, 264;\nsetp.ne.u32 %p1, %tid, 0;\n@%p1 bra made;\nmbarrier.init.shared.b64 [%r2], 32;\nmbarrier.init.shared.b64 [%r3], 32;\nmade:\nbar.sync 0;\n"
                             "and.b32 %r4, %tid, 31;\nmad.lo.u32 %r5, %r4, 4, %r1;\nmov.u32 %r6, 0;\nmov.u32 %r7, 0;\nmov.u32 %r9, 0;\nsetp.gt.u32 %p2, %tid, 31;\n@%p2 bra produce;\n"
                             "consume:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r2], %r7;\n@!%p3 bra consume;\nld.shared.u32 %r8, [%r5];\nadd.u32 %r9, %r9, %r8;\nmbarrier.arrive.shared.b64 %d3, [%r3];\nxor.b32 %r7, %r7, 1;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p4, %r6, 8;\n@%p4 bra consume;\n"
                             "mul.wide.u32 %d4, %r4, 4;\nadd.s64 %d4, %a0, %d4;\nst.global.u32 [%d4], %r9;\nbra.uni out;\n"
                             "produce:\nxor.b32 %r10, %r7, 1;\nempty:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r3], %r10;\n@!%p3 bra empty;\nadd.u32 %r11, %r4, %r6;\nst.shared.u32 [%r5], %r11;\nmbarrier.arrive.shared.b64 %d3, [%r2];\nxor.b32 %r7, %r7, 1;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p4, %r6, 8;\n@%p4 bra produce;\nout:";
    QVERIFY(e.run(kernelText(1, body, ".shared .align 16 .b8 s[272];"), {1}, {64}, {z}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), firstMessage(e));
    const auto sums = e.download<std::uint32_t>(z, 32);
    for (std::uint32_t lane = 0; lane < 32; ++lane) QCOMPARE(sums[lane], 8 * lane + 28);
}

void EngineAsync::barrierIsMisused_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("message");
    QTest::newRow("not initialised") << "mbarrier.arrive.shared.b64 %d2, [%r1];" << "barrier_misuse" << "was not initialised";
    QTest::newRow("too many arrivals") << "mbarrier.init.shared.b64 [%r1], 1;\nmbarrier.arrive.shared.b64 %d2, [%r1], 2;" << "barrier_misuse" << "more arrivals than its phase expects";
    QTest::newRow("count of nobody") << "mbarrier.init.shared.b64 [%r1], 0;" << "barrier_misuse" << "not between 1 and 1048575";
    QTest::newRow("not aligned") << "mbarrier.init.shared.b64 [%r1+4], 1;" << "misaligned" << "8 bytes";
    QTest::newRow("outside") << "mbarrier.init.shared.b64 [%r1+16], 1;" << "out_of_bounds" << "past its end (16 bytes)";
}
void EngineAsync::barrierIsMisused() {
    QFETCH(QString, body);
    QFETCH(QString, kind);
    QFETCH(QString, message);
    Engine e;
    QVERIFY(e.run(kernelText(0, "mov.u32 %r1, bar;\n" + body.toStdString(), ".shared .align 16 .b8 bar[16];"), {1}, {1}, {}));
    const Finding *finding = e.finding(kind.toStdString());
    QVERIFY2(finding != nullptr && finding->fatal, firstMessage(e));
    QVERIFY2(QString::fromStdString(finding->message).contains(message), finding->message.c_str());
}

void EngineAsync::waitForNobodyEnds() {
    Engine e;
    e.limits.blockInstructionBudget = 100'000;
    QVERIFY(e.run(kernelText(0, "mov.u32 %r1, bar;\nmbarrier.init.shared.b64 [%r1], 1;\nwait:\nmbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;\n@!%p1 bra wait;", ".shared .align 8 .b8 bar[8];"), {1}, {1}, {}));
    QVERIFY(e.finding("endless_loop") != nullptr);
}

void EngineAsync::copyOfManyBytes() {
    Engine e;
    const auto x = e.upload(counting(256, 1000)), z = e.upload(std::vector<std::uint32_t>(256, 0));
    const std::string body = "mov.u32 %r1, s;\nadd.u32 %r2, %r1, 1024;\nsetp.ne.u32 %p1, %tid, 0;\n@%p1 bra wait;\nmbarrier.init.shared.b64 [%r2], 1;\nfence.mbarrier_init.release.cluster;\n"
                             "mbarrier.arrive.expect_tx.shared.b64 %d3, [%r2], 1024;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%a0], 512, [%r2];\n"
                             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r1+512], [%a0+512], 512, [%r2], %d3;\nwait:\nbar.sync 0;\nspin:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;\n@!%p2 bra spin;\n"
                             "shl.b32 %r3, %tid, 2;\nadd.u32 %r4, %r1, %r3;\nld.shared.u32 %r5, [%r4];\nadd.s64 %d4, %a1, %o64;\nst.global.u32 [%d4], %r5;";
    QVERIFY(e.run(kernelText(2, body, ".shared .align 16 .b8 s[1032];"), {1}, {256}, {x, z}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), firstMessage(e));
    QCOMPARE(e.download<std::uint32_t>(z, 256), counting(256, 1000));
    QCOMPARE(e.report.counters.globalLoad.bytes, 1024u);
    QCOMPARE(e.report.counters.globalLoad.sectors, 32u);
    QCOMPARE(e.report.counters.globalLoad.lines, 8u);
}

void EngineAsync::bulkStoreAndReduction() {
    Engine e;
    const auto z = e.upload(std::vector<std::uint32_t>(32, 100)), h = e.upload(std::vector<std::uint32_t>(4, 0x3c00'4000));
    const std::string body = "mov.u32 %r1, s;\nmad.lo.u32 %r2, %tid, 4, %r1;\nst.shared.u32 [%r2], %tid;\nmov.u32 %r3, 0x3c003800;\nst.shared.u32 [%r2+128], %r3;\nfence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.u32 %p1, %tid, 0;\n@%p1 bra out;\n"
                             "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%a0], [%r1], 64;\ncp.async.bulk.global.shared::cta.bulk_group [%a0+64], [%r1], 64;\n"
                             "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%a1], [%r1+128], 16;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\nout:";
    QVERIFY(e.run(kernelText(2, body, ".shared .align 16 .b8 s[256];"), {1}, {32}, {z, h}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), firstMessage(e));
    const auto words = e.download<std::uint32_t>(z, 32);
    for (std::uint32_t i = 0; i < 16; ++i) {
        QCOMPARE(words[i], 100 + i);
        QCOMPARE(words[16 + i], i);
    }
    QCOMPARE(e.download<std::uint32_t>(h, 1)[0], 0x4000'4100u); // 1 + 1 = 2, 2 + 0.5 = 2.5
}

void EngineAsync::bulkCopyFaults_data() {
    QTest::addColumn<QString>("copy");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("message");
    QTest::newRow("size") << "[%r1], [%a0], 24, [%r2]" << "misaligned" << "multiples of 16";
    QTest::newRow("source") << "[%r1], [%a0+8], 16, [%r2]" << "misaligned" << "multiples of 16";
    QTest::newRow("past the end") << "[%r1], [%a0+256], 16, [%r2]" << "out_of_bounds" << "0 bytes past the end of x (256 bytes)";
    QTest::newRow("across the end") << "[%r1], [%a0+240], 32, [%r2]" << "out_of_bounds" << "crosses the end of x (256 bytes)";
    QTest::newRow("shared memory") << "[%r1+512], [%a0], 16, [%r2]" << "out_of_bounds" << "shared memory";
    QTest::newRow("no barrier") << "[%r1], [%a0], 16, [%r1+64]" << "barrier_misuse" << "was not initialised";
}
void EngineAsync::bulkCopyFaults() {
    QFETCH(QString, copy);
    QFETCH(QString, kind);
    QFETCH(QString, message);
    Engine e;
    const auto x = e.upload(counting(64));
    QVERIFY(e.run(kernelText(1, "mov.u32 %r1, s;\nadd.u32 %r2, %r1, 128;\nmbarrier.init.shared.b64 [%r2], 1;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes " + copy.toStdString() + ";", ".shared .align 16 .b8 s[144];"), {1}, {1}, {x}));
    QVERIFY2(e.finding(kind.toStdString()) != nullptr, firstMessage(e));
    QVERIFY2(QString::fromStdString(e.finding(kind.toStdString())->message).contains(message), firstMessage(e));
    QCOMPARE(e.finding(kind.toStdString())->line, 100);
}

void EngineAsync::asynchronousElementsArrive() {
    Engine e;
    const auto x = e.upload(counting(32, 7)), z = e.upload(std::vector<std::uint32_t>(32, 0));
    // cp.async that arrives by itself, then st.async with bytes to expect
    const std::string body = "mov.u32 %r1, s;\nadd.u32 %r2, %r1, 128;\nadd.u32 %r3, %r1, 136;\nsetp.ne.u32 %p1, %tid, 0;\n@%p1 bra made;\nmbarrier.init.shared.b64 [%r2], 32;\nmbarrier.init.shared.b64 [%r3], 1;\nmbarrier.arrive.expect_tx.shared.b64 %d3, [%r3], 128;\nmade:\nbar.sync 0;\n"
                             "mad.lo.u32 %r4, %tid, 4, %r1;\nadd.s64 %d2, %a0, %o64;\ncp.async.ca.shared.global [%r4], [%d2], 4;\ncp.async.mbarrier.arrive.noinc.shared.b64 [%r2];\nw1:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;\n@!%p2 bra w1;\n"
                             "ld.shared.u32 %r5, [%r4];\nadd.u32 %r5, %r5, 1;\nbar.sync 0;\nst.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4], %r5, [%r3];\nw2:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;\n@!%p2 bra w2;\n"
                             "xor.b32 %r6, %r4, 4;\nld.shared.u32 %r7, [%r6];\nadd.s64 %d4, %a1, %o64;\nst.global.u32 [%d4], %r7;";
    QVERIFY(e.run(kernelText(2, body, ".shared .align 128 .b8 s[144];"), {1}, {32}, {x, z}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), firstMessage(e));
    const auto words = e.download<std::uint32_t>(z, 32);
    for (std::uint32_t i = 0; i < 32; ++i) QCOMPARE(words[i], (i ^ 1) + 8);
}

void EngineAsync::tensorTile_data() {
    QTest::addColumn<int>("swizzle");
    QTest::addColumn<int>("column");
    QTest::addColumn<int>("row");
    QTest::addColumn<int>("boxColumns");
    QTest::newRow("inside") << 0 << 4 << 2 << 8;
    QTest::newRow("over the right edge") << 0 << 36 << 0 << 8;
    QTest::newRow("before the start") << 0 << -3 << -2 << 8;
    QTest::newRow("pattern of 128 bytes") << 3 << 4 << 2 << 32;
    QTest::newRow("pattern of 64 bytes") << 2 << 8 << 1 << 16;
    QTest::newRow("pattern of 32 bytes") << 1 << 8 << 1 << 8;
}
void EngineAsync::tensorTile() {
    QFETCH(int, swizzle);
    QFETCH(int, column);
    QFETCH(int, row);
    QFETCH(int, boxColumns);
    // a tensor of 20 rows and 40 columns of floats (as their numbers), a box of 8 rows
    TensorRun t;
    const auto x = t.e.upload(counting(20 * 40)), z = t.e.upload(std::vector<std::uint32_t>(256, 0xdead));
    TensorMap map;
    map.rank = 2;
    map.dataType = TensorMap::DataType::U32;
    map.swizzle = static_cast<TensorMap::Swizzle>(swizzle);
    map.address = x;
    map.strides[0] = 160;
    map.lastIndex[0] = 39;
    map.lastIndex[1] = 19;
    map.box[0] = static_cast<std::uint16_t>(boxColumns);
    map.box[1] = 8;
    const std::string bytes = std::to_string(boxColumns * 32);
    const std::string body = "mov.u32 %r1, s;\nadd.u32 %r2, %r1, 1024;\nsetp.ne.u32 %p1, %tid, 0;\n@%p1 bra wait;\nmbarrier.init.shared.b64 [%r2], 1;\nmbarrier.arrive.expect_tx.shared.b64 %d3, [%r2], " + bytes + ";\nmov.u32 %r5, " + std::to_string(column) + ";\nmov.u32 %r6, " + std::to_string(row)
                           + ";\ncp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%d1, {%r5, %r6}], [%r2];\nwait:\nbar.sync 0;\nspin:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;\n@!%p2 bra spin;\n"
                             "shl.b32 %r3, %tid, 2;\nadd.u32 %r4, %r1, %r3;\nsetp.ge.u32 %p3, %r3, " + bytes + ";\n@%p3 bra out;\nld.shared.u32 %r7, [%r4];\ncvt.u64.u32 %d4, %r3;\nadd.s64 %d4, %d2, %d4;\nst.global.u32 [%d4], %r7;\nout:";
    QVERIFY(t.run(tensorKernel(body, ".shared .align 1024 .b8 s[1032];"), map, z, {256}));
    QVERIFY2(t.e.report.completed && t.e.report.findings.empty(), firstMessage(t.e));
    const auto words = t.e.download<std::uint32_t>(z, 256);
    const int width = boxColumns * 4;
    for (int r = 0; r < 8; ++r)
        for (int c = 0; c < boxColumns; ++c) {
            const int piece = c / 4, flip = swizzle == 3 ? r % 8 : swizzle == 2 ? r / 2 % 4 : swizzle == 1 ? r / 4 % 2 : 0;
            const int at = r * width / 4 + (piece ^ flip) * 4 + c % 4;
            const bool inside = column + c >= 0 && column + c < 40 && row + r >= 0 && row + r < 20;
            QCOMPARE(words[static_cast<std::size_t>(at)], inside ? static_cast<std::uint32_t>((row + r) * 40 + column + c) : 0u);
        }
}

void EngineAsync::tensorStoreClips() {
    TensorRun t;
    const auto x = t.e.upload(std::vector<std::uint32_t>(4 * 8 * 3, 5));
    TensorMap map; // 3 planes of 4 rows of 6 columns in rows of 8
    map.rank = 3;
    map.dataType = TensorMap::DataType::S32;
    map.address = x;
    map.strides[0] = 32;
    map.strides[1] = 128;
    map.lastIndex[0] = 5;
    map.lastIndex[1] = 3;
    map.lastIndex[2] = 2;
    map.box[0] = 4;
    map.box[1] = 2;
    map.box[2] = 2;
    const std::string body = "mov.u32 %r1, s;\nmad.lo.u32 %r2, %tid, 4, %r1;\nadd.u32 %r3, %tid, 100;\nst.shared.u32 [%r2], %r3;\nfence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.u32 %p1, %tid, 0;\n@%p1 bra out;\nmov.u32 %r5, 4;\nmov.u32 %r6, 3;\nmov.u32 %r7, 1;\n"
                             "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%d1, {%r5, %r6, %r7}], [%r1];\nmov.u32 %r5, 0;\nmov.u32 %r6, 0;\nmov.u32 %r7, 0;\ncp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [%d1, {%r5, %r6, %r7}], [%r1];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nout:";
    QVERIFY(t.run(tensorKernel(body, ".shared .align 128 .b8 s[64];"), map, 0, {16}));
    QVERIFY2(t.e.report.completed && t.e.report.findings.empty(), firstMessage(t.e));
    std::vector<std::uint32_t> expected(96, 5);
    const auto at = [](int plane, int row, int column) { return static_cast<std::size_t>(plane * 32 + row * 8 + column); };
    for (int p = 0; p < 2; ++p)
        for (int r = 0; r < 2; ++r)
            for (int c = 0; c < 4; ++c)
                if (3 + r <= 3 && 4 + c <= 5) expected[at(1 + p, 3 + r, 4 + c)] = static_cast<std::uint32_t>(100 + p * 8 + r * 4 + c);
    for (int p = 0; p < 2; ++p)
        for (int r = 0; r < 2; ++r)
            for (int c = 0; c < 4; ++c) expected[at(p, r, c)] += static_cast<std::uint32_t>(100 + p * 8 + r * 4 + c);
    QCOMPARE(t.e.download<std::uint32_t>(x, 96), expected);
}

void EngineAsync::wrongMaps() {
    const std::string body = "mov.u32 %r1, s;\nadd.u32 %r2, %r1, 128;\nmbarrier.init.shared.b64 [%r2], 1;\nmov.u32 %r5, 0;\ncp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1, {%r5}], [%r2];";
    const auto messageFor = [&](const TensorMap &map) {
        TensorRun t;
        if (!t.run(tensorKernel(body, ".shared .align 128 .b8 s[144];"), map, 0, {1})) return QString();
        return QString::fromLatin1(firstMessage(t.e));
    };
    TensorMap map;
    map.lastIndex[0] = 31;
    map.box[0] = 32;
    TensorMap wrong = map;
    wrong.magic = 0;
    QVERIFY(messageFor(wrong).contains(QLatin1String("no tensor map")));
    wrong = map;
    wrong.rank = 3;
    QVERIFY(messageFor(wrong).contains(QLatin1String("with 1 coordinates and a map of 3 dimensions")));
    wrong = map;
    wrong.box[0] = 0;
    QVERIFY(messageFor(wrong).contains(QLatin1String("1 to 256 elements")));
    QVERIFY(messageFor(map).contains(QLatin1String("null pointer")));
}

void EngineAsync::clusterNumbers() {
    Engine e;
    const auto z = e.upload(std::vector<std::uint32_t>(8 * 8, 0));
    std::string body = "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmad.lo.u32 %r3, %r2, 4, %r1;\nmul.wide.u32 %d1, %r3, 32;\nadd.s64 %d1, %a0, %d1;\n";
    int at = 0;
    for (const char *name : {"%clusterid.x", "%clusterid.y", "%nclusterid.x", "%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_nctaid.x", "%cluster_ctarank", "%cluster_nctarank"})
        body += "mov.u32 %r4, " + std::string(name) + ";\nst.global.u32 [%d1+" + std::to_string(4 * at++) + "], %r4;\n";
    std::string text = kernelText(1, body);
    text.replace(text.find(")\n{"), 3, ")\n.reqnctapercluster 2, 2, 1\n{");
    QVERIFY(e.run(text, {4, 2}, {1}, {z}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), firstMessage(e));
    const auto w = e.download<std::uint32_t>(z, 64);
    for (std::uint32_t y = 0; y < 2; ++y)
        for (std::uint32_t x = 0; x < 4; ++x) {
            const std::vector<std::uint32_t> expected{x / 2, 0, 2, x % 2, y, 2, x % 2 + 2 * y, 4};
            QCOMPARE(std::vector<std::uint32_t>(w.begin() + static_cast<std::ptrdiff_t>((y * 4 + x) * 8), w.begin() + static_cast<std::ptrdiff_t>((y * 4 + x) * 8 + 8)), expected);
        }
    QCOMPARE(e.report.counters.blocks, 8u);
}

void EngineAsync::neighboursSharedMemory() {
    Engine e;
    const auto z = e.upload(std::vector<std::uint32_t>(4 * 32, 0)), y = e.upload(std::vector<std::uint32_t>(4, 0));
    // each block of four writes its numbers into its own memory and reads its right neighbour's; atomics go to block 0
    const std::string body = "mov.u32 %r1, s;\nmov.u32 %r2, %cluster_ctarank;\nmad.lo.u32 %r3, %r2, 100, %tid;\nmad.lo.u32 %r4, %tid, 4, %r1;\nst.shared.u32 [%r4], %r3;\nmov.u32 %r5, 0;\nst.shared.u32 [%r1+128], %r5;\n"
                             "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\nadd.u32 %r6, %r2, 1;\nand.b32 %r6, %r6, 3;\nmapa.shared::cluster.u32 %r7, %r4, %r6;\nld.shared::cluster.u32 %r8, [%r7];\n"
                             "cvt.u64.u32 %d1, %r4;\ncvta.shared.u64 %d1, %d1;\nmapa.u64 %d2, %d1, %r6;\nld.u32 %r9, [%d2];\nadd.u32 %r8, %r8, %r9;\ngetctarank.u64 %r10, %d2;\nadd.u32 %r8, %r8, %r10;\n"
                             "mapa.shared::cluster.u32 %r11, %r1, 0;\nred.shared::cluster.add.u32 [%r11+128], 1;\nadd.s64 %d3, %a0, %o64;\nst.global.u32 [%d3], %r8;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                             "setp.ne.u32 %p1, %tid, 0;\n@%p1 bra out;\nld.shared.u32 %r12, [%r1+128];\nmul.wide.u32 %d4, %r2, 4;\nadd.s64 %d4, %a1, %d4;\nst.global.u32 [%d4], %r12;\nout:";
    std::string text = kernelText(2, body, ".shared .align 16 .b8 s[144];");
    text.replace(text.find(")\n{"), 3, ")\n.reqnctapercluster 4\n{");
    QVERIFY(e.run(text, {4}, {32}, {z, y}));
    QVERIFY2(e.report.completed, firstMessage(e));
    const auto w = e.download<std::uint32_t>(z, 128);
    for (std::uint32_t block = 0; block < 4; ++block)
        for (std::uint32_t lane = 0; lane < 32; ++lane) QCOMPARE(w[block * 32 + lane], 2 * ((block + 1) % 4 * 100 + lane) + (block + 1) % 4);
    QCOMPARE(e.download<std::uint32_t>(y, 4), (std::vector<std::uint32_t>{128, 0, 0, 0}));
    // beyond the cluster
    std::string beyond = kernelText(0, "mov.u32 %r1, s;\nmapa.shared::cluster.u32 %r2, %r1, 2;", ".shared .align 16 .b8 s[16];");
    beyond.replace(beyond.find(")\n{"), 3, ")\n.reqnctapercluster 2\n{");
    QVERIFY(e.run(beyond, {2}, {1}, {}));
    QVERIFY2(e.finding("out_of_bounds") != nullptr, firstMessage(e));
}

void EngineAsync::clusterBarrierInTwoHalves() {
    Engine e;
    const auto z = e.upload(std::vector<std::uint32_t>(2, 0));
    // block 1 arrives early and works on; block 0 needs it only at the second phase. Warp 1 of block 1 has left before.
    const std::string body = "mov.u32 %r1, %cluster_ctarank;\nsetp.eq.u32 %p1, %r1, 1;\nsetp.gt.u32 %p2, %tid, 31;\nand.pred %p3, %p1, %p2;\n@%p3 exit;\nbarrier.cluster.arrive;\nmov.u32 %r2, 1;\nbarrier.cluster.wait;\nbarrier.cluster.arrive.relaxed;\nadd.u32 %r2, %r2, %r1;\nbarrier.cluster.wait;\n"
                             "setp.ne.u32 %p4, %tid, 0;\n@%p4 bra out;\nmul.wide.u32 %d1, %r1, 4;\nadd.s64 %d1, %a0, %d1;\nst.global.u32 [%d1], %r2;\nout:";
    std::string text = kernelText(1, body);
    LaunchRequest request;
    QVERIFY(e.device.loadModule(text).has_value());
    request.kernel = "k";
    request.grid = {2};
    request.block = {64};
    request.cluster = {2, 1, 1};
    request.arguments = {argument(z)};
    const auto report = e.device.launch(request);
    QVERIFY(report && report->completed);
    QVERIFY(report->findings.empty());
    QCOMPARE(e.download<std::uint32_t>(z, 2), (std::vector<std::uint32_t>{1, 2}));
    // the same kernel without a cluster: each block is one of its own
    QVERIFY(e.run(text, {2}, {64}, {z}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), firstMessage(e));
}

void EngineAsync::multicast() {
    Engine e;
    const auto x = e.upload(counting(32, 50)), z = e.upload(std::vector<std::uint32_t>(64, 0));
    const std::string body = "mov.u32 %r1, s;\nadd.u32 %r2, %r1, 128;\nsetp.ne.u32 %p1, %tid, 0;\n@%p1 bra made;\nmbarrier.init.shared.b64 [%r2], 1;\nmbarrier.arrive.expect_tx.shared.b64 %d3, [%r2], 128;\nmade:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                             "mov.u32 %r3, %cluster_ctarank;\nor.b32 %r4, %r3, %tid;\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra spin;\nmov.u16 %h1, 3;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%a0], 128, [%r2], %h1;\n"
                             "spin:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r2], 0;\n@!%p3 bra spin;\nmad.lo.u32 %r5, %tid, 4, %r1;\nld.shared.u32 %r6, [%r5];\nadd.s64 %d4, %a1, %o64;\nst.global.u32 [%d4], %r6;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;";
    std::string text = kernelText(2, body, ".shared .align 128 .b8 s[136];");
    text.replace(text.find(")\n{"), 3, ")\n.reqnctapercluster 2\n{");
    QVERIFY(e.run(text, {2}, {32}, {x, z}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), firstMessage(e));
    const auto w = e.download<std::uint32_t>(z, 64);
    for (std::uint32_t i = 0; i < 64; ++i) QCOMPARE(w[i], 50 + i % 32);
}

void EngineAsync::clusterLaunchesThatCannotBe() {
    Engine e;
    std::string text = kernelText(0, "");
    text.replace(text.find(")\n{"), 3, ")\n.reqnctapercluster 2\n{");
    QVERIFY(e.run(text, {3}, {32}, {}));
    QVERIFY2(e.finding("illegal_launch") != nullptr && e.finding("illegal_launch")->message.find("not made of whole clusters") != std::string::npos, firstMessage(e));
    text = kernelText(0, "");
    QVERIFY(e.device.loadModule(text).has_value());
    LaunchRequest request;
    request.kernel = "k";
    request.grid = {34};
    request.block = {32};
    request.cluster = {17, 1, 1};
    const auto report = e.device.launch(request);
    QVERIFY(report && !report->completed && report->findings.at(0).message.find("a cluster of 17 blocks") != std::string::npos);
}

void EngineAsync::stackMemory() {
    Engine e;
    const auto z = e.upload(std::vector<std::uint32_t>(32, 0));
    // each lane takes 4 · (lane + 1) bytes, twice, gives the second back, and finds the first unharmed
    const std::string body = "add.u32 %r1, %tid, 1;\nmul.wide.u32 %d1, %r1, 4;\nstacksave.u64 %d5;\nalloca.u64 %d2, %d1, 16;\nst.local.u32 [%d2], %tid;\nstacksave.u64 %d3;\nalloca.u64 %d4, %d1;\nmov.u32 %r2, 77;\nst.local.u32 [%d4], %r2;\nstackrestore.u64 %d3;\n"
                             "alloca.u64 %d6, 8;\nst.local.u32 [%d6], %r2;\nld.local.u32 %r3, [%d2];\ncvta.local.u64 %d7, %d6;\nld.u32 %r4, [%d7];\nadd.u32 %r3, %r3, %r4;\nadd.s64 %d8, %a0, %o64;\nst.global.u32 [%d8], %r3;";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {z}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), firstMessage(e));
    const auto w = e.download<std::uint32_t>(z, 32);
    for (std::uint32_t i = 0; i < 32; ++i) QCOMPARE(w[i], i + 77);
}

void EngineAsync::stackIsFinite() {
    Engine e;
    QVERIFY(e.run(kernelText(0, "alloca.u64 %d1, 100000, 16;"), {1}, {1}, {}));
    QVERIFY2(e.finding("out_of_bounds") != nullptr && e.finding("out_of_bounds")->message.find("alloca of 100000 bytes") != std::string::npos, firstMessage(e));
    // a function without a frame that never stops calling itself
    const std::string forever = ".func f() {\ncall.uni f;\nret;\n}";
    QVERIFY(e.run(kernelText(0, "call.uni f;", forever), {1}, {1}, {}));
    QVERIFY2(e.finding("out_of_bounds") != nullptr && e.finding("out_of_bounds")->message.find("stack") != std::string::npos, firstMessage(e));
}

void EngineAsync::wideAtomics() {
    Engine e;
    const auto x = e.upload(std::vector<std::uint64_t>{1, 2, 0, 0, 0, 0, 0, 0});
    const std::string body = ".reg .b128 %q<6>;\nmov.u64 %d1, 1;\nmov.u64 %d2, 2;\nmov.u64 %d3, 30;\nmov.u64 %d4, 40;\nmov.b128 %q1, {%d1, %d2};\nmov.b128 %q2, {%d3, %d4};\natom.global.cas.b128 %q3, [%a0], %q1, %q2;\nst.global.b128 [%a0+16], %q3;\n"
                             "atom.global.cas.b128 %q3, [%a0], %q1, %q1;\nst.global.b128 [%a0+32], %q3;\natom.global.exch.b128 %q4, [%a0], %q1;\nld.global.b128 %q5, [%a0];\nmov.b128 {%d5, %d6}, %q5;\nadd.u64 %d5, %d5, 100;\nst.global.v2.u64 [%a0+48], {%d5, %d6};";
    QVERIFY(e.run(kernelText(1, body), {1}, {1}, {x}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), firstMessage(e));
    QCOMPARE(e.download<std::uint64_t>(x, 8), (std::vector<std::uint64_t>{1, 2, 1, 2, 30, 40, 101, 2}));
}

void EngineAsync::eightHalves() {
    Engine e;
    const auto x = e.upload(std::vector<std::uint32_t>{0x3c00'3c00, 0x3c00'3c00, 0x3c00'3c00, 0x3c00'3c00}), y = e.upload(std::vector<float>{1, 2, 3, 4});
    const std::string body = "mov.u16 %h1, 0x3c00;\nmov.u16 %h2, 0x4000;\nred.global.add.noftz.v8.f16 [%a0], {%h1, %h2, %h1, %h2, %h1, %h2, %h1, %h2};\nmov.f32 %f1, 0f3F800000;\natom.global.add.v4.f32 {%f2, %f3, %f4, %f5}, [%a1], {%f1, %f1, %f1, %f1};\nred.global.add.v2.f32 [%a1], {%f2, %f5};";
    QVERIFY(e.run(kernelText(2, body), {1}, {1}, {x, y}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), firstMessage(e));
    QCOMPARE(e.download<std::uint32_t>(x, 4), std::vector<std::uint32_t>(4, 0x4200'4000));
    QCOMPARE(e.download<float>(y, 4), (std::vector<float>{3, 7, 4, 5}));
}

void EngineAsync::ignoredSourceFillsZeros() {
    Engine e;
    const auto x = e.upload(counting(32, 1)), z = e.upload(std::vector<std::uint32_t>(32, 0));
    const std::string body = "mov.u32 %r1, s;\nmad.lo.u32 %r2, %tid, 4, %r1;\nadd.s64 %d1, %a0, %o64;\nsetp.gt.u32 %p1, %tid, 15;\ncp.async.ca.shared.global [%r2], [%d1], 4, %p1;\ncp.async.wait_all;\nld.shared.u32 %r3, [%r2];\nadd.s64 %d2, %a1, %o64;\nst.global.u32 [%d2], %r3;";
    QVERIFY(e.run(kernelText(2, body, ".shared .align 16 .b8 s[128];"), {1}, {32}, {x, z}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), firstMessage(e));
    const auto w = e.download<std::uint32_t>(z, 32);
    for (std::uint32_t i = 0; i < 32; ++i) QCOMPARE(w[i], i < 16 ? i + 1 : 0u);
}

QTEST_APPLESS_MAIN(EngineAsync)
#include "tst_engine_async.moc"
