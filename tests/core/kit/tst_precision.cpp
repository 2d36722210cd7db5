// SPDX-License-Identifier: Apache-2.0
// Which precision an error speaks of: rounded values of known distributions, and code by what stands in it.
#include "kit/compare.h"
#include "kit/precision.h"
#include "kit/value_generator.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <cmath>

using namespace kernelskill::kit;

namespace {

const double unknown = std::numeric_limits<double>::quiet_NaN();

// Error norm of 4096 normal values rounded through another dtype, as float32 outputs.
double normAfter(const char *through)
{
    constexpr std::size_t count = 4096;
    std::vector<double> exact(count), rounded(count);
    const Dtype &narrow = *findDtype(through), &output = *findDtype("float32");
    generateDoubles({}, Variant::Random, *findDtype("float64"), Seed::of(7, "precision"), exact.data(), 0, count,
                    count);
    std::vector<std::byte> bytes(count * 8), outputs(count * 4);
    narrow.fromDouble(exact.data(), bytes.data(), count);
    narrow.toDouble(bytes.data(), rounded.data(), count);
    output.fromDouble(rounded.data(), outputs.data(), count);
    return compareOutput(output, outputs.data(), exact.data(), count, {1, 1, false}).relativeErrorNorm;
}

} // namespace

class tst_precision : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void roundedValues_data()
    {
        QTest::addColumn<QByteArray>("through");
        QTest::addColumn<QByteArray>("found");
        QTest::newRow("float32") << QByteArray("float32") << QByteArray("float32");
        QTest::newRow("ten bits of fraction") << QByteArray("float16") << QByteArray("tf32");
        QTest::newRow("seven bits of fraction") << QByteArray("bfloat16") << QByteArray("half");
    }

    void roundedValues()
    {
        QFETCH(QByteArray, through);
        QFETCH(QByteArray, found);
        const double norm = normAfter(through);
        QCOMPARE(QByteArray::fromStdString(std::string(toString(precisionOf(norm, unknown, *findDtype("float32"))))),
                 found);
    }

    void dtypesPromise()
    {
        QVERIFY(promisedBy(*findDtype("float64")) == PrecisionClass::Float64);
        QVERIFY(promisedBy(*findDtype("float32")) == PrecisionClass::Float32);
        QVERIFY(promisedBy(*findDtype("bfloat16")) == PrecisionClass::Half);
        // a double computed as a float, and a half computed as one
        QVERIFY(precisionOf(3e-8, unknown, *findDtype("float64")) == PrecisionClass::Float32);
        QVERIFY(precisionOf(2e-4, unknown, *findDtype("float16")) == PrecisionClass::Half);
        QVERIFY(precisionOf(0, unknown, *findDtype("float32")) == PrecisionClass::Float32);
    }

    void theBaselineIsNoBetter()
    {
        const Dtype &dtype = *findDtype("float32");
        QVERIFY(precisionOf(3e-4, 1e-4, dtype) == PrecisionClass::Float32);
        QVERIFY(precisionOf(3e-4, 7e-5, dtype) == PrecisionClass::Tf32);
    }

    void codeNames_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("narrow");
        const auto row = [](const char *line, const char *narrow) {
            QTest::newRow(line) << QByteArray(line) << QByteArray(narrow);
        };
        row("\tfma.rn.f32 \t%f3, %f1, %f2, %f0;", "");
        row("\tld.global.nc.b16 \t%rs1, [%rd1];\n\tcvt.f32.f16 \t%f1, %rs1;", "");
        row("\tcvt.rn.f16.f32 \t%rs1, %f1;", "half");
        row("@%p1 fma.rn.f16x2 %r1, %r2, %r3, %r4;", "half");
        row("\tmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1}, {%r1}, {%r2}, {%f2};", "half");
        row("\tmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f2};", "tf32");
        row("\tcvt.rna.tf32.f32 \t%r1, %f1;", "tf32");
        row("\ttanh.approx.f32 \t%f2, %f1;", "approximate");
        row("\t// begin inline fma.rn.f16x2 of the source", "");
        row(".visible .entry solve_f16(.param .u64 p)", "");
    }

    void codeNames()
    {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, narrow);
        const NarrowArithmetic found = narrowArithmetic(line.toStdString());
        QCOMPARE(found.half, narrow == "half");
        QCOMPARE(found.tf32, narrow == "tf32");
        QCOMPARE(found.approximate, narrow == "approximate");
    }

    void onlyStrictFails()
    {
        PrecisionRecord record;
        record.add("outputs n=8 seed 1", *findDtype("float32"), 1e-7, 1e-7);
        record.add("outputs n=9 seed 1", *findDtype("float32"), 3e-4, 2e-7);
        record.add("outputs n=9 seed 1", *findDtype("float16"), 9e-4, 2e-4);
        const PrecisionOutcome strict = record.conclude("strict");
        QCOMPARE(strict.outcome, std::string("failed"));
        QVERIFY(strict.detail.find("n=9") != std::string::npos && strict.detail.find("tf32") != std::string::npos);
        QCOMPARE(
            strict.toJson().dump(),
            std::string(R"({"baseline_error_norm":2e-07,"class":"tf32","error_norm":0.0003,"promised":"float32"})"));
        QCOMPARE(record.conclude("paper").outcome, std::string("passed"));
        QVERIFY(record.conclude("paper").detail.find("tf32") != std::string::npos);
    }

    void codeDecidesWithoutABaseline()
    {
        const Dtype &dtype = *findDtype("float32");
        PrecisionRecord plain, half;
        plain.add("a long sum", dtype, 2e-4);
        plain.addCode("add.f32 %f1, %f2, %f3;");
        half.add("a rounded value", dtype, 2e-4);
        half.addCode("cvt.rn.f16.f32 %rs1, %f1;");
        QCOMPARE(plain.conclude("strict").outcome, std::string("passed"));
        QCOMPARE(half.conclude("strict").outcome, std::string("failed"));
        QVERIFY(half.conclude("strict").found == PrecisionClass::Half);
        PrecisionRecord measured; // a baseline says what the sum costs, whatever the code holds
        measured.add("a sum with half of its terms", dtype, 2e-4, 1e-7);
        measured.addCode("add.f32 %f1, %f2, %f3;");
        QCOMPARE(measured.conclude("strict").outcome, std::string("failed"));
    }

    void nothingToCompare()
    {
        PrecisionRecord record;
        record.add("counts", *findDtype("int32"), 0);
        record.add("zeros", *findDtype("float32"), std::numeric_limits<double>::infinity());
        const PrecisionOutcome outcome = record.conclude("strict");
        QCOMPARE(outcome.outcome, std::string("passed"));
        QVERIFY(!outcome.known);
    }
};

QTEST_GUILESS_MAIN(tst_precision)
#include "tst_precision.moc"
