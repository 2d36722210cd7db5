// SPDX-License-Identifier: Apache-2.0
#include "engine_fixture.h"

#include "engine/ptx/lexer.h"
#include "engine/ptx/parser.h"

using namespace kernelskill::simulator;

class EngineParser : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wordsKeepDotsAndScopes();
    void operandsOfEveryKind();
    void numbers();
    void variablesWithInitialisers();
    void innerScopesHideOuterNames();
    void inlinedHeaderLineIsShownAtTheCaller();
    void errorsNameTheLine();
    void cutTextNeverCrashes();
    void branchTables();
    void relocationsPointAtVariables();
    void kernelInfo();
};

void EngineParser::wordsKeepDotsAndScopes() {
    ptx::Lexer lexer("ld.global.L2::128B.v4.f32 {%f1, %f2}, [%rd1+-16]; // note\n/* a\nb */ bra $L__BB0_1;");
    QStringList texts;
    for (auto token = lexer.next(); token.kind != ptx::Token::Kind::End; token = lexer.next())
        texts << QString::fromUtf8(token.text.data(), static_cast<qsizetype>(token.text.size()));
    QCOMPARE(texts.join(' '), QStringLiteral("ld.global.L2::128B.v4.f32 { %f1 , %f2 } , [ %rd1 + - 16 ] ; bra $L__BB0_1 ;"));
}

void EngineParser::operandsOfEveryKind() {
    const auto module = ptx::parse(kernelText(1, "@!%p1 setp.lt.and.f32 %p2|%p3, %f1, 0fBF800000, !%p4;\nld.global.v2.f32 {%f1, _}, [%a0+-8];\nmov.u32 %r1, %laneid;"));
    QVERIFY(module.has_value());
    const auto &code = module->functions[0].instructions;
    const auto &setp = code[code.size() - 4];
    QCOMPARE(setp.fullName(), std::string("setp.lt.and.f32"));
    QVERIFY(setp.predicateNegated);
    QCOMPARE(setp.operands[0].paired.size(), 1u);
    QCOMPARE(setp.operands[2].bits, 0xbf80'0000u);
    QVERIFY(setp.operands[3].negated);
    const auto &load = code[code.size() - 3];
    QCOMPARE(load.operands[0].elements.size(), 2u);
    QVERIFY(load.operands[0].elements[1].kind == ptx::Operand::Kind::Sink);
    QCOMPARE(load.operands[1].offset, -8);
    QVERIFY(code[code.size() - 2].operands[1].kind == ptx::Operand::Kind::Special);
    QCOMPARE(code[code.size() - 2].operands[1].symbol, std::string("%laneid"));
}

void EngineParser::numbers() {
    const auto module = ptx::parse(kernelText(0, "mov.u32 %r1, 0x7F;\nmov.u32 %r1, -5;\nmov.u32 %r1, 010;\nmov.f64 %e1, 0d3FF0000000000000;\nmov.f32 %f1, 1.5e+1;\nmov.u32 %r1, 0b101;"));
    QVERIFY(module.has_value());
    const auto &code = module->functions[0].instructions;
    const std::size_t first = code.size() - 7;
    QCOMPARE(code[first].operands[1].bits, 0x7fu);
    QCOMPARE(static_cast<std::int64_t>(code[first + 1].operands[1].bits), -5);
    QCOMPARE(code[first + 2].operands[1].bits, 8u);
    QCOMPARE(std::bit_cast<double>(code[first + 3].operands[1].bits), 1.0);
    QCOMPARE(std::bit_cast<double>(code[first + 4].operands[1].bits), 15.0);
    QCOMPARE(code[first + 5].operands[1].bits, 5u);
}

void EngineParser::variablesWithInitialisers() {
    const auto module = ptx::parse(".version 8.3\n.target sm_80\n.address_size 64\n.const .align 4 .f32 c[3] = {0f3F800000, 2.0, -1.0};\n"
                                   ".global .align 4 .u32 n = 7;\n.global .align 1 .b8 s[4] = {104, 105, 0};\n.extern .shared .align 16 .b8 dyn[];\n.global .align 2 .u16 m[2][2] = {{1, 2}, {3, 4}};");
    QVERIFY(module.has_value());
    QCOMPARE(module->variables.size(), 5u);
    float values[3];
    std::memcpy(values, module->variables[0].initialiser.data(), sizeof values);
    QCOMPARE(values[1], 2.0f);
    QCOMPARE(values[2], -1.0f);
    QCOMPARE(module->variables[1].initialiser[0], std::byte{7});
    QCOMPARE(module->variables[2].initialiser.size(), 4u); // the rest is zero
    QVERIFY(module->variables[3].dynamicShared);
    QCOMPARE(module->variables[4].bytes, 8u);
    QCOMPARE(module->variables[4].initialiser[6], std::byte{4});
}

void EngineParser::innerScopesHideOuterNames() {
    Engine e;
    const auto x = e.upload(std::vector<std::uint32_t>(32, 0));
    QVERIFY(e.run(kernelText(1, "mov.u32 %r1, 1;\n{ .reg .b32 %r1; mov.u32 %r1, 9; }\nadd.s64 %d1, %a0, %o64;\nst.global.u32 [%d1], %r1;"), {1}, {32}, {x}));
    QCOMPARE(e.download<std::uint32_t>(x, 32)[5], 1u);
}

void EngineParser::inlinedHeaderLineIsShownAtTheCaller() {
    const auto module = ptx::parse(".version 8.3\n.target sm_80\n.address_size 64\n.file 1 \"kernel.cu\"\n.file 2 \"/opt/sim/include/cuda_fp16.h\"\n.entry k()\n{\n"
                                   ".loc 1 40 5\nmembar.gl;\n.loc 2 900 1, function_name $L__info_string0, inlined_at 1 40 5\nmembar.gl;\nret;\n}");
    QVERIFY(module.has_value());
    const auto place = module->visiblePlace(module->functions[0].instructions[1].place);
    QCOMPARE(place.line, 40);
    QCOMPARE(module->fileName(place.file), std::string("kernel.cu"));
}

void EngineParser::errorsNameTheLine() {
    const auto module = ptx::parse(".version 8.3\n.target sm_80\n.address_size 64\n.entry k()\n{\nbra NOWHERE;\n}\n");
    QVERIFY(!module.has_value());
    QVERIFY(QString::fromStdString(module.error().message).contains("NOWHERE"));
    const auto other = ptx::parse(".version 8.3\n.target sm_80\n.address_size 64\n.bogus x;\n");
    QVERIFY(!other.has_value());
    QCOMPARE(other.error().line, 4);
}

void EngineParser::cutTextNeverCrashes() {
    const std::string text = kernelText(2, "@%p1 bra L1;\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%a0+16];\nL1: bar.sync 0;\n{ .reg .b32 %q; shfl.sync.bfly.b32 %q|%p1, %r1, 1, 31, -1; }",
                                        ".global .align 4 .b8 g[8] = {1, 2, 3, 4};\n.extern .shared .align 16 .b8 dyn[];");
    for (std::size_t n = 0; n < text.size(); ++n) {
        (void)ptx::parse(text.substr(0, n));
        std::string damaged = text;
        damaged[n] = static_cast<char>(damaged[n] ^ 0x15);
        Device device;
        (void)device.loadModule(damaged); // decodes as well
    }
    QVERIFY(ptx::parse(text).has_value());
}

void EngineParser::branchTables() {
    Engine e;
    const auto x = e.upload(std::vector<std::uint32_t>(32, 0));
    const std::string body = "and.b32 %r1, %tid, 3;\nTS: .branchtargets A, B, C;\nmov.u32 %r2, 99;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bra END;\nbrx.idx %r1, TS;\n"
                             "A: mov.u32 %r2, 10;\nbra END;\nB: mov.u32 %r2, 20;\nbra END;\nC: mov.u32 %r2, 30;\nEND: add.s64 %d1, %a0, %o64;\nst.global.u32 [%d1], %r2;";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    const auto v = e.download<std::uint32_t>(x, 32);
    QCOMPARE((std::vector<std::uint32_t>(v.begin() + 4, v.begin() + 8)), (std::vector<std::uint32_t>{10, 20, 30, 99}));
}

void EngineParser::relocationsPointAtVariables() {
    Engine e;
    const auto x = e.upload(std::vector<std::uint32_t>(32, 0));
    const std::string body = "ld.global.u64 %d1, [table+8];\nld.u32 %r1, [%d1];\nadd.s64 %d2, %a0, %o64;\nst.global.u32 [%d2], %r1;";
    QVERIFY(e.run(kernelText(1, body, ".global .align 4 .u32 first = 5;\n.global .align 4 .u32 second[2] = {6, 7};\n.global .align 8 .u64 table[2] = {generic(first), generic(second)+4};"), {1}, {32}, {x}));
    QCOMPARE(e.download<std::uint32_t>(x, 1)[0], 7u);
    const auto found = e.device.global("second");
    QVERIFY(found.has_value());
    QCOMPARE(found->second, 8u);
}

void EngineParser::kernelInfo() {
    Device device;
    const auto kernels = device.loadModule(".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry _Z3addPfi(\n.param .u64 .ptr .align 1 p0,\n.param .u32 p1,\n.param .align 8 .b8 p2[24]\n)\n.maxntid 128, 2, 1\n{\nret;\n}\n");
    QVERIFY(kernels.has_value());
    QCOMPARE(kernels->size(), 1u);
    const KernelInfo &k = kernels->front();
    QCOMPARE(k.demangled, std::string("add(float*, int)"));
    QCOMPARE(k.parameters.size(), 3u);
    QCOMPARE(k.parameters[2].offset, 16u);
    QCOMPARE(k.parameters[2].bytes, 24u);
    QCOMPARE(k.maxThreadsPerBlock, 256);
}

QTEST_APPLESS_MAIN(EngineParser)
#include "tst_engine_parser.moc"
