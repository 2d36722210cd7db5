// SPDX-License-Identifier: Apache-2.0
// Results of instructions against the host's own arithmetic and libm.
#include "engine_fixture.h"

#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>

using namespace kernelskill::simulator;

class EngineArithmetic : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void floats_data();
    void floats();
    void integers_data();
    void integers();
    void wideIntegers();
    void directedRounding();
    void flushToZeroAndSaturation();
    void minimumAndMaximumOfNan();
    void halves();
    void bfloats();
    void conversions_data();
    void conversions();
    void everyHalfSurvivesConversion();
    void packing();
    void carries();
    void partialMaskKeepsOtherLanes();
};

using FloatFunction = std::function<double(double, double, double)>;
Q_DECLARE_METATYPE(FloatFunction)

namespace {
std::vector<float> samples() {
    std::vector<float> v;
    for (int i = 0; i < 64; ++i) v.push_back(static_cast<float>(std::ldexp(1.0 + 0.173 * (i % 5), i / 4 - 8)) * (i % 3 == 0 ? -1.0f : 1.0f));
    return v;
}
// runs "body" with %f1, %f2, %f3 (or %r1..) loaded from three arrays; stores %r10
std::vector<std::uint32_t> compute(const std::string &body, const std::vector<std::uint32_t> &a, const std::vector<std::uint32_t> &b, const std::vector<std::uint32_t> &c) {
    Engine e;
    const auto x = e.upload(a), y = e.upload(b), z = e.upload(c), out = e.upload(std::vector<std::uint32_t>(a.size(), 0xdead));
    const std::string loads = "add.s64 %d1, %a0, %o64;\nld.global.u32 %r1, [%d1];\nadd.s64 %d1, %a1, %o64;\nld.global.u32 %r2, [%d1];\nadd.s64 %d1, %a2, %o64;\nld.global.u32 %r3, [%d1];\n"
                              "mov.b32 %f1, %r1;\nmov.b32 %f2, %r2;\nmov.b32 %f3, %r3;\ncvt.u16.u32 %h1, %r1;\ncvt.u16.u32 %h2, %r2;\ncvt.u16.u32 %h3, %r3;\n";
    if (!e.run(kernelText(4, loads + body + "\nadd.s64 %d1, %a3, %o64;\nst.global.u32 [%d1], %r10;"), {1}, {static_cast<std::uint32_t>(a.size())}, {x, y, z, out})) return {};
    if (!e.report.completed) {
        qWarning("%s", e.report.findings.front().message.c_str());
        return {};
    }
    return e.download<std::uint32_t>(out, a.size());
}
std::vector<std::uint32_t> bits(const std::vector<float> &v) {
    std::vector<std::uint32_t> r;
    for (const float f : v) r.push_back(std::bit_cast<std::uint32_t>(f));
    return r;
}
} // namespace

void EngineArithmetic::floats_data() {
    QTest::addColumn<QString>("instruction");
    QTest::addColumn<FloatFunction>("expected");
    QTest::addColumn<double>("relativeError");
    const auto row = [](const char *text, FloatFunction f, double error = 0) { QTest::newRow(text) << QString::fromLatin1(text) << f << error; };
    row("add.f32 %f4, %f1, %f2", [](double a, double b, double) { return static_cast<float>(a + b); });
    row("sub.f32 %f4, %f1, %f2", [](double a, double b, double) { return static_cast<float>(a - b); });
    row("mul.f32 %f4, %f1, %f2", [](double a, double b, double) { return static_cast<float>(a * b); });
    row("fma.rn.f32 %f4, %f1, %f2, %f3", [](double a, double b, double c) { return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)); });
    row("div.rn.f32 %f4, %f1, %f2", [](double a, double b, double) { return static_cast<float>(a) / static_cast<float>(b); });
    row("div.full.f32 %f4, %f1, %f2", [](double a, double b, double) { return a / b; }, 3e-7);
    row("min.f32 %f4, %f1, %f2", [](double a, double b, double) { return std::fmin(a, b); });
    row("max.f32 %f4, %f1, %f2", [](double a, double b, double) { return std::fmax(a, b); });
    row("abs.f32 %f4, %f1", [](double a, double, double) { return std::fabs(a); });
    row("neg.f32 %f4, %f1", [](double a, double, double) { return -a; });
    row("copysign.f32 %f4, %f1, %f2", [](double a, double b, double) { return std::copysign(b, a); });
    row("rcp.rn.f32 %f4, %f1", [](double a, double, double) { return 1.0f / static_cast<float>(a); });
    row("rcp.approx.ftz.f32 %f4, %f1", [](double a, double, double) { return 1.0 / a; }, 1.2e-7);
    row("abs.f32 %f4, %f1; sqrt.rn.f32 %f4, %f4", [](double a, double, double) { return std::sqrt(static_cast<float>(std::fabs(a))); });
    row("abs.f32 %f4, %f1; rsqrt.approx.f32 %f4, %f4", [](double a, double, double) { return 1 / std::sqrt(std::fabs(a)); }, 2e-7);
    row("ex2.approx.f32 %f4, %f1", [](double a, double, double) { return static_cast<float>(std::exp2(a)); }, 2e-7);
    row("abs.f32 %f4, %f1; lg2.approx.f32 %f4, %f4", [](double a, double, double) { return std::log2(std::fabs(a)); }, 2e-7);
    row("sin.approx.f32 %f4, %f1", [](double a, double, double) { return std::sin(a); }, 2e-6);
    row("cos.approx.f32 %f4, %f1", [](double a, double, double) { return std::cos(a); }, 2e-6);
    row("tanh.approx.f32 %f4, %f1", [](double a, double, double) { return std::tanh(a); }, 2e-7);
    row("setp.lt.f32 %p1, %f1, %f2; selp.f32 %f4, %f1, %f3, %p1", [](double a, double b, double c) { return a < b ? a : c; });
    row("slct.f32.f32 %f4, %f1, %f2, %f3", [](double a, double b, double c) { return c >= 0 ? a : b; });
    row("set.gt.f32.f32 %f4, %f1, %f2", [](double a, double b, double) { return a > b ? 1 : 0; });
}

void EngineArithmetic::floats() {
    QFETCH(QString, instruction);
    QFETCH(FloatFunction, expected);
    QFETCH(double, relativeError);
    std::vector<float> a = samples(), b = samples(), c = samples();
    std::rotate(b.begin(), b.begin() + 7, b.end());
    std::rotate(c.begin(), c.begin() + 23, c.end());
    const auto out = compute((instruction + ";\nmov.b32 %r10, %f4;").toStdString(), bits(a), bits(b), bits(c));
    QCOMPARE(out.size(), a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double got = std::bit_cast<float>(out[i]), want = expected(a[i], b[i], c[i]);
        if (got == want) continue;
        const double error = std::fabs(got - want) / std::max(std::fabs(want), 1e-30);
        QVERIFY2(error <= relativeError, qPrintable(QStringLiteral("lane %1: %2 (%3) gives %4, wanted %5").arg(i).arg(instruction).arg(a[i]).arg(got).arg(want)));
    }
}

using IntegerFunction = std::function<std::uint32_t(std::uint32_t, std::uint32_t, std::uint32_t)>;
Q_DECLARE_METATYPE(IntegerFunction)

void EngineArithmetic::integers_data() {
    QTest::addColumn<QString>("instruction");
    QTest::addColumn<IntegerFunction>("expected");
    using u = std::uint32_t;
    using s = std::int32_t;
    const auto row = [](const char *text, IntegerFunction f) { QTest::newRow(text) << QString::fromLatin1(text) << f; };
    row("add.s32 %r10, %r1, %r2", [](u a, u b, u) { return a + b; });
    row("add.sat.s32 %r10, %r1, %r2", [](u a, u b, u) { return static_cast<u>(std::clamp<std::int64_t>(std::int64_t{static_cast<s>(a)} + static_cast<s>(b), INT32_MIN, INT32_MAX)); });
    row("mul.lo.u32 %r10, %r1, %r2", [](u a, u b, u) { return a * b; });
    row("mul.hi.u32 %r10, %r1, %r2", [](u a, u b, u) { return static_cast<u>(std::uint64_t{a} * b >> 32); });
    row("mul.hi.s32 %r10, %r1, %r2", [](u a, u b, u) { return static_cast<u>(std::int64_t{static_cast<s>(a)} * static_cast<s>(b) >> 32); });
    row("mad.lo.s32 %r10, %r1, %r2, %r3", [](u a, u b, u c) { return a * b + c; });
    row("div.s32 %r10, %r1, %r2", [](u a, u b, u) { return b == 0 ? ~0u : static_cast<u>(static_cast<std::int64_t>(static_cast<s>(a)) / static_cast<s>(b)); });
    row("div.u32 %r10, %r1, %r2", [](u a, u b, u) { return b == 0 ? ~0u : a / b; });
    row("rem.u32 %r10, %r1, %r2", [](u a, u b, u) { return b == 0 ? a : a % b; });
    row("min.s32 %r10, %r1, %r2", [](u a, u b, u) { return static_cast<s>(a) < static_cast<s>(b) ? a : b; });
    row("max.u32 %r10, %r1, %r2", [](u a, u b, u) { return std::max(a, b); });
    row("abs.s32 %r10, %r1", [](u a, u, u) { return static_cast<s>(a) < 0 ? 0 - a : a; });
    row("xor.b32 %r10, %r1, %r2", [](u a, u b, u) { return a ^ b; });
    row("not.b32 %r10, %r1", [](u a, u, u) { return ~a; });
    row("shl.b32 %r10, %r1, %r2", [](u a, u b, u) { return b > 31 ? 0 : a << b; });
    row("shr.s32 %r10, %r1, %r2", [](u a, u b, u) { return static_cast<u>(static_cast<s>(a) >> std::min(b, 31u)); });
    row("shr.u32 %r10, %r1, %r2", [](u a, u b, u) { return b > 31 ? 0 : a >> b; });
    row("bfe.u32 %r10, %r1, 4, 9", [](u a, u, u) { return a >> 4 & 0x1ff; });
    row("bfe.s32 %r10, %r1, 4, 9", [](u a, u, u) { return static_cast<u>(static_cast<s>(a << 19) >> 23); });
    row("bfi.b32 %r10, %r1, %r2, 8, 12", [](u a, u b, u) { return (b & ~0xfff00u) | (a & 0xfff) << 8; });
    row("prmt.b32 %r10, %r1, %r2, 0x5410", [](u a, u b, u) { return (a & 0xffff) | (b & 0xffff) << 16; });
    row("prmt.b32 %r10, %r1, %r2, 0x0b87", [](u a, u b, u) { return ((b >> 24) & 0xff) | ((a & 0x80) ? 0xff00u : 0u) | ((a >> 31) ? 0xff0000u : 0u) | (a & 0xff) << 24; });
    row("lop3.b32 %r10, %r1, %r2, %r3, 0x96", [](u a, u b, u c) { return a ^ b ^ c; });
    row("lop3.b32 %r10, %r1, %r2, %r3, 0xCA", [](u a, u b, u c) { return (a & b) | (~a & c); });
    row("shf.l.wrap.b32 %r10, %r1, %r2, %r3", [](u a, u b, u c) { return (c & 31) == 0 ? b : b << (c & 31) | a >> (32 - (c & 31)); });
    row("shf.r.clamp.b32 %r10, %r1, %r2, %r3", [](u a, u b, u c) { return c >= 32 ? b : static_cast<u>((std::uint64_t{b} << 32 | a) >> c); });
    row("popc.b32 %r10, %r1", [](u a, u, u) { return static_cast<u>(std::popcount(a)); });
    row("clz.b32 %r10, %r1", [](u a, u, u) { return static_cast<u>(std::countl_zero(a)); });
    row("brev.b32 %r10, %r1", [](u a, u, u) { u r = 0; for (int i = 0; i < 32; ++i) r |= (a >> i & 1) << (31 - i); return r; });
    row("bfind.u32 %r10, %r1", [](u a, u, u) { return a == 0 ? ~0u : 31u - static_cast<u>(std::countl_zero(a)); });
    row("sad.s32 %r10, %r1, %r2, %r3", [](u a, u b, u c) { return c + (static_cast<s>(a) < static_cast<s>(b) ? b - a : a - b); });
    row("dp4a.s32.s32 %r10, %r1, %r2, %r3", [](u a, u b, u c) { u r = c; for (int i = 0; i < 4; ++i) r += static_cast<u>(int(static_cast<std::int8_t>(a >> 8 * i)) * int(static_cast<std::int8_t>(b >> 8 * i))); return r; });
    row("setp.hi.u32 %p1, %r1, %r2; selp.b32 %r10, %r1, 5, %p1", [](u a, u b, u) { return a > b ? a : 5; });
    row("setp.lt.or.s32 %p1|%p2, %r1, %r2, %p0; selp.b32 %r10, 3, 4, %p2", [](u a, u b, u) { return static_cast<s>(a) < static_cast<s>(b) ? 4u : 3u; });
    row("mul.lo.s16 %h4, %h1, %h2; cvt.s32.s16 %r10, %h4", [](u a, u b, u) { return static_cast<u>(s{static_cast<std::int16_t>(static_cast<std::int16_t>(a) * static_cast<std::int16_t>(b))}); });
    row("mul.wide.u16 %r10, %h1, %h2", [](u a, u b, u) { return (a & 0xffff) * (b & 0xffff); });
    row("shr.s16 %h4, %h1, 3; cvt.u32.u16 %r10, %h4", [](u a, u, u) { return static_cast<u>(static_cast<std::uint16_t>(static_cast<std::int16_t>(a) >> 3)); });
}

void EngineArithmetic::integers() {
    QFETCH(QString, instruction);
    QFETCH(IntegerFunction, expected);
    std::vector<std::uint32_t> a, b, c;
    for (std::uint32_t i = 0; i < 64; ++i) {
        a.push_back(i * 2654435761u ^ (i << 7));
        b.push_back(i % 4 == 0 ? i : i % 4 == 1 ? 0u - i : i * 40503u + 1);
        c.push_back(i % 3 ? i : i * 0x01010101u);
    }
    a[0] = 0; a[1] = 0x8000'0000u; b[1] = ~0u; a[2] = ~0u;
    const auto out = compute("setp.ne.u32 %p0, %r1, %r1;\n" + instruction.toStdString() + ";", a, b, c);
    QCOMPARE(out.size(), a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        QVERIFY2(out[i] == expected(a[i], b[i], c[i]), qPrintable(QStringLiteral("lane %1: %2 with %3, %4, %5 gives %6, wanted %7").arg(i).arg(instruction)
                     .arg(a[i], 0, 16).arg(b[i], 0, 16).arg(c[i], 0, 16).arg(out[i], 0, 16).arg(expected(a[i], b[i], c[i]), 0, 16)));
}

void EngineArithmetic::wideIntegers() {
    std::vector<std::uint32_t> a, b, c(64);
    for (std::uint32_t i = 0; i < 64; ++i) { a.push_back(i * 2654435761u); b.push_back(i * 97u + 3); }
    const auto out = compute("mov.b64 %d5, {%r1, %r2};\nmul.wide.s32 %d6, %r1, %r2;\nmul.lo.s64 %d7, %d5, %d6;\nmul.hi.u64 %d8, %d5, %d7;\nxor.b64 %d9, %d7, %d8;\nshr.s64 %d9, %d9, 5;\nrem.s64 %d10, %d9, 1000003;\ndiv.u64 %d11, %d9, 77;\nadd.s64 %d10, %d10, %d11;\nmov.b64 {%r4, %r5}, %d10;\nxor.b32 %r10, %r4, %r5;", a, b, c);
    QCOMPARE(out.size(), 64u);
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint64_t d5 = a[i] | std::uint64_t{b[i]} << 32;
        const std::uint64_t d7 = d5 * static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a[i])} * static_cast<std::int32_t>(b[i]));
        __extension__ using Wide = unsigned __int128;
        const std::int64_t d9 = static_cast<std::int64_t>(d7 ^ static_cast<std::uint64_t>(static_cast<Wide>(d5) * d7 >> 64)) >> 5;
        const std::uint64_t d10 = static_cast<std::uint64_t>(d9 % 1000003) + static_cast<std::uint64_t>(d9) / 77;
        QCOMPARE(out[i], static_cast<std::uint32_t>(d10) ^ static_cast<std::uint32_t>(d10 >> 32));
    }
}

void EngineArithmetic::directedRounding() {
    const std::pair<const char *, int> modes[] = {{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
    const auto a = samples();
    auto b = samples();
    std::rotate(b.begin(), b.begin() + 11, b.end());
    for (const auto &[name, mode] : modes) {
        const auto out = compute("div." + std::string(name) + ".f32 %f4, %f1, %f2;\nadd." + name + ".f32 %f5, %f4, %f2;\nmov.b32 %r10, %f5;", bits(a), bits(b), bits(b));
        QCOMPARE(out.size(), a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            std::fesetround(mode);
            volatile float x = a[i], y = b[i];
            volatile float q = x / y;
            volatile float want = q + y;
            std::fesetround(FE_TONEAREST);
            QCOMPARE(std::bit_cast<float>(out[i]), static_cast<float>(want));
        }
    }
}

void EngineArithmetic::flushToZeroAndSaturation() {
    const float tiny = std::numeric_limits<float>::denorm_min() * 100;
    const std::vector<std::uint32_t> a = bits({tiny, -tiny, 2.5f, -1.0f, 0.25f, std::numeric_limits<float>::quiet_NaN()}), one = bits({1, 1, 1, 1, 1, 1});
    auto out = compute("mul.ftz.f32 %f4, %f1, %f2;\nmov.b32 %r10, %f4;", a, one, one);
    QCOMPARE(out[0], 0u);
    QCOMPARE(out[1], 0x8000'0000u);
    out = compute("mul.f32 %f4, %f1, %f2;\nmov.b32 %r10, %f4;", a, one, one);
    QCOMPARE(std::bit_cast<float>(out[0]), tiny);
    out = compute("mul.sat.f32 %f4, %f1, %f2;\nmov.b32 %r10, %f4;", a, one, one);
    QCOMPARE(std::bit_cast<float>(out[2]), 1.0f);
    QCOMPARE(std::bit_cast<float>(out[3]), 0.0f);
    QCOMPARE(std::bit_cast<float>(out[4]), 0.25f);
    QCOMPARE(std::bit_cast<float>(out[5]), 0.0f);
}

void EngineArithmetic::minimumAndMaximumOfNan() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto a = bits({nan, 1, 0.0f, -0.0f}), b = bits({2, nan, -0.0f, 0.0f});
    const auto least = compute("min.f32 %f4, %f1, %f2;\nmov.b32 %r10, %f4;", a, b, b);
    QCOMPARE(least, bits({2, 1, -0.0f, -0.0f}));
    const auto most = compute("max.f32 %f4, %f1, %f2;\nmov.b32 %r10, %f4;", a, b, b);
    QCOMPARE(most, bits({2, 1, 0.0f, 0.0f}));
    const auto propagated = compute("max.NaN.f32 %f4, %f1, %f2;\nmov.b32 %r10, %f4;", a, b, b);
    QVERIFY(std::isnan(std::bit_cast<float>(propagated[0])) && std::isnan(std::bit_cast<float>(propagated[1])));
}

void EngineArithmetic::halves() {
    // 1.5 · 2.25 + (−3) = 0.375; packed with 2 · 3 + 4 = 10
    const std::vector<std::uint32_t> a{0x40003e00}, b{0x42004080}, c{0x4400c200};
    QCOMPARE(compute("fma.rn.f16x2 %r10, %r1, %r2, %r3;", a, b, c)[0], 0x49003600u);
    QCOMPARE(compute("fma.rn.f16 %h4, %h1, %h2, %h3;\ncvt.u32.u16 %r10, %h4;", a, b, c)[0], 0x3600u);
    QCOMPARE(compute("add.f16 %h4, %h1, %h2;\ncvt.u32.u16 %r10, %h4;", a, b, c)[0], 0x4380u); // 3.75
    QCOMPARE(compute("setp.lt.f16 %p1, %h1, %h2;\nselp.u32 %r10, 1, 0, %p1;", a, b, c)[0], 1u);
    QCOMPARE(compute("neg.f16x2 %r10, %r1;", a, b, c)[0], 0xc000be00u);
    // 65504 + 32 rounds to infinity's neighbour: exactly half a step up goes to infinity
    QCOMPARE(compute("add.f16 %h4, %h1, %h2;\ncvt.u32.u16 %r10, %h4;", {0x7bff}, {0x4c00}, c)[0], 0x7c00u);
}

void EngineArithmetic::bfloats() {
    const std::vector<std::uint32_t> a{0x40003fc0}, b{0x40404010}, c{0x4080c040};
    QCOMPARE(compute("fma.rn.bf16x2 %r10, %r1, %r2, %r3;", a, b, c)[0], 0x41203ec0u);
    QCOMPARE(compute("cvt.f32.bf16 %f4, %h1;\nmov.b32 %r10, %f4;", a, b, c)[0], 0x3fc00000u);
    QCOMPARE(compute("cvt.rn.bf16x2.f32 %r10, %f1, %f2;", bits({1.0f}), bits({-2.0f}), c)[0], 0x3f80c000u);
}

void EngineArithmetic::conversions_data() {
    QTest::addColumn<QString>("instruction");
    QTest::addColumn<float>("input");
    QTest::addColumn<quint32>("expected");
    const auto row = [](const char *text, float in, std::uint32_t out) { QTest::addRow("%s of %g", text, static_cast<double>(in)) << QString::fromLatin1(text) << in << quint32(out); };
    row("cvt.rni.s32.f32 %r10, %f1", 2.5f, 2);
    row("cvt.rni.s32.f32 %r10, %f1", 3.5f, 4);
    row("cvt.rzi.s32.f32 %r10, %f1", -2.9f, static_cast<std::uint32_t>(-2));
    row("cvt.rmi.s32.f32 %r10, %f1", -2.1f, static_cast<std::uint32_t>(-3));
    row("cvt.rpi.s32.f32 %r10, %f1", -2.9f, static_cast<std::uint32_t>(-2));
    row("cvt.rzi.u32.f32 %r10, %f1", -5.0f, 0);
    row("cvt.rzi.u32.f32 %r10, %f1", 5e9f, 0xffff'ffffu);
    row("cvt.rzi.s32.f32 %r10, %f1", 5e9f, 0x7fff'ffffu);
    row("cvt.rzi.s32.f32 %r10, %f1", std::numeric_limits<float>::quiet_NaN(), 0);
    row("cvt.rzi.u16.f32 %h4, %f1; cvt.u32.u16 %r10, %h4", 70000.0f, 65535);
    row("cvt.rzi.u8.f32 %h4, %f1; cvt.u32.u16 %r10, %h4; and.b32 %r10, %r10, 255", 300.0f, 255);
    row("cvt.rn.f16.f32 %h4, %f1; cvt.u32.u16 %r10, %h4", 1.0f / 3, 0x3555);
    row("cvt.rz.f16.f32 %h4, %f1; cvt.u32.u16 %r10, %h4", 0.99999f, 0x3bff);
    row("cvt.rn.f16.f32 %h4, %f1; cvt.u32.u16 %r10, %h4", 5.96e-8f, 0x0001);
    row("cvt.rn.bf16.f32 %h4, %f1; cvt.u32.u16 %r10, %h4", 1.00390625f, 0x3f80); // half way: to even
    row("cvt.rna.tf32.f32 %r10, %f1", 1.00048828125f, 0x3f802000u);              // half way: away
    row("cvt.rmi.f32.f32 %f4, %f1; mov.b32 %r10, %f4", -1.5f, 0xc0000000u);
    row("cvt.sat.f32.f32 %f4, %f1; mov.b32 %r10, %f4", 1.5f, 0x3f800000u);
    row("cvt.f64.f32 %e1, %f1; mul.f64 %e1, %e1, 0d4008000000000000; cvt.rn.f32.f64 %f4, %e1; mov.b32 %r10, %f4", 1.5f, 0x40900000u);
    row("cvt.rzi.s64.f32 %d5, %f1; cvt.u32.u64 %r10, %d5", -7.5f, static_cast<std::uint32_t>(-7));
    row("cvt.rzi.s32.f32 %r5, %f1; cvt.rn.f32.s32 %f4, %r5; mov.b32 %r10, %f4", -7.5f, 0xc0e00000u);
    row("cvt.rzi.s32.f32 %r5, %f1; cvt.s32.s8 %r10, %r5", 200.0f, static_cast<std::uint32_t>(-56));
    row("cvt.rzi.s32.f32 %r5, %f1; cvt.sat.u8.s32 %r10, %r5", -9.0f, 0);
}
void EngineArithmetic::conversions() {
    QFETCH(QString, instruction);
    QFETCH(float, input);
    QFETCH(quint32, expected);
    const auto out = compute(instruction.toStdString() + ";", bits({input}), {0}, {0});
    QCOMPARE(out.size(), 1u);
    QCOMPARE(quint32(out[0]), expected);
}

void EngineArithmetic::everyHalfSurvivesConversion() {
    for (std::uint32_t begin = 0; begin < 65536; begin += 1024) {
        std::vector<std::uint32_t> a;
        for (std::uint32_t i = 0; i < 1024; ++i) a.push_back(begin + i);
        const auto out = compute("cvt.f32.f16 %f4, %h1;\ncvt.rn.f16.f32 %h4, %f4;\ncvt.u32.u16 %r10, %h4;", a, a, a);
        QCOMPARE(out.size(), 1024u);
        for (std::uint32_t i = 0; i < 1024; ++i) {
            const bool nan = (a[i] & 0x7fff) > 0x7c00;
            if (nan) QVERIFY((out[i] & 0x7fff) > 0x7c00);
            else QCOMPARE(out[i], a[i]);
        }
    }
}

void EngineArithmetic::packing() {
    const auto out = compute("mov.b32 %r4, {%h1, %h2};\nmov.b32 {%h5, %h6}, %r4;\nmov.b64 %d5, {%r4, %r1};\nmov.b64 {%h7, %h8, %h9, %h10}, %d5;\nmov.b32 %r10, {%h9, %h6};", {0xabcd1234}, {0x5678}, {0});
    QCOMPARE(out[0], 0x56781234u);
}

void EngineArithmetic::carries() {
    const auto out = compute("add.cc.u32 %r4, %r1, %r2;\naddc.cc.u32 %r5, %r3, 0;\naddc.u32 %r6, 0, 0;\nsub.cc.u32 %r7, 0, 1;\nsubc.u32 %r8, 5, 0;\nmad.lo.cc.u32 %r9, %r1, %r2, %r1;\nmadc.hi.u32 %r11, %r1, %r2, 0;\n"
                             "add.u32 %r10, %r5, %r6;\nadd.u32 %r10, %r10, %r8;\nadd.u32 %r10, %r10, %r11;", {0xffffffff}, {2}, {0xffffffff});
    // 0xffffffff + 2 carries; 0xffffffff + 0 + 1 carries; so r5 = 0, r6 = 1; 0 − 1 borrows: r8 = 4; the product's upper half is 1, its sum carries: 2
    QCOMPARE(out[0], 0u + 1 + 4 + 2);
}

void EngineArithmetic::partialMaskKeepsOtherLanes() {
    std::vector<std::uint32_t> a(32), b(32, 100), c(32);
    for (std::uint32_t i = 0; i < 32; ++i) a[i] = i;
    const auto out = compute("mov.u32 %r10, %r1;\nand.b32 %r4, %r1, 1;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 add.u32 %r10, %r1, %r2;", a, b, c);
    for (std::uint32_t i = 0; i < 32; ++i) QCOMPARE(out[i], i % 2 ? i : i + 100);
}

QTEST_APPLESS_MAIN(EngineArithmetic)
#include "tst_engine_arithmetic.moc"
