// SPDX-License-Identifier: Apache-2.0
// CUDA C++ to PTX and a loadable library, and a compiler's complaints as findings.
#include "evaluation/compile_diagnostics.h"
#include "simulator_test.h"

#include <QFile>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::test;

class tst_frontend : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { useOwnFolders(); }

    void baselinesOfAllTasksBuild_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"row_softmax", "layer_norm", "transpose", "matmul", "bias_gelu_residual"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

    void baselinesOfAllTasksBuild()
    {
        QFETCH(QString, name);
        const Task task = bundledTask(name);
        const simulator::BuildProduct product = test::build(task, task.baseline);
        QVERIFY2(product.succeeded, qPrintable(product.log));
        QCOMPARE(product.ptx.size(), 1);
        QVERIFY(QFile::exists(product.library));
    }

    void lineTableSpeaksOfTheCandidateOnly()
    {
        const simulator::BuildProduct product =
            test::build(bundledTask(QStringLiteral("row_softmax")), candidate(QStringLiteral("softmax_warp.cu")));
        QVERIFY2(product.succeeded, qPrintable(product.log));
        QFile file(product.ptx.first());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString ptx = QString::fromUtf8(file.readAll());
        QVERIFY(ptx.contains(QStringLiteral(".entry _Z11softmaxRowsPKfPfi")));
        QVERIFY(ptx.contains(QStringLiteral("shfl.sync.bfly.b32")));
        QVERIFY(ptx.contains(QStringLiteral("ld.global.nc.f32")));
        QVERIFY2(!ptx.contains(QStringLiteral("call")), "mathematics must be inlined");
        int files = 0;
        for (const QString &line : ptx.split(u'\n')) {
            if (!line.startsWith(QStringLiteral("\t.file"))) continue;
            ++files;
            QCOMPARE(candidatePath(line.section(u'"', 1, 1)), QStringLiteral("solve.cu"));
        }
        QCOMPARE(files, 1);
    }

    void errorNamesFileAndLine()
    {
        const simulator::BuildProduct product =
            test::build(fixtureTask(), candidate(QStringLiteral("does_not_compile.cu")));
        QVERIFY(!product.succeeded);
        QCOMPARE(product.findings.size(), 1);
        QCOMPARE(product.findings.first().kind, QStringLiteral("compile_error"));
        QCOMPARE(product.findings.first().file, QStringLiteral("solve.cu"));
        QCOMPARE(product.findings.first().line, 8);
        QCOMPARE(product.findings.first().message, QStringLiteral("use of undeclared identifier 'unknown'"));
    }

    void wrongSignatureIsAnErrorAtTheEntryPoint()
    {
        const simulator::BuildProduct product =
            test::build(fixtureTask(), candidate(QStringLiteral("wrong_signature.cu")));
        QVERIFY(!product.succeeded);
        QCOMPARE(product.findings.first().file, QStringLiteral("solve.cu"));
        QCOMPARE(product.findings.first().line, 11);
        QVERIFY2(product.findings.first().message.contains(QStringLiteral("solve")),
                 qPrintable(product.findings.first().message));
    }

    void missingEntryPointIsNamed()
    {
        const simulator::BuildProduct product =
            test::build(fixtureTask(), candidate(QStringLiteral("no_entry_point.cu")));
        QVERIFY(!product.succeeded);
        QCOMPARE(product.findings.size(), 1);
        QVERIFY2(product.findings.first().message.contains(QStringLiteral("undefined symbol solve")),
                 qPrintable(product.log));
    }

    void secondBuildComesFromTheCache()
    {
        const Task task = fixtureTask();
        const simulator::BuildProduct first = test::build(task, task.baseline);
        const simulator::BuildProduct second = test::build(task, task.baseline);
        QVERIFY(first.succeeded && second.succeeded);
        QVERIFY(second.cached);
        QCOMPARE(second.ptx, first.ptx);
    }

    void severalFilesAndHeaders()
    {
        Candidate several;
        several.files = {
            {QStringLiteral("solve.cu"),
             QStringLiteral("#include \"kernels/scale.cuh\"\nextern \"C\" void solve(const float *x, float *y, int n, "
                            "cudaStream_t s)\n{\n    scale<<<(n + 255) / 256, 256, 0, s>>>(x, y, n);\n}\n")},
            {QStringLiteral("kernels/scale.cuh"),
             QStringLiteral(
                 "#pragma once\n__global__ void scale(const float *x, float *y, int n)\n{\n"
                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = 2 * x[i] + 1;\n}\n")}};
        QVERIFY(test::build(fixtureTask(), several).succeeded);
        several.files[1].content.replace(QStringLiteral("2 * x[i]"), QStringLiteral("2 * z[i]"));
        const simulator::BuildProduct broken = test::build(fixtureTask(), several);
        QVERIFY(!broken.succeeded);
        QCOMPARE(broken.findings.first().file, QStringLiteral("kernels/scale.cuh"));
        QCOMPARE(broken.findings.first().line, 5);
    }

    void halfPrecisionCooperativeGroupsAndPipelines()
    {
        const simulator::BuildProduct product = test::build(fixtureTask(), candidate(QStringLiteral("header_tour.cu")));
        QVERIFY2(product.succeeded, qPrintable(product.log));
    }

    // A vector is one access where the compiler can be made to see it so; what needs plain structures compiles nevertheless.
    void vectorsAreOneAccessAndStillStructures()
    {
        Candidate forms = candidate(QStringLiteral("vector_forms.cu"));
        const auto wideLoads = [](const simulator::BuildProduct &product) {
            QFile ptx(product.ptx.value(0));
            return ptx.open(QIODevice::ReadOnly) ? ptx.readAll().count("ld.global.v4.f32") : -1;
        };
        const simulator::BuildProduct product = test::build(fixtureTask(), forms);
        QVERIFY2(product.succeeded, qPrintable(product.log));
        QCOMPARE(wideLoads(product), 1);
        const QString braced = QStringLiteral("{held.v.x, float(held.n), scale.z, table[t & 1].w}");
        QVERIFY(forms.files[0].content.contains(braced));
        forms.files[0].content.replace(
            braced, QStringLiteral("{.x = held.v.x, .y = float(held.n), .z = scale.z, .w = table[t & 1].w}"));
        const simulator::BuildProduct designated = test::build(fixtureTask(), forms);
        QVERIFY2(designated.succeeded, qPrintable(designated.log));
    }

    void diagnosticsOfOtherCompilers()
    {
        const QList<Finding> nvcc = compileErrors(
            QStringLiteral("src/solve.cu(8): error: identifier \"unknown\" is undefined\n\n1 error detected.\n"),
            QStringLiteral("solve.cu"));
        QCOMPARE(nvcc.size(), 1);
        QCOMPARE(nvcc.first().line, 8);
        QCOMPARE(nvcc.first().message, QStringLiteral("identifier \"unknown\" is undefined"));
        const QList<Finding> header =
            compileErrors(QStringLiteral("/usr/include/cuda.h:99:1: error: no matching "
                                                    "function\n./src/solve.cu:4:2: note: in instantiation of it\n"),
                                     QStringLiteral("solve.cu"));
        QCOMPARE(header.first().file, QStringLiteral("solve.cu"));
        QCOMPARE(header.first().line, 4);
        QCOMPARE(compileErrors(QStringLiteral("killed"), QStringLiteral("solve.cu")).first().message,
                 QStringLiteral("killed"));
    }
};

QTEST_GUILESS_MAIN(tst_frontend)
#include "tst_frontend.moc"
