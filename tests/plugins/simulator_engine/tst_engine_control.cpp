// SPDX-License-Identifier: Apache-2.0
// Divergence, calls, locks and what crosses lanes, warps and blocks.
#include "engine_fixture.h"

using namespace kernelskill::simulator;

class EngineControl : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void divergentLoop();
    void nestedDivergenceMeetsAgain();
    void spinLockInsideAWarp();
    void flagBetweenBlocks();
    void gridWideBarrier();
    void recursiveFunction();
    void indirectCall();
    void pointersFromElsewhere();
    void shuffles();
    void shuffleJoinsDivergedLanes();
    void votesAndMatches();
    void barrierReductions();
    void namedBarriers();
    void printfText();
    void printfFormats();
    void heapOfKernels();
    void asynchronousCopies();
    void barriersJoinTheClocks();
};

namespace { std::vector<std::uint32_t> zeros(std::size_t n) { return std::vector<std::uint32_t>(n, 0); } }

void EngineControl::divergentLoop() {
    Engine e;
    const auto x = e.upload(zeros(64));
    // sum of 0..tid, but lanes divisible by 5 leave early at 3
    const std::string body = "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nrem.u32 %r3, %tid, 5;\nL: add.u32 %r1, %r1, %r2;\nsetp.eq.u32 %p1, %r3, 0;\nsetp.eq.and.u32 %p2, %r2, 3, %p1;\n@%p2 bra E;\n"
                             "add.u32 %r2, %r2, 1;\nsetp.le.u32 %p3, %r2, %tid;\n@%p3 bra L;\nE: add.s64 %d1, %a0, %o64;\nst.global.u32 [%d1], %r1;";
    QVERIFY(e.run(kernelText(1, body), {1}, {64}, {x}));
    const auto v = e.download<std::uint32_t>(x, 64);
    for (std::uint32_t t = 0; t < 64; ++t) QCOMPARE(v[t], t % 5 == 0 && t >= 3 ? 6u : t * (t + 1) / 2);
    QCOMPARE(e.report.counters.globalStore.requests, 2u); // all lanes of a warp store together
}

void EngineControl::nestedDivergenceMeetsAgain() {
    Engine e;
    const auto x = e.upload(zeros(32));
    const std::string body = "and.b32 %r1, %tid, 1;\nand.b32 %r2, %tid, 2;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r2, 0;\nmov.u32 %r3, 0;\n@%p1 bra A;\n@%p2 bra B;\nmov.u32 %r3, 3;\nbra C;\nB: mov.u32 %r3, 1;\n"
                             "C: add.u32 %r3, %r3, 100;\nbra E;\nA: @%p2 bra D;\nmov.u32 %r3, 2;\nbra E;\nD: mov.u32 %r3, 4;\nE: activemask.b32 %r4;\nadd.s64 %d1, %a0, %o64;\nxor.b32 %r4, %r4, -1;\nadd.u32 %r3, %r3, %r4;\nst.global.u32 [%d1], %r3;";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    const auto v = e.download<std::uint32_t>(x, 32);
    QCOMPARE((std::vector<std::uint32_t>(v.begin(), v.begin() + 4)), (std::vector<std::uint32_t>{4, 101, 2, 103}));
}

void EngineControl::spinLockInsideAWarp() {
    Engine e;
    const auto x = e.upload(zeros(2));
    // every thread takes the lock with compare-and-swap, adds one without atomics, and gives it back
    const std::string body = "L: atom.global.cas.b32 %r1, [%a0], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nmembar.gl;\nld.volatile.global.u32 %r2, [%a0+4];\nadd.u32 %r2, %r2, 1;\nst.volatile.global.u32 [%a0+4], %r2;\nmembar.gl;\natom.global.exch.b32 %r3, [%a0], 0;";
    QVERIFY(e.run(kernelText(1, body), {4}, {64}, {x}));
    QVERIFY(e.report.completed);
    QCOMPARE(e.download<std::uint32_t>(x, 2)[1], 256u);
}

void EngineControl::flagBetweenBlocks() {
    Engine e;
    const auto x = e.upload(zeros(4));
    // block 0 waits for a flag that block 1 sets
    const std::string body = "setp.ne.u32 %p1, %c, 0;\n@%p1 bra S;\nW: ld.volatile.global.u32 %r1, [%a0];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra W;\nld.global.u32 %r2, [%a0+4];\nst.global.u32 [%a0+8], %r2;\nbra E;\n"
                             "S: st.global.u32 [%a0+4], 42;\nmembar.gl;\nst.volatile.global.u32 [%a0], 1;\nE:";
    QVERIFY(e.run(kernelText(1, body), {2}, {1}, {x}));
    QVERIFY(e.report.completed && e.report.findings.empty());
    QCOMPARE(e.download<std::uint32_t>(x, 4)[2], 42u);
}

void EngineControl::gridWideBarrier() {
    Engine e;
    const auto x = e.upload(zeros(64)), y = e.upload(zeros(1)), z = e.upload(zeros(32));
    const std::string body = "mul.wide.u32 %d1, %c, 4;\nadd.s64 %d2, %a0, %d1;\nadd.u32 %r1, %c, 5;\nst.global.u32 [%d2], %r1;\nbar.sync 0;\nsetp.ne.u32 %p1, %tid, 0;\n@%p1 bra J;\nmembar.gl;\natom.global.add.u32 %r2, [%a1], 1;\n"
                             "W: ld.acquire.gpu.global.u32 %r3, [%a1];\nsetp.lt.u32 %p2, %r3, 32;\n@%p2 bra W;\nJ: bar.sync 0;\nsub.u32 %r4, 31, %c;\nmul.wide.u32 %d3, %r4, 4;\nadd.s64 %d3, %a0, %d3;\nld.global.u32 %r5, [%d3];\nadd.s64 %d4, %a2, %d1;\nst.global.u32 [%d4], %r5;";
    QVERIFY(e.run(kernelText(3, body), {32}, {64}, {x, y, z}));
    QVERIFY(e.report.completed);
    QVERIFY(e.report.findings.empty());
    const auto v = e.download<std::uint32_t>(z, 32);
    for (std::uint32_t b = 0; b < 32; ++b) QCOMPARE(v[b], 31 - b + 5);
}

void EngineControl::recursiveFunction() {
    Engine e;
    const auto x = e.upload(zeros(32));
    const std::string function = ".func (.param .b32 r) fact(.param .b32 n)\n{\n.reg .b32 %r<8>;\n.reg .pred %p1;\nld.param.u32 %r1, [n];\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 bra DEEP;\nst.param.b32 [r], 1;\nret;\n"
                                 "DEEP: sub.u32 %r2, %r1, 1;\n{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], %r2; call.uni (q0), fact, (p0); ld.param.b32 %r3, [q0]; }\nmul.lo.u32 %r4, %r3, %r1;\nst.param.b32 [r], %r4;\nret;\n}\n";
    const std::string body = "rem.u32 %r1, %tid, 10;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), fact, (a); ld.param.b32 %r2, [b]; }\nadd.s64 %d1, %a0, %o64;\nst.global.u32 [%d1], %r2;";
    QVERIFY(e.run(kernelText(1, body, function), {1}, {32}, {x}));
    QVERIFY(e.report.completed);
    const auto v = e.download<std::uint32_t>(x, 32);
    const std::uint32_t factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880};
    for (std::uint32_t t = 0; t < 32; ++t) QCOMPARE(v[t], factorial[t % 10]);
}

void EngineControl::indirectCall() {
    Engine e;
    const auto x = e.upload(zeros(32));
    const std::string functions = ".func (.param .b32 r) one(.param .b32 n)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [n];\nadd.u32 %r1, %r1, 1000;\nst.param.b32 [r], %r1;\nret;\n}\n"
                                  ".func (.param .b32 r) two(.param .b32 n)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [n];\nmul.lo.u32 %r1, %r1, 2;\nst.param.b32 [r], %r1;\nret;\n}\n";
    const std::string body = "mov.u64 %d1, one;\nmov.u64 %d2, two;\nand.b32 %r1, %tid, 1;\nsetp.eq.u32 %p1, %r1, 0;\nselp.b64 %d3, %d1, %d2, %p1;\n"
                             "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %tid; proto: .callprototype (.param .b32 _) _ (.param .b32 _); call (b), %d3, (a), proto; ld.param.b32 %r2, [b]; }\nadd.s64 %d4, %a0, %o64;\nst.global.u32 [%d4], %r2;";
    QVERIFY(e.run(kernelText(1, body, functions), {1}, {32}, {x}));
    const auto v = e.download<std::uint32_t>(x, 32);
    for (std::uint32_t t = 0; t < 32; ++t) QCOMPARE(v[t], t % 2 == 0 ? t + 1000 : t * 2);
}

// Pointers to functions that the calling kernel does not name: from a table in memory, and from another kernel.
void EngineControl::pointersFromElsewhere() {
    Engine e;
    const auto x = e.upload(zeros(32)), kept = e.upload(zeros(2));
    const auto function = [](const std::string &name, const std::string &what) {
        return ".func (.param .b32 r) " + name + "(.param .b32 n)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [n];\n" + what + " %r1, %r1, 7;\nst.param.b32 [r], %r1;\nret;\n}\n";
    };
    const std::string module = ".func (.param .b32 r) minus(.param .b32 n);\n" + function("plus", "add.u32") + function("times", "mul.lo.u32") + function("minus", "sub.u32") +
                               ".global .align 8 .u64 table[3] = {0, plus, times};\n"
                               ".visible .entry keep(.param .u64 p)\n{\n.reg .b64 %d<4>;\nld.param.u64 %d1, [p];\nmov.u64 %d2, minus;\nst.global.u64 [%d1], %d2;\nret;\n}\n";
    // threads 0, 3, …: table[1]; 1, 4, …: table[2]; the others: what "keep" kept
    const std::string body = "rem.u32 %r1, %tid, 3;\nmul.wide.u32 %d1, %r1, 8;\nmov.u64 %d2, table;\nadd.s64 %d2, %d2, %d1;\nadd.s64 %d2, %d2, 8;\nsetp.eq.u32 %p1, %r1, 2;\nselp.b64 %d2, %a1, %d2, %p1;\nld.global.u64 %d3, [%d2];\n"
                             "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %tid; proto: .callprototype (.param .b32 _) _ (.param .b32 _); call (b), %d3, (a), proto; ld.param.b32 %r2, [b]; }\nadd.s64 %d4, %a0, %o64;\nst.global.u32 [%d4], %r2;";
    const std::string text = kernelText(2, body, module);
    QVERIFY(e.device.loadModule(text).has_value());
    LaunchRequest keep;
    keep.kernel = "keep";
    keep.grid = keep.block = {1};
    keep.arguments.push_back(argument(kept));
    const auto done = e.device.launch(keep);
    QVERIFY(done.has_value() && done->findings.empty());
    LaunchRequest call;
    call.kernel = "k";
    call.grid = {1};
    call.block = {32};
    call.arguments = {argument(x), argument(kept)};
    const auto report = e.device.launch(call);
    QVERIFY(report.has_value() && report->completed);
    QVERIFY2(report->findings.empty(), report->findings.empty() ? "" : report->findings[0].message.c_str());
    const auto v = e.download<std::uint32_t>(x, 32);
    for (std::uint32_t t = 0; t < 32; ++t) QCOMPARE(v[t], t % 3 == 0 ? t + 7 : t % 3 == 1 ? t * 7 : t - 7);
}

void EngineControl::shuffles() {
    Engine e;
    const auto x = e.upload(zeros(160));
    const std::string body = "add.s64 %d1, %a0, %o64;\nshfl.sync.up.b32 %r1, %tid, 3, 0, -1;\nst.global.u32 [%d1], %r1;\nshfl.sync.down.b32 %r1, %tid, 5, 31, -1;\nst.global.u32 [%d1+128], %r1;\n"
                             "shfl.sync.bfly.b32 %r1, %tid, 7, 31, -1;\nst.global.u32 [%d1+256], %r1;\nshfl.sync.idx.b32 %r1|%p1, %tid, 9, 31, -1;\nst.global.u32 [%d1+384], %r1;\n"
                             "shfl.sync.idx.b32 %r1, %tid, 1, 0x181F, -1;\nst.global.u32 [%d1+512], %r1;"; // width 8
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    const auto v = e.download<std::uint32_t>(x, 160);
    for (std::uint32_t t = 0; t < 32; ++t) {
        QCOMPARE(v[t], t < 3 ? t : t - 3);
        QCOMPARE(v[32 + t], t + 5 > 31 ? t : t + 5);
        QCOMPARE(v[64 + t], t ^ 7);
        QCOMPARE(v[96 + t], 9u);
        QCOMPARE(v[128 + t], t / 8 * 8 + 1);
    }
}

void EngineControl::shuffleJoinsDivergedLanes() {
    Engine e;
    const auto x = e.upload(zeros(32));
    // the two halves reach the same shuffle at different times: its member mask joins them
    const std::string body = "mov.u32 %r1, %tid;\nsetp.lt.u32 %p1, %tid, 16;\n@%p1 bra A;\nadd.u32 %r1, %r1, 100;\nbra S;\nS: shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\nadd.s64 %d1, %a0, %o64;\nst.global.u32 [%d1], %r2;\nret;\n"
                             "A: add.u32 %r1, %r1, 200;\nbra S;";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    const auto v = e.download<std::uint32_t>(x, 32);
    for (std::uint32_t t = 0; t < 32; ++t) QCOMPARE(v[t], t < 16 ? t + 116 : t - 16 + 200);
}

void EngineControl::votesAndMatches() {
    Engine e;
    const auto x = e.upload(zeros(32 * 6));
    const std::string body = "add.s64 %d1, %a0, %o64;\nsetp.lt.u32 %p1, %tid, 10;\nvote.sync.ballot.b32 %r1, %p1, -1;\nst.global.u32 [%d1], %r1;\nvote.sync.any.pred %p2, %p1, -1;\nvote.sync.all.pred %p3, %p1, -1;\n"
                             "selp.u32 %r1, 1, 0, %p2;\nselp.u32 %r2, 2, 0, %p3;\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%d1+128], %r1;\nshr.u32 %r3, %tid, 3;\nmatch.any.sync.b32 %r4, %r3, -1;\nst.global.u32 [%d1+256], %r4;\n"
                             "redux.sync.add.u32 %r5, %tid, -1;\nst.global.u32 [%d1+384], %r5;\nredux.sync.min.s32 %r5, -3, -1;\nst.global.u32 [%d1+512], %r5;\nelect.sync %r6|%p4, -1;\nselp.u32 %r6, 1, 0, %p4;\nst.global.u32 [%d1+640], %r6;";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    const auto v = e.download<std::uint32_t>(x, 192);
    QCOMPARE(v[7], 0x3ffu);
    QCOMPARE(v[32], 1u);
    QCOMPARE(v[64 + 9], 0xff00u);
    QCOMPARE(v[96], 496u);
    QCOMPARE(static_cast<std::int32_t>(v[128]), -3);
    QCOMPARE(v[160], 1u);
    QCOMPARE(v[161], 0u);
}

void EngineControl::barrierReductions() {
    Engine e;
    const auto x = e.upload(zeros(96));
    const std::string body = "setp.lt.u32 %p1, %tid, 50;\nbar.red.popc.u32 %r1, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, %p1;\nselp.u32 %r2, 1000, 0, %p2;\nselp.u32 %r3, 500, 0, %p3;\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\nadd.s64 %d1, %a0, %o64;\nst.global.u32 [%d1], %r1;";
    QVERIFY(e.run(kernelText(1, body), {1}, {96}, {x}));
    const auto v = e.download<std::uint32_t>(x, 96);
    for (const auto value : v) QCOMPARE(value, 550u);
}

void EngineControl::namedBarriers() {
    Engine e;
    const auto x = e.upload(zeros(1));
    // warp 0 produces and only arrives, warp 1 waits
    const std::string body = "setp.ge.u32 %p1, %tid, 32;\n@%p1 bra C;\nst.shared.u32 [s], 9;\nbar.arrive 1, 64;\nret;\nC: bar.sync 1, 64;\nld.shared.u32 %r1, [s];\nst.global.u32 [%a0], %r1;";
    QVERIFY(e.run(kernelText(1, body, ".shared .align 4 .b8 s[4];"), {1}, {64}, {x}));
    QVERIFY(e.report.completed && e.report.findings.empty());
    QCOMPARE(e.download<std::uint32_t>(x, 1)[0], 9u);
}

void EngineControl::printfFormats() {
    // a format with what every conversion may carry; the arguments as device code lays them out
    const std::string format = "[%5d][%-5d][%05d][%+d][%x][%#X][%o][%u][%lld][%llu][%c][%8.3f][%-8.2e][%g][%a][%s][%6s][%-6s|][%.2s][%p][%%][%*d][%.*f][%zu][%hhd]\n";
    std::string bytes;
    for (const char c : format) bytes += std::to_string(static_cast<int>(c)) + ", ";
    std::string text = ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);\n.global .align 1 .b8 fmt[" + std::to_string(format.size() + 1) + "] = {" + bytes + "0};\n.global .align 1 .b8 str[4] = {97, 98, 99, 0};\n";
    std::string body = ".local .align 8 .b8 args[256];\nmov.u64 %d1, args;\ncvta.local.u64 %d2, %d1;\nmov.u64 %d3, fmt;\nmov.u64 %d4, str;\n";
    std::size_t at = 0;
    const auto put = [&](const std::string &value, std::size_t size) {
        at = (at + size - 1) / size * size;
        body += (size == 8 ? "mov.b64 %d5, " + value + ";\nst.local.b64 [%d1+" : "mov.b32 %r1, " + value + ";\nst.local.b32 [%d1+") + std::to_string(at) + "], " + (size == 8 ? "%d5" : "%r1") + ";\n";
        at += size;
    };
    for (const char *v : {"42", "42", "42", "42", "255", "255", "8", "-1"}) put(v, 4);
    put("-5000000000", 8);
    put("18446744073709551615", 8);
    put("65", 4);
    for (const char *v : {"0d40091EB851EB851F", "0d40091EB851EB851F", "0d3FE0000000000000", "0d3FF8000000000000", "%d4", "%d4", "%d4", "%d4", "4096"}) put(v, 8);
    for (const char *v : {"6", "7", "2"}) put(v, 4);
    put("0d40091EB851EB851F", 8);
    put("99", 8);
    put("-1", 4);
    body += "{ .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %d3; st.param.b64 [v], %d2; call.uni (r), vprintf, (f, v); }";
    Engine e;
    QVERIFY(e.run(kernelText(0, body, text), {1}, {1}, {}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    QCOMPARE(e.device.takeOutput(), std::string("[   42][42   ][00042][+42][ff][0XFF][10][4294967295][-5000000000][18446744073709551615][A][   3.140][3.14e+00][0.5][0x1.8p+0][abc][   abc][abc   |][ab][0x1000][%][     7][3.14][99][-1]\n"));
}

void EngineControl::heapOfKernels() {
    const std::string module = ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);\n";
    const std::string take = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call.uni (r), malloc, (n); ld.param.b64 %d1, [r]; }\n", give = "{ .param .b64 p; st.param.b64 [p], %d1; call.uni free, (p); }\n";
    Engine e;
    const auto x = e.upload(std::vector<std::uint32_t>(32, 0));
    QVERIFY(e.run(kernelText(1, take + "st.u32 [%d1+60], %tid;\nld.u32 %r1, [%d1+60];\n" + give + "add.s64 %d2, %a0, %o64;\nst.global.u32 [%d2], %r1;", module), {1}, {32}, {x}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    QCOMPARE(e.download<std::uint32_t>(x, 32)[31], 31u);
    QCOMPARE(e.device.liveAllocations().size(), 1u);
    QVERIFY(e.run(kernelText(0, take + give + "ld.u32 %r1, [%d1];", module), {1}, {1}, {}));
    QVERIFY(e.finding("out_of_bounds") != nullptr && e.finding("out_of_bounds")->message.find("which was freed") != std::string::npos);
    QVERIFY(e.run(kernelText(0, take + give + give, module), {1}, {1}, {}));
    QVERIFY(e.finding("invalid_free") != nullptr);
}

void EngineControl::printfText() {
    Engine e;
    const std::string module = ".extern .func (.param .b32 func_retval0) vprintf (.param .b64 a, .param .b64 b);\n.global .align 1 .b8 fmt[16] = {37, 48, 51, 100, 47, 37, 46, 50, 102, 47, 37, 108, 108, 117, 10, 0};";
    const std::string body = ".local .align 8 .b8 depot[24];\nmov.u64 %d1, depot;\nst.local.u32 [%d1], 7;\nst.local.f64 [%d1+8], 0d4004000000000000;\nst.local.u64 [%d1+16], 12345678901;\ncvta.local.u64 %d1, %d1;\nmov.u64 %d2, fmt;\ncvta.global.u64 %d2, %d2;\n"
                             "{ .param .b64 p0; .param .b64 p1; .param .b32 q; st.param.b64 [p0], %d2; st.param.b64 [p1], %d1; call.uni (q), vprintf, (p0, p1); ld.param.b32 %r1, [q]; }";
    QVERIFY(e.run(kernelText(0, body, module), {1}, {1}, {}));
    QCOMPARE(e.device.takeOutput(), std::string("007/2.50/12345678901\n"));
    QCOMPARE(e.device.takeOutput(), std::string());
}

void EngineControl::asynchronousCopies() {
    Engine e;
    std::vector<std::uint32_t> values(128);
    for (std::uint32_t i = 0; i < 128; ++i) values[i] = i * 3;
    const auto x = e.upload(values), y = e.upload(zeros(128));
    const std::string body = "mov.u32 %r1, s;\nmad.lo.u32 %r1, %tid, 16, %r1;\nmul.wide.u32 %d1, %tid, 16;\nadd.s64 %d2, %a0, %d1;\ncp.async.cg.shared.global [%r1], [%d2], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n"
                             "ld.shared.v4.u32 {%r2,%r3,%r4,%r5}, [%r1];\nadd.s64 %d3, %a1, %d1;\nst.global.v4.u32 [%d3], {%r2,%r3,%r4,%r5};";
    QVERIFY(e.run(kernelText(2, body, ".shared .align 16 .b8 s[512];"), {1}, {32}, {x, y}));
    QVERIFY(e.report.findings.empty());
    QCOMPARE(e.download<std::uint32_t>(y, 128), values);
    QCOMPARE(e.report.counters.globalLoad.sectors, 16u);
    // zero filling: only 8 of the 16 bytes are read
    const std::string partial = "mov.u32 %r1, s;\nmad.lo.u32 %r1, %tid, 16, %r1;\nmul.wide.u32 %d1, %tid, 16;\nadd.s64 %d2, %a0, %d1;\ncp.async.ca.shared.global [%r1], [%d2], 16, 8;\ncp.async.wait_all;\n"
                                "ld.shared.v4.u32 {%r2,%r3,%r4,%r5}, [%r1];\nadd.s64 %d3, %a1, %d1;\nst.global.v4.u32 [%d3], {%r2,%r3,%r4,%r5};";
    QVERIFY(e.run(kernelText(2, partial, ".shared .align 16 .b8 s[512];"), {1}, {32}, {x, y}));
    const auto v = e.download<std::uint32_t>(y, 8);
    QCOMPARE(v, (std::vector<std::uint32_t>{0, 3, 0, 0, 12, 15, 0, 0}));
}

void EngineControl::barriersJoinTheClocks() {
    Engine e;
    const auto x = e.upload(zeros(64));
    // warp 1 loads from memory before the barrier, warp 0 does not: it waits at the barrier for about the memory's latency
    const std::string body = "setp.lt.u32 %p1, %tid, 32;\n@%p1 bra B;\nld.global.u32 %r1, [%a0];\nadd.u32 %r2, %r1, 1;\nB: bar.sync 0;";
    QVERIFY(e.run(kernelText(1, body), {1}, {64}, {x}));
    const auto &stalls = e.report.counters.stallCycles;
    QVERIFY(stalls[static_cast<std::size_t>(StallReason::LongScoreboard)] > 600);
    QVERIFY(stalls[static_cast<std::size_t>(StallReason::Barrier)] > 600);
    QVERIFY(e.report.counters.blockCriticalCycles > 640 && e.report.counters.blockCriticalCycles < 900);
}

QTEST_APPLESS_MAIN(EngineControl)
#include "tst_engine_control.moc"
