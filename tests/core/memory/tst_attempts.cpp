// SPDX-License-Identifier: Apache-2.0
// What counts as the same code, and as the same plan.
#include "memory/shortterm/attempts.h"

#include <QTest>

using namespace kernelskill;

namespace {

const QString kernel = QStringLiteral("#include <cuda_runtime.h>\n"
                                      "__constant__ float scale;\n"
                                      "__global__ void f(const float *x, float *y, int n)\n"
                                      "{\n"
                                      "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                      "    float a = 1.0f, b = x[i];\n"
                                      "    for (int k = 0; k < 4; ++k) a += expf(b) * k;\n"
                                      "    if (i < n) y[i] = a * scale;\n"
                                      "}\n");

QString with(const char *before, const char *after)
{
    return QString(kernel).replace(QLatin1String(before), QLatin1String(after));
}

} // namespace

class TestAttempts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void sameCode_data();
    void sameCode();
    void otherCode_data();
    void otherCode();
    void namesFollowTheirScope();
    void oddTextsDoNotCrash();
    void plans();
};

void TestAttempts::sameCode_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("comment") << with("float a = 1.0f", "/* sum */ float a = 1.0f");
    QTest::newRow("line comment") << with("    if (i", "    // store\n    if (i");
    QTest::newRow("spacing") << with("a += expf(b) * k;", "a+=expf( b )*k ;\n\n");
    QTest::newRow("local") << with("int i = blockIdx", "int index = blockIdx")
                                  .replace("x[i]", "x[index]")
                                  .replace("(i < n) y[i]", "(index < n) y[index]");
    QTest::newRow("second declarator") << with("b = x[i]", "value = x[i]").replace("expf(b)", "expf(value)");
    QTest::newRow("parameter")
        << with("float *y, int n", "float *out, int count").replace("y[i]", "out[i]").replace("i < n", "i < count");
    QTest::newRow("loop variable")
        << with("int k = 0; k < 4; ++k", "int step = 0; step < 4; ++step").replace("* k;", "* step;");
    QTest::newRow("line ends") << QString(kernel).replace("\n", "\r\n");
    QTest::newRow("continued line") << with("float a = 1.0f", "float \\\n a = 1.0f");
}

void TestAttempts::sameCode()
{
    QFETCH(QString, text);
    QCOMPARE(normalisedCodeDigest(text), normalisedCodeDigest(kernel));
}

void TestAttempts::otherCode_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("literal") << with("1.0f", "2.0f");
    QTest::newRow("type") << with("float a = 1.0f, b", "double a = 1.0f, b");
    QTest::newRow("called function") << with("expf", "__expf");
    QTest::newRow("builtin") << with("threadIdx.x", "threadIdx.y");
    QTest::newRow("global") << with("a * scale", "a * other");
    QTest::newRow("operator") << with("a +=", "a -=");
    QTest::newRow("directive") << with("#include <cuda_runtime.h>", "#include <cuda_fp16.h>");
    QTest::newRow("swapped variables") << with("y[i] = a * scale", "y[i] = b * scale");
    QTest::newRow("name of the kernel") << with("void f(", "void g(");
}

void TestAttempts::otherCode()
{
    QFETCH(QString, text);
    QVERIFY(normalisedCodeDigest(text) != normalisedCodeDigest(kernel));
}

void TestAttempts::namesFollowTheirScope()
{
    const auto digest = [](const char *text) { return normalisedCodeDigest(QString::fromLatin1(text)); };
    // Members are used by name, so they stay.
    QVERIFY(digest("struct S { float a; float b; }; float f(S s) { return s.a; }") !=
            digest("struct S { float b; float a; }; float f(S s) { return s.a; }"));
    // A product is no declaration: the macro stays.
    QVERIFY(digest("void f(float a) { float r = a * INFINITY; }") !=
            digest("void f(float a) { float r = a * FLT_MAX; }"));
    QVERIFY(digest("void f(float a) { g(a * INFINITY); }") != digest("void f(float a) { g(a * FLT_MAX); }"));
    QCOMPARE(digest("void f(int a) { } void g(int b) { }"), digest("void f(int a) { } void g(int a) { }"));
    QCOMPARE(digest("extern \"C\" { void f(int a) { int b = a; } }"),
             digest("extern \"C\" { void f(int x) { int y = x; } }"));
    QCOMPARE(digest("void f() { auto [a, b] = g(); h(b); }"), digest("void f() { auto [x, y] = g(); h(y); }"));
    QCOMPARE(digest("void f(int n) { dim3 grid(n, 1); k<<<grid, 32>>>(n); }"),
             digest("void f(int m) { dim3 blocks(m, 1); k<<<blocks, 32>>>(m); }"));
    QVERIFY(digest("void f() { char c = 'a'; }") != digest("void f() { char c = 'b'; }"));
}

void TestAttempts::oddTextsDoNotCrash()
{
    for (const char *text :
         {"", "/*", "\"", "'", "R\"(", "#", "}}}}", "((((", "{{{{", "a b c <<< >>>", "0x1e+2 1e+2", "auto ["}) {
        QCOMPARE(normalisedCodeDigest(QString::fromLatin1(text)).size(), 64);
    }
}

void TestAttempts::plans()
{
    Attempts attempts;
    attempts.add({1, 0, "M8", "shared-memory-tiling", {{"tile", 16}}, "d1", "verified", 1.5, {}});
    attempts.add({2, 1, "M8", "shared-memory-tiling", {{"tile", 32}}, "d2", "wrong", 0, "outputs"});
    QCOMPARE(attempts.withPlan("M8", "shared-memory-tiling", {{"tile", 16}}, 0)->node, 1);
    QVERIFY(!attempts.withPlan("M8", "shared-memory-tiling", {{"tile", 16}}, 1));
    QVERIFY(!attempts.withPlan("M8", "shared-memory-tiling", {{"tile", 32}}, 0));
    QCOMPARE(attempts.withCode("d2")->node, 2);
    QVERIFY(!attempts.withCode("d3"));
    QVERIFY(!attempts.withCode({}));
    QCOMPARE(attempts.all().size(), 2);
}

QTEST_APPLESS_MAIN(TestAttempts)
#include "tst_attempts.moc"
