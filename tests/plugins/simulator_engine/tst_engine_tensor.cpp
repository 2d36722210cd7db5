// SPDX-License-Identifier: Apache-2.0
// Matrix instructions: the layouts of fragments through ldmatrix and mma together, against a plain product.
#include "engine_fixture.h"

using namespace kernelskill::simulator;

class EngineTensor : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void halfProductThroughLdmatrix();
    void tf32Product();
    void storedMatricesComeBack();
    void storedConstantsComeBack();
    void rowsInOneBankConflict();
    void wmmaProduct_data();
    void wmmaProduct();
};

namespace {

std::uint16_t half(int value) { // small whole numbers
    if (value == 0) return 0;
    const int magnitude = std::abs(value);
    const int exponent = 31 - std::countl_zero(static_cast<std::uint32_t>(magnitude));
    return static_cast<std::uint16_t>((value < 0 ? 0x8000 : 0) | (exponent + 15) << 10 | (magnitude << (10 - exponent) & 0x3ff));
}

} // namespace

void EngineTensor::halfProductThroughLdmatrix() {
    Engine e;
    int a[16][16], b[16][8];
    std::vector<std::uint16_t> ah, bh;
    for (int i = 0; i < 16; ++i)
        for (int k = 0; k < 16; ++k) ah.push_back(half(a[i][k] = (i * 5 + k * 3) % 11 - 5));
    for (int k = 0; k < 16; ++k)
        for (int j = 0; j < 8; ++j) bh.push_back(half(b[k][j] = (k * 7 + j) % 9 - 4));
    const auto x = e.upload(ah), y = e.upload(bh), z = e.upload(std::vector<float>(128, 0));
    // A to shared memory at 0 (rows of 32 bytes), B at 512 (rows of 16 bytes)
    const std::string body =
        "mov.u32 %r1, s;\nmul.wide.u32 %d1, %tid, 16;\nadd.s64 %d2, %a0, %d1;\nld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%d2];\nmad.lo.u32 %r6, %tid, 16, %r1;\nst.shared.v4.u32 [%r6], {%r2,%r3,%r4,%r5};\n"
        "mul.wide.u32 %d1, %tid, 8;\nadd.s64 %d2, %a1, %d1;\nld.global.v2.u32 {%r2,%r3}, [%d2];\nmad.lo.u32 %r6, %tid, 8, %r1;\nst.shared.v2.u32 [%r6+512], {%r2,%r3};\nbar.warp.sync -1;\n"
        "and.b32 %r7, %tid, 15;\nshr.u32 %r8, %tid, 4;\nmad.lo.u32 %r9, %r7, 32, %r1;\nmad.lo.u32 %r9, %r8, 16, %r9;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, [%r9];\n"
        "mad.lo.u32 %r9, %r7, 16, %r1;\nldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r14,%r15}, [%r9+512];\nmov.f32 %f5, 0f3F800000;\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r10,%r11,%r12,%r13}, {%r14,%r15}, {%f5,%f5,%f5,%f5};\n"
        "shr.u32 %r20, %tid, 2;\nand.b32 %r21, %tid, 3;\nmul.lo.u32 %r22, %r20, 32;\nmad.lo.u32 %r22, %r21, 8, %r22;\ncvt.u64.u32 %d3, %r22;\nadd.s64 %d3, %a2, %d3;\nst.global.v2.f32 [%d3], {%f1,%f2};\nst.global.v2.f32 [%d3+256], {%f3,%f4};";
    QVERIFY(e.run(kernelText(3, body, ".shared .align 16 .b8 s[768];"), {1}, {32}, {x, y, z}));
    QVERIFY2(e.report.completed, e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    QVERIFY(e.report.findings.empty());
    const auto c = e.download<float>(z, 128);
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 8; ++j) {
            int sum = 1;
            for (int k = 0; k < 16; ++k) sum += a[i][k] * b[k][j];
            QCOMPARE(c[static_cast<std::size_t>(i * 8 + j)], static_cast<float>(sum));
        }
    QCOMPARE(e.report.counters.tensorFlops, 2u * 16 * 8 * 16);
    QCOMPARE(e.report.counters.warpInstructions[static_cast<std::size_t>(InstructionClass::Tensor)], 1u);
}

void EngineTensor::tf32Product() {
    Engine e;
    const auto z = e.upload(std::vector<float>(32, 0));
    // A's element (row, k) is row, B's (k, column) is k: every sum is row · (0 + … + 7)
    const std::string body = "shr.u32 %r1, %tid, 2;\nand.b32 %r2, %tid, 3;\ncvt.rn.f32.u32 %f1, %r1;\nadd.f32 %f2, %f1, 0f41000000;\ncvt.rn.f32.u32 %f3, %r2;\nadd.f32 %f4, %f3, 0f40800000;\n"
                             "mov.b32 %r3, %f1;\nmov.b32 %r4, %f2;\nmov.b32 %r5, %f3;\nmov.b32 %r6, %f4;\nmov.f32 %f9, 0f00000000;\n"
                             "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f5,%f6,%f7,%f8}, {%r3,%r4,%r3,%r4}, {%r5,%r6}, {%f9,%f9,%f9,%f9};\nadd.s64 %d1, %a0, %o64;\nadd.f32 %f5, %f5, %f8;\nst.global.f32 [%d1], %f5;";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {z}));
    QVERIFY2(e.report.completed, e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    const auto c = e.download<float>(z, 32);
    for (std::size_t lane = 0; lane < 32; ++lane) QCOMPARE(c[lane], static_cast<float>((lane / 4 + lane / 4 + 8) * 28));
}

void EngineTensor::storedMatricesComeBack() {
    Engine e;
    const auto z = e.upload(std::vector<std::uint32_t>(32, 0));
    const std::string body = "mov.u32 %r1, s;\nand.b32 %r2, %tid, 7;\nmad.lo.u32 %r3, %r2, 16, %r1;\nmul.lo.u32 %r4, %tid, 0x00030001;\nstmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r4};\n"
                             "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r3];\nadd.s64 %d1, %a0, %o64;\nst.global.u32 [%d1], %r5;";
    QVERIFY(e.run(kernelText(1, body, ".shared .align 16 .b8 s[128];"), {1}, {32}, {z}));
    QVERIFY2(e.report.completed, e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    const auto c = e.download<std::uint32_t>(z, 32);
    for (std::uint32_t lane = 0; lane < 32; ++lane) QCOMPARE(c[lane], lane * 0x00030001u);
}

// What is stored may be written as a number, alone or beside a register.
void EngineTensor::storedConstantsComeBack() {
    Engine e;
    const auto z = e.upload(std::vector<std::uint32_t>(64, 0));
    const std::string body = "mov.u32 %r1, s;\nand.b32 %r2, %tid, 15;\nmad.lo.u32 %r3, %r2, 16, %r1;\nmul.lo.u32 %r4, %tid, 0x00030001;\n"
                             "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r3], {458759, %r4};\n"
                             "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5, %r6}, [%r3];\nadd.s64 %d1, %a0, %o64;\nst.global.u32 [%d1], %r5;\nst.global.u32 [%d1+128], %r6;";
    QVERIFY(e.run(kernelText(1, body, ".shared .align 16 .b8 s[256];"), {1}, {32}, {z}));
    QVERIFY2(e.report.completed, e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    const auto c = e.download<std::uint32_t>(z, 64);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        QCOMPARE(c[lane], 458759u); // 7 in both halves
        QCOMPARE(c[32 + lane], lane * 0x00030001u);
    }
}

void EngineTensor::rowsInOneBankConflict() {
    for (const int stride : {16, 128, 144}) {
        Engine e;
        const std::string body = "mov.u32 %r1, s;\nand.b32 %r2, %tid, 7;\nmad.lo.u32 %r3, %r2, " + std::to_string(stride)
                               + ", %r1;\nmov.u32 %r4, 0;\nst.shared.v4.u32 [%r3], {%r4,%r4,%r4,%r4};\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r3];";
        QVERIFY(e.run(kernelText(0, body, ".shared .align 16 .b8 s[1152];"), {1}, {32}, {}));
        QCOMPARE(e.report.counters.sharedLoadWavefronts, stride == 128 ? 8u : 1u); // 144: the padding moves each row on
    }
}

void EngineTensor::wmmaProduct_data() {
    QTest::addColumn<QString>("layoutA");
    QTest::addColumn<QString>("layoutB");
    for (const char *a : {"row", "col"})
        for (const char *b : {"row", "col"}) QTest::addRow("a %s, b %s", a, b) << QString::fromLatin1(a) << QString::fromLatin1(b);
}
void EngineTensor::wmmaProduct() {
    QFETCH(QString, layoutA);
    QFETCH(QString, layoutB);
    Engine e;
    std::vector<std::uint16_t> a, b;
    for (int i = 0; i < 256; ++i) { a.push_back(half(i % 7 - 3)); b.push_back(half(i % 5 - 2)); }
    const auto x = e.upload(a), y = e.upload(b), z = e.upload(std::vector<float>(256, 0.5f));
    const std::string la = layoutA.toStdString(), lb = layoutB.toStdString();
    const std::string body = "mov.u32 %r1, 16;\nwmma.load.a.sync.aligned." + la + ".m16n16k16.global.f16 {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, [%a0], %r1;\n"
                           + "wmma.load.b.sync.aligned." + lb + ".m16n16k16.global.f16 {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, [%a1], %r1;\n"
                           + "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%a2], %r1;\nwmma.mma.sync.aligned." + la + "." + lb
                           + ".m16n16k16.f32.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};\n"
                             "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%a2], {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, %r1;";
    QVERIFY(e.run(kernelText(3, body), {1}, {32}, {x, y, z}));
    QVERIFY2(e.report.completed, e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    const auto c = e.download<float>(z, 256);
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 16; ++j) {
            float sum = 0.5f;
            for (int k = 0; k < 16; ++k) {
                const int atA = layoutA == QLatin1String("row") ? i * 16 + k : k * 16 + i, atB = layoutB == QLatin1String("row") ? k * 16 + j : j * 16 + k;
                sum += static_cast<float>((atA % 7 - 3) * (atB % 5 - 2));
            }
            QCOMPARE(c[static_cast<std::size_t>(i * 16 + j)], sum);
        }
    QCOMPARE(e.report.counters.tensorFlops, 2u * 16 * 16 * 16);
}

QTEST_APPLESS_MAIN(EngineTensor)
#include "tst_engine_tensor.moc"
