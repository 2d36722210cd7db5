// SPDX-License-Identifier: Apache-2.0
// Texts and launches nobody means: each ends in an error or a finding. Those the fuzzer has found are marked.
#include "engine_fixture.h"

using namespace kernelskill::simulator;

class EngineRobustness : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void textsThatAreRefused_data();
    void textsThatAreRefused();
    void kernelsThatStop_data();
    void kernelsThatStop();
    void hugeDeclarations_data();
    void hugeDeclarations();
    void everyPrefixEnds();
    void budgetEndsWithTheWarp();
};

namespace {
const std::string head = ".version 8.3\n.target sm_90a\n.address_size 64\n";
}

void EngineRobustness::textsThatAreRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    const auto kernel = [](const char *body) { return QByteArray::fromStdString(head + ".visible .entry k()\n{\n.reg .b32 %r<9>;\n" + body + "\n}\n"); };
    QTest::newRow("branch without a target") << kernel("bra;") << "a branch whose target is no label";
    QTest::newRow("branch to a register") << kernel("bra %r1;") << "a branch whose target is no label";
    QTest::newRow("indexed branch without a table") << kernel("brx.idx %r1;") << "a branch whose target is no label";
    QTest::newRow("indexed branch through a label") << kernel("x: brx.idx %r1, x;") << "branch table 'x' is not defined";
    QTest::newRow("deep vectors") << kernel(QByteArray("mov.b32 ").append(QByteArray(100'000, '{')).constData()) << "nested too deep";
    QTest::newRow("deep addresses") << kernel(QByteArray("ld.b32 %r1, ").append(QByteArray(100'000, '[')).constData()) << "nested too deep";
    QTest::newRow("long pairs") << kernel(QByteArray("mov.b32 %r1").append(QByteArray("|%r1").repeated(50'000)).constData()) << "nested too deep";
    QTest::newRow("deep initialiser") << QByteArray::fromStdString(head + ".global .b32 x[2] = " + std::string(100'000, '{')) << "nested too deep";
    QTest::newRow("odd alignment") << QByteArray::fromStdString(head + ".global .align 3 .b8 x[2];") << "no power of two";
    QTest::newRow("no alignment") << QByteArray::fromStdString(head + ".global .align 0 .b8 x[2];") << "no power of two";
}
void EngineRobustness::textsThatAreRefused() {
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    Device device;
    const auto loaded = device.loadModule(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
    QVERIFY(!loaded.has_value());
    QVERIFY2(QString::fromStdString(loaded.error().message).contains(message), loaded.error().message.c_str());
}

void EngineRobustness::kernelsThatStop_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("module");
    QTest::addColumn<QString>("kind");
    QTest::newRow("a parameter's end passed") << "{ .param .b32 a; ld.param.b32 %r1, [a+1000000]; }" << "" << "unsupported_instruction";
    QTest::newRow("before a parameter") << "{ .param .b32 a; st.param.b32 [a+-8], %r1; }" << "" << "unsupported_instruction";
    QTest::newRow("wider than the parameter") << "{ .param .b32 a; ld.param.v4.b32 {%r1, %r2, %r3, %r4}, [a]; }" << "" << "unsupported_instruction";
    QTest::newRow("carry of a product of truths") << "madc.hi.u32.pred %r1, %r2, %r3, %r4;" << "" << "unsupported_instruction"; // found by the fuzzer
    QTest::newRow("wmma of nothing") << "wmma;" << "" << "unsupported_instruction"; // found by the fuzzer
    QTest::newRow("wgmma of nothing") << "wgmma.mma_async;" << "" << "unsupported_instruction";
    QTest::newRow("wmma of bytes with eight k") << "wmma.load.a.sync.aligned.row.m16n16k8.global.s8 {%r1, %r2}, [%d1], 16;" << "" << "unsupported_instruction"; // found by the fuzzer
    QTest::newRow("a function calls itself for ever") << "call.uni f;" << ".func f() { call.uni f; ret; }" << "out_of_bounds";
    QTest::newRow("two functions call each other for ever") << "call.uni f;" << ".func g(); .func f() { call.uni g; ret; } .func g() { call.uni f; ret; }" << "out_of_bounds";
    QTest::newRow("pointer to nowhere") << "mov.u64 %d1, 12345;\ncall (), %d1, (), p;\np: .callprototype _ ();" << "" << "out_of_bounds";
    QTest::newRow("barrier 63") << "bar.sync 63, 64;" << "" << "divergent_barrier";
}
void EngineRobustness::kernelsThatStop() {
    QFETCH(QString, body);
    QFETCH(QString, module);
    QFETCH(QString, kind);
    Engine e;
    e.limits = {1'000'000, 1'000'000};
    QVERIFY(e.run(kernelText(0, body.toStdString(), module.toStdString()), {1}, {32}, {}));
    QVERIFY2(e.finding(kind.toStdString()) != nullptr, e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    QVERIFY(!e.report.completed);
}

void EngineRobustness::hugeDeclarations_data() {
    QTest::addColumn<QByteArray>("text");
    const auto kernel = [](const std::string &body, const std::string &module = {}, const std::string &parameters = {}) {
        return QByteArray::fromStdString(head + module + ".visible .entry k(" + parameters + ")\n{\n" + body + "\nret;\n}\n");
    };
    QTest::newRow("registers") << kernel(".reg .b32 %r<4000000>;");
    QTest::newRow("registers again and again") << kernel(QByteArray(".reg .b32 %r<100000>;\n").repeated(100).toStdString());
    QTest::newRow("local memory") << kernel(".local .b8 x[17179869184];");
    QTest::newRow("much local memory") << kernel([] { std::string s; for (int i = 0; i < 6000; ++i) s += ".local .b8 x" + std::to_string(i) + "[1048576];\n"; return s; }());
    QTest::newRow("parameters") << kernel("", "", ".param .b8 p[17179869184]");
    QTest::newRow("call parameters") << kernel([] { std::string s; for (int i = 0; i < 6000; ++i) s += ".param .b8 x" + std::to_string(i) + "[1048576];\n"; return s; }());
    QTest::newRow("global memory") << kernel("", ".global .b8 x[17179869184];\n");
    QTest::newRow("much global memory") << kernel("", [] { std::string s; for (int i = 0; i < 100; ++i) s += ".global .b8 x" + std::to_string(i) + "[4000000000];\n"; return s; }());
    QTest::newRow("shared memory") << kernel("", ".shared .b8 s[4000000000];\n") ;
    QTest::newRow("a large initialiser") << kernel("", ".global .b8 x[4000000000] = {1, 2};\n");
    QTest::newRow("a chain of functions") << kernel("call.uni f0;", [] {
        std::string s;
        for (int i = 5000; i >= 0; --i) s += ".func f" + std::to_string(i) + "() {\n" + (i < 5000 ? "call.uni f" + std::to_string(i + 1) + ";\n" : "") + "ret;\n}\n";
        return s;
    }());
    QTest::newRow("every function may call every other") << kernel(".reg .b64 %d<2>;\ncall (), %d1, (), p;\np: .callprototype _ ();\n", [] {
        std::string s;
        for (int i = 0; i < 200; ++i) s += ".func f" + std::to_string(i) + "() {\n.reg .b64 %d<3>;\nmov.u64 %d2, f" + std::to_string((i * 7 + 1) % 200) + ";\ncall (), %d1, (), p;\np: .callprototype _ ();\nret;\n}\n";
        return s;
    }());
}
void EngineRobustness::hugeDeclarations() {
    QFETCH(QByteArray, text);
    Device device;
    const auto loaded = device.loadModule(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
    if (!loaded) return; // said so
    LaunchRequest request;
    request.kernel = "k";
    request.grid = {2};
    request.block = {64};
    request.limits = {1000, 1000};
    for (const auto &p : loaded->at(0).parameters) request.arguments.emplace_back(p.bytes);
    const auto report = device.launch(request);
    QVERIFY(report.has_value()); // completed, or with a finding
    QVERIFY(report->completed || !report->findings.empty());
}

void EngineRobustness::everyPrefixEnds() {
    const std::string text = kernelText(1, "{ .param .b32 a; st.param.b32 [a], %r1; }\nL: ld.global.v2.f32 {%f1, %f2}, [%a0+4];\nmma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%e1, %e2}, {%e3}, {%e4}, {%e5, %e6};\n@%p1 bra L;\nshfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;",
                                        ".global .align 8 .b8 text[4] = {1, 2, 3, 4};");
    for (std::size_t length = 0; length < text.size(); ++length) {
        Device device;
        const auto loaded = device.loadModule(std::string_view(text).substr(0, length));
        QVERIFY(loaded.has_value() || !loaded.error().message.empty());
    }
}

// Found by the fuzzer: the budget was used up by a warp's last instruction, and the place behind it was looked up.
void EngineRobustness::budgetEndsWithTheWarp() {
    Engine e;
    e.limits = {1'000'000, 0};
    QVERIFY(e.run(head + ".visible .entry k()\n{\nret;\n}\n", {1}, {32}, {}));
    QVERIFY(e.finding("endless_loop") != nullptr);
}

QTEST_APPLESS_MAIN(EngineRobustness)
#include "tst_engine_robustness.moc"
