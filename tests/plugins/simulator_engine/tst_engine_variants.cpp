// SPDX-License-Identifier: Apache-2.0
// Rare forms of arithmetic: values worked out by hand, or by searching all values of a small format for the one the rounding
// rule names.
#include "engine_fixture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

using namespace kernelskill::simulator;

class EngineVariants : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void words_data();
    void words();
    void wideWords_data();
    void wideWords();
    void comparisonsOfPairs();
    void smallFormats_data();
    void smallFormats();
    void smallFormatsBack();
    void tf32();
    void directedRounding_data();
    void directedRounding();
    void divisionOfHugeNumbers();
    void narrowResultsAreExtended();
    void floatReductions();
};

namespace {

// Runs `instruction` with %r2…%r5 (and %h2…%h5, %f2…%f5, the same bits) from four arrays; what is in %r1, or in %h1, is the result.
std::vector<std::uint32_t> evaluate(Engine &e, const std::string &instruction, const std::vector<std::array<std::uint32_t, 4>> &inputs, const std::string &result = "%r1") {
    std::vector<std::uint32_t> flat;
    for (const auto &row : inputs) flat.insert(flat.end(), row.begin(), row.end());
    const auto x = e.upload(flat), y = e.upload(std::vector<std::uint32_t>(inputs.size(), 0xdead'beef));
    const std::string body = "mul.wide.u32 %d1, %t, 16;\nadd.s64 %d1, %a0, %d1;\nld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d1];\n"
                             "cvt.u16.u32 %h2, %r2;\ncvt.u16.u32 %h3, %r3;\ncvt.u16.u32 %h4, %r4;\nmov.b32 %f2, %r2;\nmov.b32 %f3, %r3;\nmov.b32 %f4, %r4;\n"
                             "setp.ne.u32 %p2, %r5, 0;\nmov.u16 %h1, 0;\nmov.f32 %f1, 0f00000000;\nmov.u32 %r1, 0;\n" + instruction + "\n"
                           + (result == "%h1" ? "cvt.u32.u16 %r1, %h1;\n" : result == "%f1" ? "mov.b32 %r1, %f1;\n" : "") + "add.s64 %d2, %a1, %o64;\nst.global.u32 [%d2], %r1;";
    if (!e.run(kernelText(2, body), {static_cast<std::uint32_t>(inputs.size())}, {1}, {x, y})) return {};
    if (!e.report.completed) qWarning("%s", e.report.findings.at(0).message.c_str());
    return e.download<std::uint32_t>(y, inputs.size());
}

std::uint32_t bits(float f) { return std::bit_cast<std::uint32_t>(f); }

} // namespace

void EngineVariants::words_data() {
    QTest::addColumn<QString>("instruction");
    QTest::addColumn<quint32>("a");
    QTest::addColumn<quint32>("b");
    QTest::addColumn<quint32>("c");
    QTest::addColumn<quint32>("expected");
    const auto row = [](const char *instruction, quint32 a, quint32 b, quint32 c, quint32 expected) { QTest::addRow("%s %x %x %x", instruction, a, b, c) << instruction << a << b << c << expected; };
    // 255 + (−32768) = −32513
    row("vadd.s32.u32.s32 %r1, %r2.b0, %r3.h1;", 0x1234'56ff, 0x8000'0001, 0, 0xffff'80ff);
    // 0x7fffffff + 1 clamps; then the sum 0x7fffffff goes into byte 1 as 0x7f (clamped to the byte's range)
    row("vadd.s32.s32.s32.sat %r1, %r2, %r3;", 0x7fff'ffff, 1, 0, 0x7fff'ffff);
    row("vadd.s32.s32.s32.sat %r1.b1, %r2, %r3, %r4;", 0x7fff'ffff, 1, 0xaabb'ccdd, 0xaabb'7fdd);
    row("vadd.u32.u32.u32.add %r1, %r2, %r3, %r4;", 3, 4, 100, 107);
    row("vsub.s32.s32.s32 %r1, %r2.h0, %r3.b3;", 0x0000'fffe, 0x0500'0000, 0, 0xffff'fff9); // −2 − 5
    row("vabsdiff.u32.u32.u32.add %r1, %r2.b0, %r3.b0, %r4;", 10, 250, 1000, 1240);
    row("vmin.s32.s32.s32.max %r1, %r2, %r3, %r4;", 0xffff'fff0, 5, 0xffff'fff5, 0xffff'fff5);
    row("vmax.u32.u32.u32 %r1.h1, %r2, %r3, %r4;", 0x0001'2345, 0x7, 0xaaaa'bbbb, 0x2345'bbbb);
    row("vshl.u32.u32.u32.clamp %r1, %r2, %r3;", 1, 40, 0, 0);
    row("vshl.u32.u32.u32.wrap %r1, %r2, %r3;", 1, 40, 0, 256);
    row("vshr.s32.s32.u32.clamp %r1, %r2.h1, %r3.b0;", 0x8000'0000, 4, 0, 0xffff'f800);
    row("vmad.s32.s32.u32 %r1, %r2.b0, %r3.h1, %r4;", 0x0000'00fe, 0x0003'0000, 100, 94); // −2 · 3 + 100
    row("vmad.s32.s32.s32 %r1, %r2, %r3, -%r4;", 7, 6, 2, 40);
    row("vmad.s32.s32.s32.shr7 %r1, %r2, %r3, %r4;", 256, 3, 128, 7); // (768 + 128) / 128
    row("vmad.u32.u32.u32.po %r1, %r2, %r3, %r4;", 5, 6, 7, 38);
    row("vset.s32.u32.lt %r1, %r2.b0, %r3.b1;", 0xff, 0x0100, 0, 1); // −1 < 1
    row("vset.u32.u32.ne.add %r1, %r2, %r3, %r4;", 1, 2, 41, 42);
    row("vadd2.s32.s32.s32.sat %r1, %r2, %r3, %r4;", 0x7fff'8000, 0x0001'ffff, 0, 0x7fff'8000);
    row("vadd2.u32.u32.u32 %r1, %r2, %r3, %r4;", 0xffff'0001, 0x0001'0002, 0, 0x0000'0003);
    row("vavrg2.s32.s32.s32 %r1, %r2, %r3, %r4;", 0x0003'fffd, 0x0004'0000, 0, 0x0004'fffe); // 3.5 → 4, −1.5 → −2
    row("vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;", 0x0102'0304, 0x0401'0302, 10, 16); // 3 + 1 + 0 + 2
    row("vabsdiff4.u32.u32.u32 %r1, %r2, %r3, %r4;", 0xff00'0510, 0x00ff'0a20, 0, 0xffff'0510);
    row("vabsdiff4.s32.s32.s32.add %r1, %r2, %r3, %r4;", 0x80ff'7f01, 0x017f'80fe, 0, 0x203); // 129 + 128 + 255 + 3, as an H200 has it
    row("vabsdiff2.s32.s32.s32.add %r1, %r2, %r3, %r4;", 0x80ff'7f01, 0x017f'80fe, 0, 0x17e83);
    row("vmin4.s32.s32.s32 %r1, %r2, %r3, %r4;", 0x80ff'0102, 0x0100'0201, 0, 0x80ff'0101);
    row("vset4.u32.u32.gt %r1, %r2, %r3, %r4;", 0x0203'0405, 0x0104'0404, 0, 0x0100'0001);
    row("vsub4.s32.s32.s32 %r1.b20, %r2, %r3, %r4;", 0x0506'0708, 0x0101'0101, 0xaabb'ccdd, 0xaa05'cc07);
    row("vadd4.u32.u32.u32 %r1, %r2.b3210, %r3.b4444, %r4;", 0x0102'0304, 0x0000'0010, 0, 0x1112'1314); // b's bytes are numbers 4 to 7
    row("vadd4.u32.u32.u32 %r1, %r2.b3210, %r3.b0000, %r4;", 0x0102'0304, 0x0000'0010, 0, 0x0506'0708);
    row("vadd4.u32.u32.u32 %r1, %r2.b7654, %r3, %r4;", 0, 0x0102'0304, 0, 0x0204'0608);
    row("add.u16x2 %r1, %r2, %r3;", 0xffff'0001, 0x0001'0002, 0, 0x0000'0003);
    row("min.s16x2 %r1, %r2, %r3;", 0x8000'0005, 0x0001'0003, 0, 0x8000'0003);
    row("max.u16x2 %r1, %r2, %r3;", 0x8000'0005, 0x0001'0007, 0, 0x8000'0007);
    row("max.s16x2.relu %r1, %r2, %r3;", 0xfff0'0005, 0xffff'0003, 0, 0x0000'0005);
    row("min.relu.s32 %r1, %r2, %r3;", 0xffff'fff0, 5, 0, 0);
    // the carry of a difference says that nothing was borrowed, as an H200 has it
    row("sub.cc.u32 %r1, %r2, %r3;\naddc.u32 %r1, 0, 0;", 1, 2, 0, 0);
    row("sub.cc.u32 %r1, %r2, %r3;\naddc.u32 %r1, 0, 0;", 2, 1, 0, 1);
    row("sub.cc.u32 %r1, %r2, %r3;\nsubc.u32 %r1, 0, 0;", 1, 2, 0, 0xffff'ffff);
    row("add.cc.u32 %r1, %r2, %r3;\nsubc.u32 %r1, 0, 0;", 0xffff'ffff, 2, 0, 0);
    row("add.cc.u32 %r1, %r2, %r3;\nsubc.u32 %r1, 0, 0;", 1, 2, 0, 0xffff'ffff);
    row("fns.b32 %r1, %r2, %r3, 1;", 0x0000'0114, 0, 0, 2);
    row("fns.b32 %r1, %r2, %r3, 2;", 0x0000'0114, 0, 0, 4);
    row("fns.b32 %r1, %r2, %r3, -1;", 0x0000'0114, 31, 0, 8);
    row("fns.b32 %r1, %r2, %r3, -2;", 0x0000'0114, 5, 0, 2);
    row("fns.b32 %r1, %r2, %r3, 0;", 0x0000'0114, 4, 0, 4);
    row("fns.b32 %r1, %r2, %r3, 4;", 0x0000'0114, 0, 0, 0xffff'ffff);
    row("mul24.hi.u32 %r1, %r2, %r3;", 0xff80'0000, 0x0080'0000, 0, 0x4000'0000); // 2^23 · 2^23 = 2^46, bits 47…16
    row("mul24.hi.s32 %r1, %r2, %r3;", 0x00ff'ffff, 0x0001'0000, 0, 0xffff'ffff); // −1 · 65536
    row("mad24.hi.sat.s32 %r1, %r2, %r3, %r4;", 0x0040'0000, 0x0040'0000, 0x7fff'ffff, 0x7fff'ffff);
    row("mad.hi.sat.s32 %r1, %r2, %r3, %r4;", 0x4000'0000, 0x4000'0000, 0x7fff'ffff, 0x7fff'ffff);
    row("szext.wrap.s32 %r1, %r2, %r3;", 0x0000'000c, 36, 0, 0xffff'fffc); // width 36 mod 32 = 4
    row("szext.clamp.u32 %r1, %r2, %r3;", 0x1234'5678, 12, 0, 0x678);
    row("bmsk.wrap.b32 %r1, %r2, %r3;", 36, 4, 0, 0xf0);
    row("bmsk.clamp.b32 %r1, %r2, %r3;", 4, 40, 0, 0xffff'fff0);
    row("cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;", 300, 0xffff'ffff, 0x0000'1234, 0x1234'ff00);
    row("cvt.pack.sat.s16.s32 %r1, %r2, %r3;", 70000, 0xffff'0000, 0, 0x7fff'8000);
    row("cvt.pack.sat.s4.s32.b32 %r1, %r2, %r3, %r4;", 9, 0xffff'fff0, 0x00ab'cdef, 0xabcd'ef78);
    row("lop3.b32 %r1, %r2, %r3, %r4, 0x96;", 0xf0f0'f0f0, 0xcccc'cccc, 0xaaaa'aaaa, 0x9696'9696);
    row("lop3.and.b32 %r1|%p3, %r2, %r3, %r4, 0x80, %p2;\nselp.b32 %r1, 1, 0, %p3;", 1, 1, 1, 0); // %p2 is false
    row("lop3.or.b32 %r1|%p3, %r2, %r3, %r4, 0x80, %p2;\nselp.b32 %r1, 1, 0, %p3;", 1, 1, 1, 1);
    // halves: 1.5 · −2 + 1 = −2 → 0 with .relu; a subnormal is flushed with .ftz; min of magnitudes under the xor of the signs
    row("fma.rn.relu.f16x2 %r1, %r2, %r3, %r4;", 0x3e00'3e00, 0xc000'4000, 0x3c00'3c00, 0x0000'4400);
    row("fma.rn.relu.bf16x2 %r1, %r2, %r3, %r4;", 0x3fc0'3fc0, 0xc000'4000, 0x3f80'3f80, 0x0000'4080);
    row("add.ftz.f16x2 %r1, %r2, %r3;", 0x0001'3c00, 0x0000'0200, 0, 0x0000'3c00);
    row("mul.f16x2 %r1, %r2, %r3;", 0x0400'3c00, 0x3800'3c00, 0, 0x0200'3c00); // 2^-14 / 2 is subnormal and stays
    row("mul.ftz.f16x2 %r1, %r2, %r3;", 0x0400'3c00, 0x3800'3c00, 0, 0x0000'3c00);
    row("min.xorsign.abs.f16x2 %r1, %r2, %r3;", 0xc000'4000, 0x3c00'4200, 0, 0xbc00'4000);
    row("max.NaN.xorsign.abs.bf16x2 %r1, %r2, %r3;", 0xc000'7fc0, 0x3f80'3f80, 0, 0xc000'7fff);
    row("min.NaN.f16x2 %r1, %r2, %r3;", 0x7e00'3c00, 0x3c00'4000, 0, 0x7fff'3c00);
    row("min.f16x2 %r1, %r2, %r3;", 0x7e00'8000, 0x3c00'0000, 0, 0x3c00'8000); // the number wins over NaN, −0 over +0
    row("ex2.approx.f16x2 %r1, %r2;", 0x4200'bc00, 0, 0, 0x4800'3800); // 2^3 = 8, 2^−1
    row("ex2.approx.ftz.bf16x2 %r1, %r2;", 0x4040'bf80, 0, 0, 0x4100'3f00);
    row("tanh.approx.f16x2 %r1, %r2;", 0x7c00'0000, 0, 0, 0x3c00'0000);
    row("tanh.approx.bf16x2 %r1, %r2;", 0xff80'0000, 0, 0, 0xbf80'0000);
    row("neg.ftz.f16x2 %r1, %r2;", 0x0001'3c00, 0, 0, 0x8000'bc00);
    row("fma.rn.sat.f16x2 %r1, %r2, %r3, %r4;", 0x4000'c000, 0x3c00'3c00, 0x3c00'3c00, 0x3c00'0000);
    // |a|, |b|: the lesser with the sign of the product
    row("min.xorsign.abs.f32 %f1, %f2, %f3;\nmov.b32 %r1, %f1;", bits(-3.0f), bits(2.0f), 0, bits(-2.0f));
    row("max.xorsign.abs.f32 %f1, %f2, %f3;\nmov.b32 %r1, %f1;", bits(-3.0f), bits(-2.0f), 0, bits(3.0f));
    row("prmt.b32.f4e %r1, %r2, %r3, %r4;", 0x3322'1100, 0x7766'5544, 1, 0x4433'2211);
    row("prmt.b32.b4e %r1, %r2, %r3, %r4;", 0x3322'1100, 0x7766'5544, 1, 0x6677'0011);
    row("prmt.b32.rc8 %r1, %r2, %r3, %r4;", 0x3322'1100, 0x7766'5544, 2, 0x2222'2222);
    row("prmt.b32.ecl %r1, %r2, %r3, %r4;", 0x3322'1100, 0x7766'5544, 1, 0x3322'1111);
    row("prmt.b32.ecr %r1, %r2, %r3, %r4;", 0x3322'1100, 0x7766'5544, 2, 0x2222'1100);
    row("prmt.b32.rc16 %r1, %r2, %r3, %r4;", 0x3322'1100, 0x7766'5544, 1, 0x3322'3322);
    row("prmt.b32 %r1, %r2, %r3, 0x8f0b;", 0x8322'1100, 0x7766'5544, 0, 0x0000'00ff);
    row("dp2a.hi.s32.s32 %r1, %r2, %r3, %r4;", 0x0003'ffff, 0x02ff'0000, 10, 17); // −1 · −1 + 3 · 2 + 10
    row("bfi.b32 %r1, %r2, %r3, 8, 4;", 0xf, 0x1234'5678, 0, 0x1234'5f78);
}
void EngineVariants::words() {
    QFETCH(QString, instruction);
    QFETCH(quint32, a);
    QFETCH(quint32, b);
    QFETCH(quint32, c);
    QFETCH(quint32, expected);
    Engine e;
    const auto result = evaluate(e, instruction.toStdString(), {{a, b, c, 0}});
    QCOMPARE(result.size(), 1u);
    QVERIFY2(result[0] == expected, qPrintable(QStringLiteral("%1, expected %2").arg(result[0], 8, 16, QLatin1Char('0')).arg(expected, 8, 16, QLatin1Char('0'))));
}

void EngineVariants::wideWords_data() {
    QTest::addColumn<QString>("instruction");
    QTest::addColumn<quint64>("a");
    QTest::addColumn<quint64>("b");
    QTest::addColumn<quint64>("expected");
    const auto row = [](const char *instruction, quint64 a, quint64 b, quint64 expected) { QTest::newRow(instruction) << instruction << a << b << expected; };
    row("mul.hi.s64 %d6, %d4, %d5;", ~0ull, 2, ~0ull);
    row("mul.hi.u64 %d6, %d4, %d5;", ~0ull, ~0ull, ~0ull - 1);
    row("brev.b64 %d6, %d4;", 1, 0, 0x8000'0000'0000'0000ull);
    row("bfe.s64 %d6, %d4, 60, 8;", 0x9000'0000'0000'0000ull, 0, ~0ull << 3 | 1);
    row("bfi.b64 %d6, %d4, %d5, 62, 8;", 3, 1, 0xc000'0000'0000'0001ull);
    row("min.s64 %d6, %d4, %d5;", ~0ull, 1, ~0ull);
    row("sad.s64 %d6, %d4, %d5, %d5;", ~0ull, 3, 7); // |−1 − 3| + 3
    row("shr.s64 %d6, %d4, 70;", 1ull << 63, 0, ~0ull);
    row("shl.b64 %d6, %d4, 64;", 1, 0, 0);
    row("rcp.approx.ftz.f64 %e1, %e2;\nmov.b64 %d6, %e1;", std::bit_cast<quint64>(4.0), 0, std::bit_cast<quint64>(0.25));
    row("rcp.rp.f64 %e1, %e2;\nmov.b64 %d6, %e1;", std::bit_cast<quint64>(3.0), 0, 0x3fd5'5555'5555'5556ull);
    row("rcp.rm.f64 %e1, %e2;\nmov.b64 %d6, %e1;", std::bit_cast<quint64>(3.0), 0, 0x3fd5'5555'5555'5555ull);
    row("mov.b128 %q1, {%d4, %d5};\nmov.b128 {%d7, %d6}, %q1;", 11, 22, 22);
    row("mov.b128 %q1, {%d4, %d5};\nmov.b128 %q2, %q1;\nmov.b128 {%d6, %d7}, %q2;", 11, 22, 11);
}
void EngineVariants::wideWords() {
    QFETCH(QString, instruction);
    QFETCH(quint64, a);
    QFETCH(quint64, b);
    QFETCH(quint64, expected);
    Engine e;
    const auto x = e.upload(std::vector<std::uint64_t>{a, b, 0});
    QVERIFY(e.run(kernelText(1, ".reg .b128 %q<3>;\nld.global.v2.u64 {%d4, %d5}, [%a0];\nmov.b64 %e2, %d4;\nmov.b64 %e3, %d5;\n" + instruction.toStdString() + "\nst.global.u64 [%a0+16], %d6;"), {1}, {1}, {x}));
    QVERIFY2(e.report.completed, e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    QCOMPARE(e.download<std::uint64_t>(x, 3)[2], std::uint64_t{expected});
}

void EngineVariants::comparisonsOfPairs() {
    Engine e;
    // lower halves 1 < 2, upper ones NaN against 1
    const std::array<std::uint32_t, 4> in{0x7e00'3c00, 0x3c00'4000, 0, 0};
    QCOMPARE(evaluate(e, "setp.lt.f16x2 %p3|%p4, %r2, %r3;\nselp.b32 %r6, 1, 0, %p3;\nselp.b32 %r7, 2, 0, %p4;\nor.b32 %r1, %r6, %r7;", {in})[0], 1u);
    QCOMPARE(evaluate(e, "setp.ltu.f16x2 %p3|%p4, %r2, %r3;\nselp.b32 %r6, 1, 0, %p3;\nselp.b32 %r7, 2, 0, %p4;\nor.b32 %r1, %r6, %r7;", {in})[0], 3u);
    QCOMPARE(evaluate(e, "set.lt.f16x2.f16x2 %r1, %r2, %r3;", {in})[0], 0x0000'3c00u);
    QCOMPARE(evaluate(e, "set.nan.u32.f16x2 %r1, %r2, %r3;", {in})[0], 0xffff'0000u);
    QCOMPARE(evaluate(e, "set.lt.f16.f16 %h1, %h2, %h3;", {in}, "%h1")[0], 0x3c00u);
    QCOMPARE(evaluate(e, "set.lt.bf16x2.bf16x2 %r1, %r2, %r3;", {{0x3f80'4000, 0x4000'3f80, 0, 0}})[0], 0x3f80'0000u);
    QCOMPARE(evaluate(e, "set.lt.u32.f16 %r1, %h2, %h3;", {in})[0], 0xffff'ffffu);
    QCOMPARE(evaluate(e, "set.gt.u16.f16 %h1, %h2, %h3;", {in}, "%h1")[0], 0u);
}

namespace {

// All finite values of a format by its definition: sign, exponent, fraction.
struct SmallFormat {
    const char *name;
    int exponentBits, fractionBits;
    bool infinities;
};
const SmallFormat f16{"f16", 5, 10, true}, bf16{"bf16", 8, 7, true}, e4m3{"e4m3x2", 4, 3, false}, e5m2{"e5m2x2", 5, 2, true};

std::map<double, std::uint32_t> magnitudes(const SmallFormat &f) {
    std::map<double, std::uint32_t> values;
    const int bias = (1 << (f.exponentBits - 1)) - 1, top = (1 << f.exponentBits) - 1;
    for (int exponent = 0; exponent <= top; ++exponent)
        for (int fraction = 0; fraction < 1 << f.fractionBits; ++fraction) {
            if (exponent == top && (f.infinities || fraction == (1 << f.fractionBits) - 1)) continue;
            const double significand = fraction / std::pow(2.0, f.fractionBits) + (exponent ? 1 : 0);
            values[significand * std::pow(2.0, (exponent ? exponent : 1) - bias)] = static_cast<std::uint32_t>(exponent << f.fractionBits | fraction);
        }
    return values;
}

// The bits a rounding rule names; `finite`: beyond the largest value comes the largest value.
std::uint32_t nearestBits(const std::map<double, std::uint32_t> &values, const SmallFormat &f, double value, const std::string &rule, bool finite) {
    const std::uint32_t sign = std::signbit(value) ? 1u << (f.exponentBits + f.fractionBits) : 0u;
    const double magnitude = std::fabs(value);
    const bool grows = (rule == "rp" && !std::signbit(value)) || (rule == "rm" && std::signbit(value));
    const auto largest = *values.rbegin();
    const std::uint32_t infinity = ((1u << f.exponentBits) - 1) << f.fractionBits;
    if (std::isinf(value)) return (finite ? largest.second : infinity) | sign;
    auto above = values.lower_bound(magnitude);
    if (above != values.end() && above->first == magnitude) return above->second | sign;
    if (above == values.end()) { // past the largest: the next value of the format would lie one step further on
        const double step = largest.first - std::prev(values.end(), 2)->first;
        const bool up = rule == "rn" ? magnitude >= largest.first + step / 2 : grows;
        return (up && !finite ? infinity : largest.second) | sign;
    }
    const auto below = std::prev(above);
    if (rule != "rn") return (grows ? above : below)->second | sign;
    const double down = magnitude - below->first, up = above->first - magnitude;
    if (down != up) return (down < up ? below : above)->second | sign;
    return (below->second % 2 == 0 ? below : above)->second | sign;
}

std::vector<float> interestingFloats() {
    std::vector<float> values{0.0f, -0.0f, 1.0f, -1.0f, 1e-45f, 1e-40f, -1e-38f, 448.0f, 449.0f, 464.0f, 465.0f, 480.0f, 57344.0f, 61439.0f, 61440.0f, 65504.0f, 65519.0f, 65520.0f, -65536.0f, 3e38f, -3.4e38f,
                              std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
    std::uint32_t state = 12345;
    for (int i = 0; i < 200; ++i) {
        state = state * 1664525u + 1013904223u;
        const float significand = 1.0f + static_cast<float>(state >> 9) / 8388608.0f;
        values.push_back(std::ldexp(i & 1 ? significand : -significand, static_cast<int>(state % 60) - 40));
    }
    for (int i = 0; i < 64; ++i) values.push_back(std::ldexp(static_cast<float>(2 * i + 1), -28)); // ties of small formats' subnormals
    for (int i = 0; i < 64; ++i) values.push_back(1.0f + static_cast<float>(i) / 4096.0f);
    return values;
}

} // namespace

void EngineVariants::smallFormats_data() {
    QTest::addColumn<QString>("instruction");
    QTest::addColumn<int>("format");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<bool>("finite");
    QTest::addColumn<int>("shift"); // of the element in the result
    QTest::addColumn<bool>("relu");
    const auto row = [](const QString &instruction, int format, const char *rule, bool finite, int shift, bool relu) { QTest::newRow(qPrintable(instruction)) << instruction << format << rule << finite << shift << relu; };
    for (const char *rule : {"rn", "rz", "rm", "rp"}) {
        row(QStringLiteral("cvt.%1.f16.f32 %h1, %f2;").arg(QLatin1String(rule)), 0, rule, false, 0, false);
        row(QStringLiteral("cvt.%1.bf16.f32 %h1, %f2;").arg(QLatin1String(rule)), 1, rule, false, 0, false);
    }
    for (const char *rule : {"rn", "rz"}) {
        row(QStringLiteral("cvt.%1.f16x2.f32 %r1, %f3, %f2;").arg(QLatin1String(rule)), 0, rule, false, 0, false);
        row(QStringLiteral("cvt.%1.f16x2.f32 %r1, %f2, %f3;").arg(QLatin1String(rule)), 0, rule, false, 16, false);
        row(QStringLiteral("cvt.%1.relu.bf16x2.f32 %r1, %f2, %f3;").arg(QLatin1String(rule)), 1, rule, false, 16, true);
        row(QStringLiteral("cvt.%1.relu.satfinite.f16.f32 %h1, %f2;").arg(QLatin1String(rule)), 0, rule, true, 0, true);
    }
    row(QStringLiteral("cvt.rn.satfinite.bf16.f32 %h1, %f2;"), 1, "rn", true, 0, false);
    row(QStringLiteral("cvt.rn.satfinite.e4m3x2.f32 %h1, %f2, %f3;"), 2, "rn", true, 8, false);
    row(QStringLiteral("cvt.rn.satfinite.e4m3x2.f32 %h1, %f3, %f2;"), 2, "rn", true, 0, false);
    row(QStringLiteral("cvt.rn.satfinite.relu.e4m3x2.f32 %h1, %f3, %f2;"), 2, "rn", true, 0, true);
    row(QStringLiteral("cvt.rn.satfinite.e5m2x2.f32 %h1, %f2, %f3;"), 3, "rn", true, 8, false);
}
void EngineVariants::smallFormats() {
    QFETCH(QString, instruction);
    QFETCH(int, format);
    QFETCH(QString, rule);
    QFETCH(bool, finite);
    QFETCH(int, shift);
    QFETCH(bool, relu);
    const SmallFormat &f = *std::array{&f16, &bf16, &e4m3, &e5m2}[static_cast<std::size_t>(format)];
    const auto values = magnitudes(f);
    const auto floats = interestingFloats();
    std::vector<std::array<std::uint32_t, 4>> inputs;
    for (const float v : floats) inputs.push_back({bits(v), bits(1.0f), 0, 0});
    Engine e;
    const auto results = evaluate(e, instruction.toStdString(), inputs, instruction.contains(QLatin1String("%h1")) ? "%h1" : "%r1");
    QCOMPARE(results.size(), floats.size());
    const std::uint32_t mask = (1u << (1 + f.exponentBits + f.fractionBits)) - 1;
    for (std::size_t i = 0; i < floats.size(); ++i) {
        const double value = relu && floats[i] <= 0 ? 0.0 : static_cast<double>(floats[i]);
        const std::uint32_t expected = nearestBits(values, f, value, rule.toStdString(), finite);
        QVERIFY2((results[i] >> shift & mask) == expected, qPrintable(QStringLiteral("%1 became %2, expected %3").arg(static_cast<double>(floats[i]), 0, 'g', 12).arg(results[i] >> shift & mask, 0, 16).arg(expected, 0, 16)));
    }
    // NaN is the format's NaN: all ones below the sign
    QCOMPARE(evaluate(e, instruction.toStdString(), {{0x7fc0'0001, 0x7fc0'0001, 0, 0}}, instruction.contains(QLatin1String("%h1")) ? "%h1" : "%r1")[0] >> shift & mask, mask >> 1);
}

void EngineVariants::smallFormatsBack() {
    // every value of the 8-bit formats in halves, and back again
    for (const SmallFormat *f : {&e4m3, &e5m2}) {
        const auto values = magnitudes(*f), halves = magnitudes(f16);
        std::vector<std::array<std::uint32_t, 4>> inputs;
        std::vector<double> expected;
        for (const auto &[value, code] : values) { inputs.push_back({code << 8 | code | 0x8000, 0, 0, 0}); expected.push_back(value); }
        Engine e;
        const auto up = evaluate(e, std::string("cvt.rn.f16x2.") + f->name + " %r1, %h2;", inputs);
        std::vector<std::array<std::uint32_t, 4>> again;
        for (std::size_t i = 0; i < up.size(); ++i) {
            QCOMPARE(up[i] & 0xffff, halves.at(expected[i]));
            QCOMPARE(up[i] >> 16, halves.at(expected[i]) | 0x8000);
            again.push_back({up[i], 0, 0, 0});
        }
        const auto down = evaluate(e, std::string("cvt.rn.satfinite.") + f->name + ".f16x2 %h1, %r2;", again, "%h1");
        for (std::size_t i = 0; i < down.size(); ++i) QCOMPARE(down[i], inputs[i][0]);
    }
}

void EngineVariants::tf32() {
    Engine e;
    const std::vector<std::array<std::uint32_t, 4>> in{{0x3f80'1000, 0, 0, 0}, {0x3f80'3000, 0, 0, 0}, {0x3f80'0fff, 0, 0, 0}, {0xbf80'1000, 0, 0, 0}, {0x7f80'0000, 0, 0, 0}};
    using V = std::vector<std::uint32_t>;
    QCOMPARE(evaluate(e, "cvt.rna.tf32.f32 %r1, %f2;", in), (V{0x3f80'2000, 0x3f80'4000, 0x3f80'0000, 0xbf80'2000, 0x7f80'0000}));
    QCOMPARE(evaluate(e, "cvt.rn.tf32.f32 %r1, %f2;", in), (V{0x3f80'0000, 0x3f80'4000, 0x3f80'0000, 0xbf80'0000, 0x7f80'0000}));
    QCOMPARE(evaluate(e, "cvt.rz.tf32.f32 %r1, %f2;", in), (V{0x3f80'0000, 0x3f80'2000, 0x3f80'0000, 0xbf80'0000, 0x7f80'0000}));
    QCOMPARE(evaluate(e, "cvt.rn.relu.tf32.f32 %r1, %f2;", in), (V{0x3f80'0000, 0x3f80'4000, 0x3f80'0000, 0, 0x7f80'0000}));
    QCOMPARE(evaluate(e, "cvt.rna.satfinite.tf32.f32 %r1, %f2;", in)[4], 0x7f7f'e000u);
}

void EngineVariants::directedRounding_data() {
    QTest::addColumn<QString>("instruction");
    QTest::addColumn<float>("a");
    QTest::addColumn<float>("b");
    QTest::addColumn<float>("c");
    QTest::addColumn<quint32>("expected");
    const auto row = [](const char *i, float a, float b, float c, quint32 expected) { QTest::addRow("%s %g %g %g", i, double(a), double(b), double(c)) << i << a << b << c << expected; };
    // 1 + 2^-24 lies halfway between 1 and its successor; 1 − 2^-26 a quarter below
    row("add.rn.f32 %f1, %f2, %f3;", 1, 0x1p-24f, 0, 0x3f80'0000);
    row("add.rp.f32 %f1, %f2, %f3;", 1, 0x1p-24f, 0, 0x3f80'0001);
    row("add.rm.f32 %f1, %f2, %f3;", 1, -0x1p-26f, 0, 0x3f7f'ffff);
    row("add.rz.f32 %f1, %f2, %f3;", -1, -0x1p-26f, 0, 0xbf80'0000);
    row("add.rm.f32 %f1, %f2, %f3;", -1, -0x1p-26f, 0, 0xbf80'0001);
    row("sub.rz.f32 %f1, %f2, %f3;", 1, 0x1p-26f, 0, 0x3f7f'ffff);
    row("add.rp.sat.f32 %f1, %f2, %f3;", 1, 1, 0, 0x3f80'0000);
    row("mul.rp.f32 %f1, %f2, %f3;", 0x1.000002p0f, 0x1.000002p0f, 0, 0x3f80'0003); // 1 + 2^-22 + 2^-46
    row("mul.rz.f32 %f1, %f2, %f3;", 0x1.000002p0f, 0x1.000002p0f, 0, 0x3f80'0002);
    row("mul.rp.f32 %f1, %f2, %f3;", 0x1p-100f, 0x1p-100f, 0, 1);  // the least subnormal
    row("mul.rp.ftz.f32 %f1, %f2, %f3;", 0x1p-100f, 0x1p-27f, 0, 0);
    row("div.rp.f32 %f1, %f2, %f3;", 1, 3, 0, 0x3eaa'aaab);
    row("div.rm.f32 %f1, %f2, %f3;", 1, 3, 0, 0x3eaa'aaaa);
    row("div.rn.f32 %f1, %f2, %f3;", 2, 3, 0, 0x3f2a'aaab);
    row("div.rz.f32 %f1, %f2, %f3;", 2, 3, 0, 0x3f2a'aaaa);
    row("rcp.rm.f32 %f1, %f2;", 3, 0, 0, 0x3eaa'aaaa);
    row("sqrt.rp.f32 %f1, %f2;", 2, 0, 0, 0x3fb5'04f4); // √2 = 1.0110101000001001111001100…
    row("sqrt.rm.f32 %f1, %f2;", 2, 0, 0, 0x3fb5'04f3);
    row("fma.rp.f32 %f1, %f2, %f3, %f4;", 1, 1, 0x1p-60f, 0x3f80'0001);
    row("fma.rm.f32 %f1, %f2, %f3, %f4;", 1, 1, -0x1p-60f, 0x3f7f'ffff);
    row("fma.rz.ftz.f32 %f1, %f2, %f3, %f4;", 1, 1, 0x1p-60f, 0x3f80'0000);
    row("mad.rm.f32 %f1, %f2, %f3, %f4;", 1, 1, -0x1p-60f, 0x3f7f'ffff);
    row("cvt.rmi.f32.f32 %f1, %f2;", -0.5f, 0, 0, bits(-1.0f));
    row("cvt.rpi.f32.f32 %f1, %f2;", -0.5f, 0, 0, 0x8000'0000);
    row("cvt.rni.f32.f32 %f1, %f2;", 2.5f, 0, 0, bits(2.0f));
    row("cvt.rzi.sat.f32.f32 %f1, %f2;", 2.5f, 0, 0, bits(1.0f));
    row("cvt.f64.f32 %e1, %f2;\nadd.f64 %e1, %e1, 0d3BF0000000000000;\ncvt.rp.f32.f64 %f1, %e1;", 1, 0, 0, 0x3f80'0000); // 2^-64 is lost in the double's sum
    row("cvt.f64.f32 %e1, %f2;\nadd.f64 %e1, %e1, 0d3E00000000000000;\ncvt.rp.f32.f64 %f1, %e1;", 1, 0, 0, 0x3f80'0001);
    row("cvt.f64.f32 %e1, %f2;\nadd.f64 %e1, %e1, 0d3E00000000000000;\ncvt.rz.f32.f64 %f1, %e1;", 1, 0, 0, 0x3f80'0000);
    row("mov.u32 %r6, 16777217;\ncvt.rp.f32.u32 %f1, %r6;", 0, 0, 0, bits(16777218.0f));
    row("mov.u32 %r6, 16777217;\ncvt.rz.f32.u32 %f1, %r6;", 0, 0, 0, bits(16777216.0f));
    row("mov.u64 %d6, -16777217;\ncvt.rm.f32.s64 %f1, %d6;", 0, 0, 0, bits(-16777218.0f));
}
void EngineVariants::directedRounding() {
    QFETCH(QString, instruction);
    QFETCH(float, a);
    QFETCH(float, b);
    QFETCH(float, c);
    QFETCH(quint32, expected);
    Engine e;
    QCOMPARE(evaluate(e, instruction.toStdString(), {{bits(a), bits(b), bits(c), 0}}, "%f1").at(0), std::uint32_t{expected});
}

void EngineVariants::divisionOfHugeNumbers() {
    Engine e;
    const auto one = [&](const char *instruction, float a, float b) { return std::bit_cast<float>(evaluate(e, instruction, {{bits(a), bits(b), 0, 0}}, "%f1").at(0)); };
    // div.approx: a divisor above 2^126 gives zero, or NaN for an infinite dividend; div.full does not
    QCOMPARE(one("div.approx.f32 %f1, %f2, %f3;", 6.0f, 3.0f), 2.0f);
    QCOMPARE(one("div.approx.f32 %f1, %f2, %f3;", 0x1p127f, 0x1.8p126f), 0.0f);
    QVERIFY(std::isnan(one("div.approx.f32 %f1, %f2, %f3;", std::numeric_limits<float>::infinity(), 0x1p127f)));
    QCOMPARE(one("div.full.f32 %f1, %f2, %f3;", 0x1p127f, 0x1p127f), 1.0f);
}

void EngineVariants::narrowResultsAreExtended() {
    Engine e;
    // a conversion to s8 fills a 32-bit register with the sign
    QCOMPARE(evaluate(e, "cvt.s8.s32 %r1, %r2;", {{0x80, 0, 0, 0}})[0], 0xffff'ff80u);
    QCOMPARE(evaluate(e, "cvt.u8.u32 %r1, %r2;", {{0x1280, 0, 0, 0}})[0], 0x80u);
    QCOMPARE(evaluate(e, "cvt.sat.s8.s32 %r1, %r2;", {{0xffff'0000, 0, 0, 0}})[0], 0xffff'ff80u);
    QCOMPARE(evaluate(e, "cvt.sat.s16.s32 %r1, %r2;", {{0xffff'0000, 0, 0, 0}})[0], 0xffff'8000u);
    QCOMPARE(evaluate(e, "cvt.s64.s32 %d5, %r2;\nshr.u64 %d5, %d5, 32;\ncvt.u32.u64 %r1, %d5;", {{0x8000'0000, 0, 0, 0}})[0], 0xffff'ffffu);
}

void EngineVariants::floatReductions() {
    Engine e;
    const auto x = e.upload(std::vector<float>(4, 0));
    const std::string body = "cvt.rn.f32.u32 %f2, %tid;\nneg.f32 %f2, %f2;\nsetp.eq.u32 %p1, %tid, 7;\nselp.f32 %f2, 0f7FC00000, %f2, %p1;\n"
                             "redux.sync.min.f32 %f3, %f2, -1;\nredux.sync.max.abs.f32 %f4, %f2, -1;\nredux.sync.max.NaN.f32 %f5, %f2, -1;\nredux.sync.max.f32 %f6, %f2, -1;\nst.global.v4.f32 [%a0], {%f3, %f4, %f5, %f6};";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {x}));
    const auto r = e.download<float>(x, 4);
    QCOMPARE(r[0], -31.0f);
    QCOMPARE(r[1], 31.0f);
    QVERIFY(std::isnan(r[2]));
    QCOMPARE(r[3], 0.0f);
}

QTEST_APPLESS_MAIN(EngineVariants)
#include "tst_engine_variants.moc"
