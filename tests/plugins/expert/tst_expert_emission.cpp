// SPDX-License-Identifier: Apache-2.0
#include "expert_tasks.h"

#include "emission/emit_candidate.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace kernelskill;
using namespace kernelskill::expert;
using namespace kernelskill::expert::test;

namespace {

struct Path
{
    const char *taskName;
    QStringList skills;
};

// One long path for each pattern, so that every emitter and every variant of it is compiled.
QList<Path> paths()
{
    const QString coalesce = QStringLiteral("memory-coalescing"), shuffle = QStringLiteral("warp-shuffle-reduction"),
                  vector = QStringLiteral("vectorised-access"), cache = QStringLiteral("memory-level-parallelism"),
                  tile = QStringLiteral("shared-memory-tiling"), block = QStringLiteral("register-blocking"),
                  pad = QStringLiteral("bank-conflict-padding"), less = QStringLiteral("fewer-instructions"),
                  online = QStringLiteral("online-softmax"), fuse = QStringLiteral("kernel-fusion"),
                  fetch = QStringLiteral("software-prefetch"), work = QStringLiteral("work-per-thread"),
                  tune = QStringLiteral("launch-tuning");
    return {
        {"row_softmax", {}},
        {"row_softmax", {coalesce, online, vector + QStringLiteral(":1"), work}},
        {"row_softmax", {coalesce, shuffle, vector, less, cache, less, tune}},
        {"layer_norm", {coalesce, shuffle, vector, cache}},
        {"rms_norm_steps", {fuse, coalesce, shuffle}},
        {"scaled_log_softmax", {fuse, coalesce, online, vector}},
        {"row_mean", {coalesce, shuffle, vector}},
        {"ragged_softmax", {coalesce, online, QStringLiteral("alignment-and-tail")}},
        {"ragged_layer_norm", {coalesce, shuffle, QStringLiteral("alignment-and-tail"), work}},
        {"matmul", {coalesce}},
        {"matmul", {tile, block, pad, vector, fetch}},
        {"matmul", {tile, block + QStringLiteral(":2"), vector, tune}},
        {"linear_gelu_residual", {fuse, tile, block, vector}},
        {"transposed_product", {tile, block, vector}},
        {"transpose", {coalesce}},
        {"transpose", {tile, pad, vector, work}},
        {"batched_transpose", {tile, pad, work}},
        {"bias_gelu_residual", {vector}},
        {"bias_gelu_residual", {fuse, vector, work, cache}},
        {"tanh_shift", {fuse, vector, cache}},
        {"mean_squared_error", {vector, shuffle, work}},
    };
}

Candidate emitted(const Path &path)
{
    const TaskView taskView = view(QString::fromLatin1(path.taskName));
    const auto plan = planAfter(taskView, path.skills);
    if (!plan) qFatal("%s: %s", path.taskName, qPrintable(plan.error().message));
    const auto candidate = emitCandidate(taskView, *plan);
    if (!candidate) qFatal("%s: %s", path.taskName, qPrintable(candidate.error().message));
    return *candidate;
}

} // namespace

class ExpertEmissionTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void isDeterministic()
    {
        for (const Path &path : paths())
            QVERIFY(emitted(path) == emitted(path));
    }

    void readsWell()
    {
        for (const Path &path : paths()) {
            const QString text = emitted(path).mainText();
            QVERIFY(text.startsWith(QStringLiteral("// SPDX-License-Identifier: Apache-2.0\n// ")));
            for (const QString &line : text.split(u'\n')) {
                QVERIFY2(line.size() <= 124, qPrintable(line));
                QVERIFY2(!line.contains(u'@') && !line.contains(QStringLiteral("${")) &&
                             !line.contains(QStringLiteral("#{")),
                         qPrintable(line));
                QVERIFY2(!line.endsWith(u' '), qPrintable(line));
            }
            for (const QString &skill : path.skills)
                QVERIFY(text.contains(QStringLiteral("//   ") + skill.section(u':', 0, 0) + u':'));
        }
    }

    void fusesInNamesOfTheGraph()
    {
        const QString text = emitted({"bias_gelu_residual", {QStringLiteral("kernel-fusion")}}).mainText();
        QVERIFY(text.contains(
            QStringLiteral("    const float biased = x + bias;\n"
                           "    const float activated = 0.5f * biased * (1.0f + erff(biased * 0.70710678f));\n"
                           "    return activated + residual;\n")));
        QCOMPARE(text.count(QStringLiteral("<<<")), 1);
        QVERIFY(!text.contains(u'%')); // a column's value is found without a division
    }

    void guardsVectorAccess()
    {
        const QString text =
            emitted({"row_softmax", {QStringLiteral("memory-coalescing"), QStringLiteral("vectorised-access")}})
                .mainText();
        QVERIFY(text.contains(
            QStringLiteral("    if (cols % 4 == 0 && areAligned(x, y))\n"
                           "        softmaxRows<<<rows, kThreads, 0, stream>>>(x, y, rows, cols);\n"
                           "    else\n"
                           "        softmaxRowsAnySize<<<rows, kThreads, 0, stream>>>(x, y, rows, cols);\n")));
    }

    // As the simulator compiles it, device and host side. Needs clang with CUDA support and the simulator's headers.
    void compiles_data()
    {
        QTest::addColumn<QString>("text");
        for (const Path &path : paths())
            QTest::addRow("%s %s", path.taskName, qPrintable(path.skills.join(u'+'))) << emitted(path).mainText();
    }
    void compiles()
    {
        QFETCH(QString, text);
        const QString clang = QStandardPaths::findExecutable(QStringLiteral("clang++-19"));
        const QString headers = QStringLiteral(SOURCE_DIR "/plugins/evaluators/simulator/include");
        if (clang.isEmpty() || !QFile::exists(headers + QStringLiteral("/cuda_runtime.h")))
            QSKIP("clang++-19 or the simulator's headers are not here");
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("solve.cu")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.toUtf8());
        file.close();
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(clang, {QStringLiteral("-x"), QStringLiteral("cuda"), QStringLiteral("-std=c++17"),
                              QStringLiteral("--cuda-gpu-arch=sm_80"), QStringLiteral("-nocudainc"),
                              QStringLiteral("-nocudalib"), QStringLiteral("--cuda-path=/nonexistent"),
                              QStringLiteral("--cuda-feature=+ptx83"), QStringLiteral("-Xclang"),
                              QStringLiteral("-target-sdk-version=12.3"), QStringLiteral("-I") + headers,
                              QStringLiteral("-include"), QStringLiteral("cuda_runtime.h"), QStringLiteral("-Wall"),
                              QStringLiteral("-Werror"), QStringLiteral("-Wno-unknown-cuda-version"),
                              QStringLiteral("-fsyntax-only"), file.fileName()});
        QVERIFY(process.waitForFinished(120'000));
        const QByteArray output = process.readAll();
        QVERIFY2(process.exitCode() == 0, output.constData());
    }
};

QTEST_GUILESS_MAIN(ExpertEmissionTest)
#include "tst_expert_emission.moc"
