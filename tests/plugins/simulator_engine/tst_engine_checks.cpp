// SPDX-License-Identifier: Apache-2.0
// Each checker, firing and not firing.
#include "engine_fixture.h"

using namespace kernelskill::simulator;

class EngineChecks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void outOfBoundsNamesTheAllocation();
    void useAfterRelease();
    void misaligned();
    void sharedOutOfBounds();
    void localOutOfBounds();
    void uninitialisedGlobal();
    void uninitialisedShared();
    void variableReadBeforeItIsWanted();
    void sharedBytesAndAtomicsAreKnownAsWritten();
    void sharedRace_data();
    void sharedRace();
    void halvesOfOneWordAreNoRace();
    void lanesStoringDifferentValues();
    void blocksRace_data();
    void blocksRace();
    void lastBlockReductionWithFenceIsNoRace();
    void divergentBarrier();
    void earlyExitIsNoDivergentBarrier();
    void barrierThatNeverOpens();
    void endlessLoop();
    void trapIsFatal();
    void unsupportedInstructionIsNamed();
    void unsupportedButUnreachedIsFine();
    void illegalLaunches();
    void occurrencesAreCounted();
};

void EngineChecks::outOfBoundsNamesTheAllocation() {
    Engine e;
    const auto x = e.upload(std::vector<float>(256), "weights");
    QVERIFY(e.run(kernelText(1, "add.s64 %d1, %a0, %o64;\nld.global.f32 %f1, [%d1+12];"), {2}, {128}, {x}));
    const Finding *f = e.finding("out_of_bounds");
    QVERIFY(f != nullptr);
    QVERIFY(f->fatal);
    QVERIFY(!e.report.completed);
    QCOMPARE(f->block.x, 1u);
    QCOMPARE(f->thread.x, 125u);
    QCOMPARE(f->line, 100);
    QCOMPARE(f->file, std::string("kernel.cu"));
    QCOMPARE(f->address, x + 1024);
    QVERIFY2(f->message.find("0 bytes past the end of weights (1024 bytes), index 256") != std::string::npos, f->message.c_str());
    QVERIFY(e.run(kernelText(1, "add.s64 %d1, %a0, %o64;\nld.global.f32 %f1, [%d1];"), {2}, {128}, {x}));
    QVERIFY(e.report.completed && e.report.findings.empty());
    QVERIFY(e.run(kernelText(1, "ld.global.f32 %f1, [%a0+-4];"), {1}, {1}, {x}));
    QVERIFY2(e.finding("out_of_bounds")->message.find("4 bytes before the start of weights") != std::string::npos, e.finding("out_of_bounds")->message.c_str());
}

void EngineChecks::useAfterRelease() {
    Engine e;
    const auto x = e.upload(std::vector<float>(64), "gone");
    QVERIFY(e.device.release(x).has_value());
    QVERIFY(!e.device.release(x).has_value());
    QVERIFY(e.run(kernelText(1, "ld.global.f32 %f1, [%a0];"), {1}, {1}, {x}));
    QVERIFY2(e.finding("out_of_bounds")->message.find("in gone, which was freed") != std::string::npos, e.finding("out_of_bounds")->message.c_str());
}

void EngineChecks::misaligned() {
    Engine e;
    const auto x = e.upload(std::vector<float>(64));
    QVERIFY(e.run(kernelText(1, "ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%a0+4];"), {1}, {1}, {x}));
    QVERIFY(e.finding("misaligned") != nullptr && e.finding("misaligned")->fatal);
}

void EngineChecks::sharedOutOfBounds() {
    Engine e;
    const std::string module = ".extern .shared .align 16 .b8 s[];";
    const std::string body = "mov.u32 %r1, s;\nshl.b32 %r2, %tid, 2;\nadd.u32 %r1, %r1, %r2;\nst.shared.u32 [%r1], 1;";
    QVERIFY(e.run(kernelText(0, body, module), {1}, {64}, {}, 256));
    QVERIFY(e.report.findings.empty());
    QVERIFY(e.run(kernelText(0, body, module), {1}, {64}, {}, 252));
    QVERIFY(e.finding("out_of_bounds") != nullptr);
    QCOMPARE(e.finding("out_of_bounds")->thread.x, 63u);
}

void EngineChecks::localOutOfBounds() {
    Engine e;
    const std::string body = ".local .align 4 .b8 depot[16];\nmov.u64 %d1, depot;\nst.local.u32 [%d1+12], 1;\nst.local.u32 [%d1+16], 1;";
    QVERIFY(e.run(kernelText(0, body), {1}, {32}, {}));
    QVERIFY(e.finding("out_of_bounds") != nullptr);
    QVERIFY(e.finding("out_of_bounds")->message.find("local memory") != std::string::npos);
}

void EngineChecks::uninitialisedGlobal() {
    Engine e;
    const auto x = *e.device.allocate(256, "y");
    QVERIFY(e.run(kernelText(1, "add.s64 %d1, %a0, %o64;\nld.global.f32 %f1, [%d1];"), {1}, {32}, {x}));
    QVERIFY(e.finding("uninitialised_read") != nullptr);
    QVERIFY(!e.finding("uninitialised_read")->fatal);
    QVERIFY(e.report.completed);
    QVERIFY(e.run(kernelText(1, "add.s64 %d1, %a0, %o64;\nst.global.f32 [%d1], 0f00000000;\nld.global.f32 %f1, [%d1];"), {1}, {32}, {x}));
    QVERIFY(e.report.findings.empty());
    e.device.markUninitialised(x, 4);
    QVERIFY(e.run(kernelText(1, "ld.global.f32 %f1, [%a0];"), {1}, {32}, {x}));
    QVERIFY(e.finding("uninitialised_read") != nullptr);
}

// What a compiler makes of "int v; if (get(v)) use(v);": the read comes first, and selp leaves what it gave.
void EngineChecks::variableReadBeforeItIsWanted() {
    const std::string read = ".local .align 4 .b8 v[4];\nmov.u64 %d1, v;\nsetp.eq.u32 %p1, %tid, 1000;\nld.local.u32 %r1, [%d1];\n";
    const std::string store = "add.s64 %d2, %a0, %o64;\nst.global.u32 [%d2], %r2;";
    Engine e;
    const auto x = e.upload(std::vector<std::uint32_t>(32, 0));
    QVERIFY(e.run(kernelText(1, read + "selp.b32 %r2, %r1, -1, %p1;\n" + store), {1}, {32}, {x}));
    QVERIFY2(e.report.findings.empty(), e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    QCOMPARE(e.download<std::uint32_t>(x, 32), std::vector<std::uint32_t>(32, 0xffff'ffffu));
    // taken by anything else, it is used
    QVERIFY(e.run(kernelText(1, read + "selp.b32 %r2, %r1, -1, %p1;\nadd.u32 %r2, %r2, %r1;\n" + store), {1}, {32}, {x}));
    QVERIFY(e.finding("uninitialised_read") != nullptr);
    QVERIFY(e.run(kernelText(1, read + "mov.u32 %r2, %r1;\n" + store), {1}, {32}, {x}));
    QVERIFY(e.finding("uninitialised_read") != nullptr);
}

void EngineChecks::uninitialisedShared() {
    Engine e;
    const std::string module = ".shared .align 4 .b8 s[128];";
    QVERIFY(e.run(kernelText(0, "ld.shared.u32 %r1, [s+4];", module), {1}, {32}, {}));
    QVERIFY(e.finding("uninitialised_read") != nullptr);
    QVERIFY(e.run(kernelText(0, "st.shared.u32 [s+4], 1;\nld.shared.u32 %r1, [s+4];", module), {2}, {32}, {}));
    QVERIFY(e.report.findings.empty());
}

void EngineChecks::sharedBytesAndAtomicsAreKnownAsWritten() {
    Engine e;
    const std::string module = ".shared .align 4 .b8 s[512];";
    // two warps write the two halves of each word; then words, bytes, atomics and volatile accesses all see them as written
    const std::string halves = "mov.u32 %r1, s;\nand.b32 %r2, %tid, 31;\nshr.u32 %r3, %tid, 5;\nmad.lo.u32 %r4, %r2, 4, %r1;\nmad.lo.u32 %r5, %r3, 2, %r4;\nmov.u16 %h1, 5;\nst.shared.u16 [%r5], %h1;\nbar.sync 0;\n";
    QVERIFY(e.run(kernelText(0, halves + "ld.shared.u32 %r6, [%r4];\nld.shared.u8 %h2, [%r4+3];", module), {3}, {64}, {}));
    QVERIFY2(e.report.findings.empty(), e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    QVERIFY(e.run(kernelText(0, "mov.u32 %r1, s;\nmad.lo.u32 %r2, %tid, 4, %r1;\nst.shared.u32 [%r2], 0;\nbar.sync 0;\natom.shared.add.u32 %r3, [%r2], 1;\nbar.sync 0;\nld.volatile.shared.u32 %r4, [%r2];\n"
                                "st.shared.u8 [%r2], 1;\nbar.sync 0;\nld.shared.u32 %r5, [%r2];", module), {3}, {128}, {}));
    QVERIFY2(e.report.findings.empty(), e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    // only one byte of the word is known
    QVERIFY(e.run(kernelText(0, "mov.u16 %h1, 5;\nst.shared.u8 [s+1], %h1;\nbar.sync 0;\nld.shared.u8 %h2, [s+1];\nld.shared.u16 %h2, [s];", module), {1}, {64}, {}));
    QCOMPARE(e.report.findings.size(), 1u);
    QCOMPARE(e.report.findings[0].kind, std::string("uninitialised_read"));
    QVERIFY(e.run(kernelText(0, "atom.shared.add.u32 %r3, [s], 1;", module), {1}, {64}, {}));
    QVERIFY(e.finding("uninitialised_read") != nullptr);
}

void EngineChecks::sharedRace_data() {
    QTest::addColumn<QString>("between");
    QTest::addColumn<bool>("race");
    QTest::newRow("no barrier") << "" << true;
    QTest::newRow("barrier") << "bar.sync 0;" << false;
}
void EngineChecks::sharedRace() {
    QFETCH(QString, between);
    QFETCH(bool, race);
    Engine e;
    // each thread stores its number and reads that of the thread 32 further on
    const std::string body = "mov.u32 %r1, s;\nmad.lo.u32 %r2, %tid, 4, %r1;\nst.shared.u32 [%r2], %tid;\n" + between.toStdString()
                           + "\nxor.b32 %r3, %tid, 32;\nmad.lo.u32 %r2, %r3, 4, %r1;\nld.shared.u32 %r4, [%r2];";
    QVERIFY(e.run(kernelText(0, body, ".shared .align 4 .b8 s[256];"), {1}, {64}, {}));
    QCOMPARE(e.finding("race") != nullptr, race);
    if (race) QVERIFY2(e.finding("race")->message.find("warp 0 (threads 0-31) has read since the last barrier") != std::string::npos, e.finding("race")->message.c_str());
}

void EngineChecks::halvesOfOneWordAreNoRace() {
    Engine e;
    // warp 0 stores the lower halves of 32 words, warp 1 the upper ones
    const std::string body = "mov.u32 %r1, s;\nand.b32 %r2, %tid, 31;\nshr.u32 %r3, %tid, 5;\nmad.lo.u32 %r4, %r2, 4, %r1;\nmad.lo.u32 %r4, %r3, 2, %r4;\nmov.u16 %h1, 5;\nst.shared.u16 [%r4], %h1;";
    QVERIFY(e.run(kernelText(0, body, ".shared .align 4 .b8 s[128];"), {1}, {64}, {}));
    QVERIFY(e.report.findings.empty());
}

void EngineChecks::lanesStoringDifferentValues() {
    Engine e;
    const auto x = e.upload(std::vector<std::uint32_t>(4));
    QVERIFY(e.run(kernelText(1, "st.global.u32 [%a0], %tid;"), {1}, {32}, {x}));
    QVERIFY(e.finding("race") != nullptr);
    QVERIFY(e.run(kernelText(1, "st.global.u32 [%a0], 3;"), {4}, {64}, {x}));
    QVERIFY(e.report.findings.empty());
}

void EngineChecks::blocksRace_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<bool>("race");
    QTest::newRow("each block its own word") << "mul.wide.u32 %d1, %c, 4;\nadd.s64 %d1, %a0, %d1;\nst.global.u32 [%d1], %c;" << false;
    QTest::newRow("all blocks one word, other values") << "st.global.u32 [%a0], %c;" << true;
    QTest::newRow("all blocks one word, one value") << "st.global.u32 [%a0], 77;" << false;
    QTest::newRow("read of a neighbour's store") << "mul.wide.u32 %d1, %c, 4;\nadd.s64 %d1, %a0, %d1;\nadd.u32 %r1, %c, 7;\nst.global.u32 [%d1+4], %r1;\nld.global.u32 %r2, [%d1];" << true;
    QTest::newRow("store over a neighbour's read") << "mul.wide.u32 %d1, %c, 4;\nadd.s64 %d1, %a0, %d1;\nld.global.u32 %r2, [%d1+4];\nadd.u32 %r1, %c, 7;\nst.global.u32 [%d1], %r1;" << true;
    QTest::newRow("atomics") << "atom.global.add.u32 %r1, [%a0], 1;" << false;
    QTest::newRow("volatile") << "st.volatile.global.u32 [%a0], %c;\nld.volatile.global.u32 %r1, [%a0];" << false;
}
void EngineChecks::blocksRace() {
    QFETCH(QString, body);
    QFETCH(bool, race);
    Engine e;
    const auto x = e.upload(std::vector<std::uint32_t>(64, 1));
    QVERIFY(e.run(kernelText(1, body.toStdString()), {8}, {1}, {x}));
    QCOMPARE(e.finding("race") != nullptr, race);
    QVERIFY(e.report.completed);
}

void EngineChecks::lastBlockReductionWithFenceIsNoRace() {
    Engine e;
    // every block stores a partial sum, fences, counts; the last one to count adds them all up
    const std::string reduction = "atom.global.inc.u32 %r1, [%a1], 7;\nsetp.ne.u32 %p1, %r1, 7;\n@%p1 ret;\n"
                                  "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nL: mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d2, %a0, %d2;\nld.global.u32 %r4, [%d2];\nadd.u32 %r3, %r3, %r4;\n"
                                  "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 8;\n@%p2 bra L;\nst.global.u32 [%a2], %r3;";
    const std::string store = "mul.wide.u32 %d1, %c, 4;\nadd.s64 %d1, %a0, %d1;\nadd.u32 %r5, %c, 1;\nst.global.u32 [%d1], %r5;\n";
    const auto x = e.upload(std::vector<std::uint32_t>(8, 0)), y = e.upload(std::vector<std::uint32_t>(1, 0)), z = e.upload(std::vector<std::uint32_t>(1, 0));
    QVERIFY(e.run(kernelText(3, store + "membar.gl;\n" + reduction), {8}, {1}, {x, y, z}));
    QCOMPARE(e.download<std::uint32_t>(z, 1)[0], 36u);
    QVERIFY(e.report.findings.empty());
    QVERIFY(e.run(kernelText(3, store + reduction), {8}, {1}, {x, y, z}));
    QVERIFY(e.finding("race") != nullptr);
}

void EngineChecks::divergentBarrier() {
    Engine e;
    QVERIFY(e.run(kernelText(0, "setp.lt.u32 %p1, %tid, 16;\n@%p1 bra A;\n.loc 1 101 1\nbar.sync 0;\nbra E;\nA:\n.loc 1 102 1\nbar.sync 0;\nE:"), {1}, {32}, {}));
    QVERIFY(e.finding("divergent_barrier") != nullptr);
}

void EngineChecks::earlyExitIsNoDivergentBarrier() {
    Engine e;
    QVERIFY(e.run(kernelText(0, "setp.ge.u32 %p1, %tid, 40;\n@%p1 ret;\nbar.sync 0;\nbar.sync 0;"), {1}, {96}, {}));
    QVERIFY(e.report.completed && e.report.findings.empty());
}

void EngineChecks::barrierThatNeverOpens() {
    Engine e;
    QVERIFY(e.run(kernelText(0, "bar.sync 1, 128;"), {1}, {64}, {}));
    QVERIFY(e.finding("divergent_barrier") != nullptr && e.finding("divergent_barrier")->fatal);
}

void EngineChecks::endlessLoop() {
    Engine e;
    e.limits.blockInstructionBudget = 10000;
    QVERIFY(e.run(kernelText(0, "L: add.u32 %r1, %r1, 1;\nbra L;"), {1}, {32}, {}));
    QVERIFY(e.finding("endless_loop") != nullptr && e.finding("endless_loop")->fatal);
    QCOMPARE(e.finding("endless_loop")->line, 100);
    QVERIFY(!e.report.completed);
}

void EngineChecks::trapIsFatal() {
    Engine e;
    QVERIFY(e.run(kernelText(0, "setp.eq.u32 %p1, %t, 37;\n@%p1 trap;"), {2}, {32}, {}));
    QVERIFY(e.finding("trap") != nullptr && e.finding("trap")->fatal);
    QCOMPARE(e.finding("trap")->thread.x, 5u);
}

void EngineChecks::unsupportedInstructionIsNamed() {
    Engine e;
    QVERIFY(e.run(kernelText(0, ".loc 1 55 1\ntex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f5}];"), {1}, {32}, {}));
    const Finding *f = e.finding("unsupported_instruction");
    QVERIFY(f != nullptr && f->fatal);
    QCOMPARE(f->line, 55);
    QVERIFY2(f->message.find("tex.1d.v4.f32.f32") != std::string::npos, f->message.c_str());
}

void EngineChecks::unsupportedButUnreachedIsFine() {
    Engine e;
    QVERIFY(e.run(kernelText(0, "bra E;\ntex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f5}];\nE:"), {1}, {32}, {}));
    QVERIFY(e.report.completed && e.report.findings.empty());
}

void EngineChecks::illegalLaunches() {
    Engine e;
    QVERIFY(e.run(kernelText(0, ""), {1}, {1025}, {}));
    QVERIFY(e.finding("illegal_launch") != nullptr && !e.report.completed);
    QVERIFY(e.run(kernelText(0, ""), {0}, {32}, {}));
    QVERIFY(e.finding("illegal_launch") != nullptr);
    QVERIFY(e.run(kernelText(0, ""), {1}, {32}, {}, 228 * 1024));
    QVERIFY(e.finding("illegal_launch") != nullptr);
    QVERIFY(e.run(kernelText(0, ""), {1}, {32}, {}, 227 * 1024));
    QVERIFY(e.report.completed);
    QTest::ignoreMessage(QtWarningMsg, "k takes 1 parameters, 0 were given");
    QVERIFY(!e.run(kernelText(1, ""), {1}, {32}, {}));
}

void EngineChecks::occurrencesAreCounted() {
    Engine e;
    const auto x = *e.device.allocate(4096, "y");
    QVERIFY(e.run(kernelText(1, "add.s64 %d1, %a0, %o64;\nld.global.f32 %f1, [%d1];"), {4}, {64}, {x}));
    QCOMPARE(e.report.findings.size(), 1u);
    QCOMPARE(e.report.findings[0].occurrences, 8u); // one a warp
}

QTEST_APPLESS_MAIN(EngineChecks)
#include "tst_engine_checks.moc"
