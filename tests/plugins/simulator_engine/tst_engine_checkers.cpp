// SPDX-License-Identifier: Apache-2.0
// The fixtures of checkers/: each checker fires on `bad`, naming everything, and nothing fires on its twin `good`.
#include "engine_fixture.h"

#include <QDir>
#include <QFile>

using namespace kernelskill::simulator;

class EngineCheckers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyFixtureIsTested();
    void fixture_data();
    void fixture();
    void readsByManyWarpsAreOrderedByTheBarrier();
    void blocksThatReadAnElementAndOneThatStores();
    void fenceReleasesWhatTheBarrierHasGathered();
    void privateWordsNeedNoSynchronisation();
    void registersBeyondTheMultiprocessor();
    void liveAllocationsAreListed();
};

namespace {
struct Expectation {
    const char *file, *kind, *message;
    int line;
    std::uint32_t block, thread;
    bool fatal;
};
// Two blocks of 64 threads; `data` has 1024 bytes, the first 512 of which the host has written.
const Expectation expectations[] = {
    {"out_of_bounds_global", "out_of_bounds", "0 bytes past the end of data (1024 bytes), index 256", 20, 0, 63, true},
    {"out_of_bounds_shared", "out_of_bounds", "4-byte write of shared memory at offset 512 is 0 bytes past its end (512 bytes)", 20, 0, 63, true},
    {"out_of_bounds_local", "out_of_bounds", "4-byte write of local memory at offset 16 is 0 bytes past its end (16 bytes)", 20, 0, 0, true},
    {"out_of_bounds_constant", "out_of_bounds", "0 bytes past the end of coefficients (16 bytes), index 4", 20, 0, 4, true},
    {"misaligned", "misaligned", "8-byte read of address", 20, 0, 1, true},
    {"uninitialised_global", "uninitialised_read", "in data, which nothing has written, index 128", 20, 0, 0, false},
    {"uninitialised_shared", "uninitialised_read", "4-byte read of shared memory at offset 0 of 512 bytes, which no thread of the block has written", 20, 0, 0, false},
    {"uninitialised_local", "uninitialised_read", "4-byte read of local memory (a variable or array of the thread) at offset 8 of 16 bytes", 20, 0, 0, false},
    {"race_shared", "race", "write of shared memory at offset 128 by warp 1, which warp 0 (threads 0-31) has read since the last barrier", 20, 0, 32, false},
    {"race_global_blocks", "race", "in data (1024 bytes, byte 4), which block (0, 0, 0) writes in the same launch", 20, 1, 0, false},
    {"race_global_warps", "race", "in data (1024 bytes, byte 128) by warp 1, which warp 0 (threads 0-31) of the same block has read since the last barrier", 20, 0, 32, false},
    {"divergent_barrier", "divergent_barrier", "some at line 23, others at line 21", 21, 0, 32, false},
    {"missing_syncwarp", "missing_syncwarp", "4-byte read of shared memory at offset 4 of 512 bytes: thread (1, 0, 0) of the same warp stored it at line 20", 22, 0, 0, false},
    {"warp_synchronous", "warp_synchronous", "volatile relies on lanes running in step", 22, 0, 0, false},
    {"illegal_launch", "illegal_launch", "a block of 64 threads is larger than the 32 the kernel was compiled for", 0, 0, 0, true},
};

LaunchReport launchOf(Device &device, const char *kernel, std::uint64_t data, Dim3 grid = {2}, Dim3 block = {64}) {
    LaunchRequest request;
    request.kernel = kernel;
    request.grid = grid;
    request.block = block;
    request.arguments = {argument(data)};
    auto report = device.launch(request);
    return report ? std::move(*report) : LaunchReport{};
}
} // namespace

void EngineCheckers::everyFixtureIsTested() {
    QStringList files = QDir(QFINDTESTDATA("checkers")).entryList({QStringLiteral("*.ptx")}, QDir::Files, QDir::Name), tested;
    for (const auto &e : expectations) tested << QString::fromLatin1(e.file) + QStringLiteral(".ptx");
    tested.sort();
    QCOMPARE(files, tested);
}

void EngineCheckers::fixture_data() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(std::size(expectations)); ++i) QTest::newRow(expectations[i].file) << i;
}
void EngineCheckers::fixture() {
    QFETCH(int, index);
    const Expectation &expected = expectations[index];
    QFile file(QFINDTESTDATA("checkers") + QLatin1Char('/') + QString::fromLatin1(expected.file) + QStringLiteral(".ptx"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    for (const bool bad : {true, false}) {
        Engine e;
        const auto loaded = e.device.loadModule(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
        QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().message.c_str());
        const auto data = *e.device.allocate(1024, "data");
        QVERIFY(e.device.fill(data, std::byte{0}, std::string_view(expected.file) == "uninitialised_global" ? 512 : 1024).has_value());
        const LaunchReport report = launchOf(e.device, bad ? "bad" : "good", data);
        if (!bad) {
            QVERIFY2(report.completed && report.findings.empty(), report.findings.empty() ? "" : report.findings[0].message.c_str());
            continue;
        }
        QVERIFY(!report.findings.empty());
        const Finding &finding = report.findings.front();
        QCOMPARE(QString::fromStdString(finding.kind), QString::fromLatin1(expected.kind));
        QVERIFY2(QString::fromStdString(finding.message).contains(QLatin1String(expected.message)), finding.message.c_str());
        QCOMPARE(finding.kernel, std::string("bad"));
        QCOMPARE(finding.line, expected.line);
        if (expected.line != 0) QCOMPARE(finding.file, std::string("fixture.cu"));
        QCOMPARE(finding.block.x, expected.block);
        QCOMPARE(finding.thread.x, expected.thread);
        QCOMPARE(finding.fatal, expected.fatal);
    }
}

void EngineCheckers::readsByManyWarpsAreOrderedByTheBarrier() {
    // all warps read one word that the block itself has stored before, and after a barrier one of them stores it again
    const std::string body = "setp.ne.u32 %p1, %tid, 0;\nmul.wide.u32 %d2, %c, 4;\nadd.s64 %d2, %a0, %d2;\n@!%p1 st.global.u32 [%d2], 5;\nbar.sync 0;\nld.global.u32 %r1, [%d2];\n";
    for (const bool barrier : {true, false}) {
        Engine e;
        const auto x = e.upload(std::vector<std::uint32_t>(8, 1));
        QVERIFY(e.run(kernelText(1, body + (barrier ? "bar.sync 0;\n" : "") + "@!%p1 st.global.u32 [%d2], 6;"), {4}, {128}, {x}));
        QCOMPARE(e.finding("race") == nullptr, barrier);
    }
    // the last warp stores, so that all others have read before
    Engine e;
    const auto x = e.upload(std::vector<std::uint32_t>(8, 1));
    QVERIFY(e.run(kernelText(1, body + "setp.eq.u32 %p2, %tid, 96;\n@%p2 st.global.u32 [%d2], 7;"), {1}, {128}, {x}));
    QVERIFY(e.finding("race") != nullptr);
    QVERIFY2(e.finding("race")->message.find("several warps of the same block has read") != std::string::npos || e.finding("race")->message.find("several warps of the same block") != std::string::npos, e.finding("race")->message.c_str());
}

void EngineCheckers::blocksThatReadAnElementAndOneThatStores() {
    Engine e;
    const auto x = e.upload(std::vector<std::uint32_t>(64, 1));
    // every block reads word 0 after it has stored its own; the last one stores word 0
    QVERIFY(e.run(kernelText(1, "mul.wide.u32 %d1, %c, 4;\nadd.s64 %d1, %a0, %d1;\nst.global.u32 [%d1+4], %c;\nbar.sync 0;\nld.global.u32 %r1, [%a0];\nbar.sync 0;\nsetp.eq.u32 %p1, %c, 5;\n@%p1 st.global.u32 [%a0], 9;"), {6}, {64}, {x}));
    QVERIFY(e.finding("race") != nullptr);
    QVERIFY2(e.finding("race")->message.find("several other blocks") != std::string::npos, e.finding("race")->message.c_str());
}

void EngineCheckers::fenceReleasesWhatTheBarrierHasGathered() {
    // all threads of a block store, a barrier gathers them, thread 0 fences and counts; the last block adds everything up
    const std::string store = "add.s64 %d1, %a0, %o64;\nst.global.u32 [%d1], 1;\nbar.sync 0;\nsetp.ne.u32 %p1, %tid, 0;\n@%p1 exit;\n";
    const std::string add = "atom.global.inc.u32 %r1, [%a1], 3;\nsetp.ne.u32 %p1, %r1, 3;\n@%p1 exit;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\nL: mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d2, %a0, %d2;\nld.global.u32 %r4, [%d2];\nadd.u32 %r3, %r3, %r4;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 256;\n@%p2 bra L;\nst.global.u32 [%a2], %r3;";
    for (const bool fence : {true, false}) {
        Engine e;
        const auto x = e.upload(std::vector<std::uint32_t>(256, 0)), y = e.upload(std::vector<std::uint32_t>(1, 0)), z = e.upload(std::vector<std::uint32_t>(1, 0));
        QVERIFY(e.run(kernelText(3, store + (fence ? "membar.gl;\n" : "") + add), {4}, {64}, {x, y, z}));
        QCOMPARE(e.download<std::uint32_t>(z, 1)[0], 256u);
        QCOMPARE(e.finding("race") == nullptr, fence);
    }
}

void EngineCheckers::privateWordsNeedNoSynchronisation() {
    Engine e;
    // each lane keeps four words of its own, side by side or strided, and reads them back in another order
    const std::string module = ".shared .align 16 .b8 s[1024];";
    QVERIFY(e.run(kernelText(0, "mov.u32 %r1, s;\nmad.lo.u32 %r2, %tid, 16, %r1;\nst.shared.u32 [%r2], 1;\nst.shared.u32 [%r2+4], 2;\nst.shared.v2.u32 [%r2+8], {%r2, %r2};\nld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];\nld.shared.u8 %h1, [%r2+9];", module), {1}, {32}, {}));
    QVERIFY2(e.report.findings.empty(), e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    QVERIFY(e.run(kernelText(0, "mov.u32 %r1, s;\nmad.lo.u32 %r2, %tid, 4, %r1;\nst.shared.u32 [%r2], 1;\nst.shared.u32 [%r2+128], 2;\nst.shared.u32 [%r2+256], 2;\nst.shared.u32 [%r2+384], 2;\nst.shared.u32 [%r2+512], 2;\nld.shared.u32 %r3, [%r2+256];\nld.shared.u32 %r4, [%r2];", module), {1}, {32}, {}));
    QVERIFY2(e.report.findings.empty(), e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    // acquire and release know what they do
    QVERIFY(e.run(kernelText(0, "mov.u32 %r1, s;\nmad.lo.u32 %r2, %tid, 4, %r1;\nst.release.cta.shared.u32 [%r2], 1;\nxor.b32 %r3, %r2, 4;\nld.acquire.cta.shared.u32 %r4, [%r3];", module), {1}, {32}, {}));
    QVERIFY2(e.report.findings.empty(), e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
}

void EngineCheckers::registersBeyondTheMultiprocessor() {
    Engine e;
    // a hundred values live at once: 104 registers or more, which 1024 threads cannot have
    std::string body = ".reg .b32 %w<100>;\n";
    for (int i = 0; i < 100; ++i) body += "ld.global.u32 %w" + std::to_string(i) + ", [%a0+" + std::to_string(4 * i) + "];\n";
    body += "mov.u32 %r1, 0;\n";
    for (int i = 0; i < 100; ++i) body += "xor.b32 %r1, %r1, %w" + std::to_string(i) + ";\n";
    body += "st.global.u32 [%a0], %r1;";
    const auto x = e.upload(std::vector<std::uint32_t>(128, 0));
    QVERIFY(e.run(kernelText(1, body), {1}, {1024}, {x}));
    QVERIFY(!e.report.completed);
    QVERIFY2(e.finding("illegal_launch") != nullptr && e.finding("illegal_launch")->fatal && e.finding("illegal_launch")->message.find("too many resources: a block of 1024 threads with ") == 0, e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    QVERIFY(e.run(kernelText(1, body), {1}, {256}, {x}));
    QVERIFY(e.report.completed);
}

void EngineCheckers::liveAllocationsAreListed() {
    Device device;
    QVERIFY(device.loadModule(".version 8.3\n.target sm_80\n.address_size 64\n.global .align 4 .b8 table[64];\n").has_value());
    const auto a = *device.allocate(100, "a", "main.cu:12"), b = *device.allocate(200, "b", "main.cu:13");
    QCOMPARE(device.liveAllocations().size(), 2u);
    QVERIFY(device.release(a).has_value());
    const auto live = device.liveAllocations();
    QCOMPARE(live.size(), 1u);
    QCOMPARE(live[0].address, b);
    QCOMPARE(live[0].bytes, std::size_t{200});
    QCOMPARE(live[0].name, std::string("b"));
    QCOMPARE(live[0].origin, std::string("main.cu:13"));
}

QTEST_APPLESS_MAIN(EngineCheckers)
#include "tst_engine_checkers.moc"
