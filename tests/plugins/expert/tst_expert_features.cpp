// SPDX-License-Identifier: Apache-2.0
#include "expert_tasks.h"

#include "emission/emit_candidate.h"
#include "features/code_parser.h"
#include "features/feature_extractor.h"
#include "features/host_code.h"

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <ctime>

using namespace kernelskill;
using namespace kernelskill::expert;
using namespace kernelskill::expert::test;

namespace {

// The features that are true, sorted, after the structure: "S3 has_bounds_check …".
QString summary(const Features &features)
{
    QStringList words{features.value(QStringLiteral("kernel_structure_id")).toString()};
    for (auto it = features.constBegin(); it != features.constEnd(); ++it) {
        if (it.key() != u"kernel_structure_id" && it.value().toBool()) words.append(it.key());
    }
    return words.join(u' ');
}

Candidate kernelText(const char *kernel, const char *launch = "k<<<n, 256, 0, stream>>>(x, y, n);")
{
    return Candidate::fromText(
        QStringLiteral("solve.cu"),
        QStringLiteral(
            "%1\nextern \"C\" void solve(const float *x, float *y, int n, cudaStream_t stream)\n{\n    %2\n}\n")
            .arg(QLatin1String(kernel), QLatin1String(launch)));
}

// A labelled file of features_corpus/; README.md there says what every label means.
struct Labelled
{
    QString name;
    int heldOut = 0; // 1: not looked at while the rules were tuned; 2: written after the rules
    Features labels;
    Candidate candidate;
};

const QList<Labelled> &corpus()
{
    static const QList<Labelled> files = [] {
        const QString folder = QStringLiteral(TEST_DIR "/features_corpus/");
        QFile index(folder + QStringLiteral("labels.json"));
        if (!index.open(QIODevice::ReadOnly)) qFatal("labels.json is not there");
        QList<Labelled> list;
        const QJsonArray entries =
            QJsonDocument::fromJson(index.readAll()).object().value(QStringLiteral("files")).toArray();
        for (const QJsonValue &entry : entries) {
            Labelled one;
            one.name = entry[QStringLiteral("file")].toString();
            const QString heldOut = entry[QStringLiteral("held_out")].toString();
            one.heldOut = heldOut == u"second" ? 2 : heldOut == u"first" ? 1 : 0;
            one.labels = entry[QStringLiteral("features")].toObject().toVariantMap();
            QFile file(folder + one.name);
            if (!file.open(QIODevice::ReadOnly)) qFatal("%s is not there", qPrintable(one.name));
            one.candidate = Candidate::fromText(QStringLiteral("solve.cu"), QString::fromUtf8(file.readAll()));
            list.append(one);
        }
        return list;
    }();
    return files;
}

// How often a front end is right, for each feature: in all files, and in the two sets held out.
struct Accuracy
{
    QMap<QString, std::array<int, 3>> right; // all, first set, second set
    std::array<int, 3> files{};
    int fromTokens = 0; // files that the AST front gave up
    QList<qint64> times_us;
    double processor_ms = 0; // all files together
};

Accuracy measure(FrontEnd frontEnd)
{
    Accuracy accuracy;
    for (const Labelled &file : corpus()) {
        QElapsedTimer timer;
        timer.start();
        const std::clock_t before = std::clock();
        const auto found = extractWithOrigins(file.candidate, frontEnd);
        accuracy.processor_ms += 1000.0 * double(std::clock() - before) / CLOCKS_PER_SEC;
        accuracy.times_us.append(timer.nsecsElapsed() / 1000);
        ++accuracy.files[0];
        if (file.heldOut > 0) ++accuracy.files[size_t(file.heldOut)];
        if (!found) qFatal("%s: %s", qPrintable(file.name), qPrintable(found.error().message));
        if (found->origins.value(QStringLiteral("has_reuse")) == u"tokens") ++accuracy.fromTokens;
        QStringList wrong;
        for (const QString &feature : featureNames()) {
            if (found->features.value(feature) == file.labels.value(feature)) {
                ++accuracy.right[feature][0];
                if (file.heldOut > 0) ++accuracy.right[feature][size_t(file.heldOut)];
            } else {
                wrong.append(QStringLiteral("%1 is %2").arg(feature, found->features.value(feature).toString()));
            }
        }
        // Held-out files say which they are only when asked, so that nobody tunes on them by accident.
        if (!wrong.isEmpty() && (file.heldOut == 0 || qEnvironmentVariableIsSet("KERNELSKILL_SHOW_HELD_OUT")))
            qInfo("%s: %s", qPrintable(file.name), qPrintable(wrong.join(QStringLiteral(", "))));
        if (frontEnd == FrontEnd::Automatic && !found->notes.isEmpty())
            qInfo("%s: %s", qPrintable(file.name), qPrintable(found->notes.join(u' ')));
    }
    return accuracy;
}

double share(const Accuracy &accuracy, const QString &feature, size_t set = 0)
{
    return double(accuracy.right.value(feature)[set]) / accuracy.files[set];
}

void print(const char *title, const Accuracy &accuracy)
{
    QString table = QStringLiteral("%1: %2 files, %3 in the first and %4 in the second set held out\n%5 %6 %7 %8\n")
                        .arg(QLatin1String(title))
                        .arg(accuracy.files[0])
                        .arg(accuracy.files[1])
                        .arg(accuracy.files[2])
                        .arg(QStringLiteral("feature"), -34)
                        .arg(QStringLiteral("all"), 6)
                        .arg(QStringLiteral("first"), 6)
                        .arg(QStringLiteral("second"), 6);
    for (const QString &feature : featureNames()) {
        table += QStringLiteral("%1 %2 %3 %4\n")
                     .arg(feature, -34)
                     .arg(share(accuracy, feature), 6, 'f', 3)
                     .arg(share(accuracy, feature, 1), 6, 'f', 3)
                     .arg(share(accuracy, feature, 2), 6, 'f', 3);
    }
    QList<qint64> times = accuracy.times_us;
    std::ranges::sort(times);
    table += QStringLiteral("one candidate: median %1 ms, most %2 ms; mean processor time %3 ms")
                 .arg(times.at(times.size() / 2) / 1000.0, 0, 'f', 2)
                 .arg(times.last() / 1000.0, 0, 'f', 2)
                 .arg(accuracy.processor_ms / accuracy.files[0], 0, 'f', 2);
    qInfo("%s", qPrintable(table));
}

} // namespace

class ExpertFeaturesTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void baselines_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("expected");
        QTest::newRow("softmax") << "row_softmax"
                                 << "S3 cudagraph_eligible has_bounds_check streaming_no_reuse uses_transcendentals";
        QTest::newRow("layer norm") << "layer_norm" << "S3 cudagraph_eligible has_bounds_check streaming_no_reuse";
        QTest::newRow("matmul")
            << "matmul" << "S1 cudagraph_eligible has_bounds_check has_k_loop has_reuse is_gemm_kloop is_naive_gemm";
        QTest::newRow("transpose") << "transpose" << "S0 cudagraph_eligible has_bounds_check streaming_no_reuse";
        QTest::newRow("chain") << "bias_gelu_residual"
                               << "S4 cudagraph_eligible has_bounds_check has_multiple_kernels_in_forward is_pointwise "
                                  "streaming_no_reuse uses_transcendentals";
    }
    void baselines()
    {
        QFETCH(QString, name);
        QFETCH(QString, expected);
        const auto features = extractFeatures(task(name).baseline);
        QVERIFY(features);
        QStringList keys = features->keys(), wanted = featureNames();
        keys.sort();
        QCOMPARE(keys, wanted); // all 18, none more
        QCOMPARE(keys.size(), 18);
        QCOMPARE(summary(*features), expected);
    }

    void ownCode_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("skills");
        QTest::addColumn<QString>("expected");
        const QString coalesce = QStringLiteral("memory-coalescing"),
                      shuffle = QStringLiteral("warp-shuffle-reduction"), vector = QStringLiteral("vectorised-access"),
                      cache = QStringLiteral("memory-level-parallelism"), tile = QStringLiteral("shared-memory-tiling"),
                      block = QStringLiteral("register-blocking"), fuse = QStringLiteral("kernel-fusion");
        QTest::newRow("coalesced rows") << "row_softmax" << QStringList{coalesce}
                                        << "S3 cudagraph_eligible streaming_no_reuse uses_transcendentals";
        QTest::newRow("cached rows") << "row_softmax" << QStringList{coalesce, shuffle, vector, cache}
                                     << "S3 cudagraph_eligible has_bounds_check has_vector_load_store "
                                        "is_aligned_vector_access streaming_no_reuse "
                                        "uses_transcendentals uses_vector_types";
        QTest::newRow("tiled product")
            << "matmul" << QStringList{tile}
            << "S1 cudagraph_eligible has_bounds_check has_k_loop has_reuse has_shared_memory_tile is_gemm_kloop";
        QTest::newRow("blocked product") << "matmul" << QStringList{tile, block, vector}
                                         << "S1 cudagraph_eligible has_bounds_check has_k_loop has_reuse "
                                            "has_shared_memory_tile has_vector_load_store "
                                            "is_aligned_vector_access is_gemm_kloop uses_vector_types";
        QTest::newRow("tiled transposition") << "transpose" << QStringList{tile, vector}
                                             << "S0 cudagraph_eligible has_bounds_check has_shared_memory_tile "
                                                "has_vector_load_store is_aligned_vector_access "
                                                "streaming_no_reuse uses_vector_types";
        QTest::newRow("fused chain")
            << "bias_gelu_residual" << QStringList{fuse, vector}
            << "S0 cudagraph_eligible has_bounds_check has_vector_load_store is_aligned_vector_access is_pointwise "
               "streaming_no_reuse uses_transcendentals uses_vector_types";
    }
    void ownCode()
    {
        QFETCH(QString, name);
        QFETCH(QStringList, skills);
        QFETCH(QString, expected);
        const TaskView taskView = view(name);
        const auto candidate = emitCandidate(taskView, *planAfter(taskView, skills));
        for (FrontEnd frontEnd : {FrontEnd::Automatic, FrontEnd::Tokens}) {
            const auto found = extractWithOrigins(*candidate, frontEnd);
            QVERIFY(found);
            QCOMPARE(summary(found->features), expected);
        }
    }

    void snippets_data()
    {
        QTest::addColumn<Candidate>("candidate");
        QTest::addColumn<QString>("expected");
        QTest::newRow("grid-stride copy") << kernelText("__global__ void k(const float *x, float *y, int n) {\n"
                                                        "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; "
                                                        "i += gridDim.x * blockDim.x) y[i] = 2.0f * x[i]; }")
                                          << "S0 cudagraph_eligible is_pointwise streaming_no_reuse";
        QTest::newRow("float4 with tail")
            << kernelText("__global__ void k(const float *x, float *y, int n) {\n"
                          "  const float4 *x4 = reinterpret_cast<const float4 *>(x); float4 *y4 = "
                          "reinterpret_cast<float4 *>(y);\n"
                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "  if (i < n / 4) y4[i] = x4[i];\n"
                          "  if (i < n % 4) y[n / 4 * 4 + i] = x[n / 4 * 4 + i]; }")
            << "S0 cudagraph_eligible has_bounds_check has_tail_handling_overhead has_vector_load_store "
               "is_aligned_vector_access is_pointwise streaming_no_reuse uses_vector_types";
        QTest::newRow("float4 rows unguarded")
            << kernelText("__global__ void k(const float *x, float *y, int n) {\n"
                          "  const float4 *row = reinterpret_cast<const float4 *>(x + blockIdx.x * n);\n"
                          "  float4 *out = reinterpret_cast<float4 *>(y + blockIdx.x * n);\n"
                          "  for (int i = threadIdx.x; i < n / 4; i += blockDim.x) out[i] = row[i]; }")
            << "S0 cudagraph_eligible has_vector_load_store is_pointwise streaming_no_reuse uses_vector_types";
        QTest::newRow("three-point stencil")
            << kernelText("__global__ void k(const float *x, float *y, int n) {\n"
                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "  if (i > 0 && i < n - 1) y[i] = x[i - 1] + x[i] + x[i + 1]; }")
            << "S2 cudagraph_eligible has_bounds_check has_reuse is_stencil_conv";
        QTest::newRow("gather")
            << kernelText("__global__ void k(const int *index, const float *x, float *y, int n) {\n"
                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[index[i]]; }",
                          "k<<<n, 256, 0, stream>>>(nullptr, x, y, n);")
            << "S2 cudagraph_eligible has_bounds_check";
        QTest::newRow("shuffle sum") << kernelText(
                                            "__device__ float warpSum(float v) { for (int o = 16; o > 0; o /= 2) v += "
                                            "__shfl_xor_sync(0xffffffffu, v, o); return v; }\n"
                                            "__global__ void k(const float *x, float *y, int n) {\n  float v = 0.0f;\n"
                                            "  for (int i = threadIdx.x; i < n; i += 32) v += x[blockIdx.x * n + i];\n"
                                            "  v = warpSum(v);\n  if (threadIdx.x == 0) y[blockIdx.x] = v; }")
                                     << "S3 cudagraph_eligible streaming_no_reuse";
        QTest::newRow("dot product")
            << kernelText("__global__ void k(const float *x, const float *w, float *y, int n) {\n  float v = 0.0f;\n"
                          "  for (int i = threadIdx.x; i < n; i += 32) v += x[i] * w[i];\n  y[threadIdx.x] = v; }",
                          "k<<<1, 32, 0, stream>>>(x, x, y, n);")
            << "S3 cudagraph_eligible has_k_loop streaming_no_reuse";
        QTest::newRow("half product")
            << kernelText("__global__ void k(const half *x, const half *w, float *y, int n) {\n"
                          "  int row = blockIdx.y, col = threadIdx.x;\n  float v = 0.0f;\n"
                          "  for (int p = 0; p < n; ++p) v += __half2float(x[row * n + p]) * __half2float(w[p * n + "
                          "col]);\n  y[row * n + col] = v; }",
                          "k<<<dim3(1, n), n, 0, stream>>>(nullptr, nullptr, y, n);")
            << "S1 cudagraph_eligible has_k_loop has_reuse is_gemm_kloop is_naive_gemm tc_eligible";
        QTest::newRow("product with fmaf")
            << kernelText("__global__ void k(const float *a, const float *b, float *c, int n) {\n"
                          "  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;\n  float v "
                          "= 0.0f;\n"
                          "  for (int p = 0; p < n; ++p) { const float left = a[row * n + p]; v = fmaf(left, b[p * n + "
                          "col], v); }\n  c[row * n + col] = v; }")
            << "S1 cudagraph_eligible has_k_loop has_reuse is_gemm_kloop is_naive_gemm";
        QTest::newRow("direct convolution")
            << kernelText("__global__ void k(const float *x, const float *w, float *y, int width, int taps) {\n"
                          "  int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y;\n  float v = 0.0f;\n"
                          "  for (int ky = 0; ky < taps; ++ky) for (int kx = 0; kx < taps; ++kx)\n"
                          "    v += x[(oy + ky) * width + ox + kx] * w[ky * taps + kx];\n  y[oy * width + ox] = v; }",
                          "k<<<n, 256, 0, stream>>>(x, x, y, n, 3);")
            << "S2 cudagraph_eligible has_k_loop has_reuse is_stencil_conv";
        QTest::newRow("atomics") << kernelText("__global__ void k(const float *x, float *y, int n) {\n  int i = "
                                               "blockIdx.x * blockDim.x + threadIdx.x;\n"
                                               "  if (i < n) atomicAdd(y, x[i]); }")
                                 << "S3 cudagraph_eligible has_bounds_check streaming_no_reuse";
        QTest::newRow("launch in a loop")
            << kernelText(
                   "__global__ void k(const float *x, float *y, int n) { y[threadIdx.x] = expf(x[threadIdx.x]); }",
                   "for (int step = 0; step < n; ++step) k<<<1, n, 0, stream>>>(x, y, n);")
            << "S4 cudagraph_eligible has_multiple_kernels_in_forward is_pointwise streaming_no_reuse "
               "uses_transcendentals";
        QTest::newRow("host waits")
            << kernelText("__global__ void k(const float *x, float *y, int n) { y[threadIdx.x] = x[threadIdx.x]; }",
                          "k<<<1, n, 0, stream>>>(x, y, n); cudaStreamSynchronize(stream);")
            << "S0 is_pointwise streaming_no_reuse";
        QTest::newRow("swizzled words in comments")
            << kernelText("// float4 expf atomicAdd __shared__\n__global__ void k(const float *x, float *y, int n) {\n"
                          "  int i = threadIdx.x; /* for (;;) sum += x[i]; */ y[i] = x[i]; }")
            << "S0 cudagraph_eligible is_pointwise streaming_no_reuse";
        QTest::newRow("shared scratch is no tile")
            << kernelText("__global__ void k(const float *x, float *y, int n) {\n  __shared__ float scratch[256];\n"
                          "  float v = 0.0f;\n  for (int i = threadIdx.x; i < n; i += 256) v = fmaxf(v, x[i]);\n"
                          "  scratch[threadIdx.x] = v;\n  __syncthreads();\n  for (int h = 128; h > 0; h /= 2) {\n"
                          "    if (threadIdx.x < h) scratch[threadIdx.x] = fmaxf(scratch[threadIdx.x], "
                          "scratch[threadIdx.x + h]);\n"
                          "    __syncthreads();\n  }\n  y[0] = scratch[0]; }")
            << "S3 cudagraph_eligible streaming_no_reuse";
    }
    void snippets()
    {
        QFETCH(Candidate, candidate);
        QFETCH(QString, expected);
        for (FrontEnd frontEnd : {FrontEnd::Automatic, FrontEnd::Tokens}) {
            const auto found = extractWithOrigins(candidate, frontEnd);
            QVERIFY(found);
            QCOMPARE(summary(found->features), expected);
        }
    }

    void overridesWin()
    {
        Candidate candidate = kernelText("// @has_reuse: true\n// @kernel_structure_id: S1 (tiles are shared)\n"
                                         "// @has_bounds_check: perhaps\n// @no_such_thing: true\n"
                                         "__global__ void k(const float *x, float *y, int n) { y[threadIdx.x] = "
                                         "x[threadIdx.x]; }");
        candidate.files.append(
            {QStringLiteral("note.h"), QStringLiteral("const char *note = \"// @is_pointwise: false\";\n")});
        const auto found = extractWithOrigins(candidate, FrontEnd::Tokens);
        QVERIFY(found);
        QCOMPARE(found->features.value(QStringLiteral("has_reuse")), QVariant(true));
        QCOMPARE(found->features.value(QStringLiteral("kernel_structure_id")), QVariant(QStringLiteral("S1")));
        QCOMPARE(found->features.value(QStringLiteral("has_bounds_check")), QVariant(false));
        QCOMPARE(found->features.value(QStringLiteral("is_pointwise")), QVariant(true));
        QVERIFY(describeOrigins(*found).startsWith(QStringLiteral(
            "Read from the code's tokens. The candidate itself says: has_reuse, kernel_structure_id.\n- ")));
        QCOMPARE(found->origins.value(QStringLiteral("has_reuse")), QStringLiteral("override"));
        QCOMPARE(found->origins.value(QStringLiteral("is_pointwise")), QStringLiteral("tokens"));
        QCOMPARE(found->notes,
                 (QStringList{QStringLiteral("\"@has_bounds_check: perhaps\" is no value of this feature"),
                              QStringLiteral("\"@no_such_thing\" is no feature")}));
    }

    void brokenCodeFallsBackToTokens()
    {
        const Candidate candidate =
            kernelText("#include \"not/there.h\"\n__global__ void k(const float *x, float *y, int "
                       "n) { int i = threadIdx.x; if (i < n) y[i] = expf(x[i]); }");
        const auto found = extractWithOrigins(candidate);
        QVERIFY(found);
        QCOMPARE(found->origins.value(QStringLiteral("has_reuse")), QStringLiteral("tokens"));
        QCOMPARE(found->notes.size(), 1);
        QCOMPARE(summary(found->features), QStringLiteral("S0 cudagraph_eligible has_bounds_check is_pointwise "
                                                          "streaming_no_reuse uses_transcendentals"));
        QVERIFY(!extractWithOrigins(candidate, FrontEnd::Ast));
    }

    void readsNothingFromOutside_data()
    {
        QTest::addColumn<QString>("line");
        QTest::newRow("absolute") << QStringLiteral("#include \"/dev/zero\"");
        QTest::newRow("above") << QStringLiteral("#include <../../etc/passwd>");
        QTest::newRow("comment") << QStringLiteral("# /* */ include \"/dev/zero\"");
        QTest::newRow("continued") << QStringLiteral("#inc\\\nlude \"/dev/zero\"");
        QTest::newRow("macro") << QStringLiteral("#define ZERO \"/dev/zero\"\n#include ZERO");
        QTest::newRow("embedded") << QStringLiteral("const char data[] = {\n#embed \"/dev/zero\"\n};");
        QTest::newRow("digraph") << QStringLiteral("%:include \"/dev/zero\"");
    }
    void readsNothingFromOutside()
    {
        QFETCH(QString, line);
        const Candidate candidate =
            Candidate::fromText(QStringLiteral("solve.cu"),
                                line + QStringLiteral("\n__global__ void k(float *x) { x[threadIdx.x] = 0; }\n"));
        const auto found = extractWithOrigins(candidate, FrontEnd::Ast);
        QVERIFY(!found);
        QCOMPARE(found.error().code, QStringLiteral("features.clang"));
    }

    void sameAnswerEveryTime()
    {
        for (const Labelled &file : corpus()) {
            const auto first = extractWithOrigins(file.candidate, FrontEnd::Tokens);
            const auto second = extractWithOrigins(file.candidate, FrontEnd::Tokens);
            QCOMPARE(first->features, second->features);
        }
    }

    void corpusIsLabelledThroughout()
    {
        QVERIFY(corpus().size() >= 60);
        for (const Labelled &file : corpus())
            QCOMPARE(file.labels.keys(), featureNames());
        const auto heldOut = std::ranges::count_if(corpus(), [](const Labelled &file) { return file.heldOut > 0; });
        QVERIFY(heldOut * 4 >= corpus().size());
    }

    void accuracyOfTokens()
    {
        const Accuracy accuracy = measure(FrontEnd::Tokens);
        print("tokens", accuracy);
        for (const QString &feature : featureNames())
            QVERIFY2(share(accuracy, feature) >= 0.95, qPrintable(feature));
    }

    void accuracyOfAst()
    {
        const auto first = extractWithOrigins(corpus().first().candidate, FrontEnd::Ast); // makes the headers once
        if (!first) QSKIP(qPrintable(first.error().message));
        const Accuracy accuracy = measure(FrontEnd::Automatic);
        print("ast", accuracy);
        QCOMPARE(accuracy.fromTokens, 0);
        for (const QString &feature : featureNames())
            QVERIFY2(share(accuracy, feature) >= 0.95, qPrintable(feature));
    }

    // Half a file, and a file without some of its brackets: nothing to be right about, but an answer, and soon.
    void survivesDamagedCode()
    {
        QElapsedTimer timer;
        timer.start();
        for (const Labelled &file : corpus()) {
            const QString source = file.candidate.mainText();
            for (int part = 1; part < 4; ++part) {
                (void)extractWithOrigins(
                    Candidate::fromText(QStringLiteral("solve.cu"), source.left(source.size() * part / 4)),
                    FrontEnd::Tokens);
                QString damaged = source;
                damaged.remove(QStringLiteral("})]").at(part - 1));
                (void)extractWithOrigins(Candidate::fromText(QStringLiteral("solve.cu"), damaged), FrontEnd::Tokens);
            }
        }
        const QString deep =
            QStringLiteral("__global__ void k(float *x) { x[0] = %1 1.0f; }").arg(QString(20'000, u'('));
        (void)extractWithOrigins(Candidate::fromText(QStringLiteral("solve.cu"), deep), FrontEnd::Tokens);
        const QString macros =
            QStringLiteral("#define A B B B B\n#define B C C C C\n#define C D D D D\n#define D E E E E\n"
                           "#define E F F F F\n#define F G G G G\n#define G H H H H\n#define H 1 +\n"
                           "#define I A A A A A A A A A A A A\n"
                           "__global__ void k(float *x) { x[0] = I I I I 1; }");
        (void)extractWithOrigins(Candidate::fromText(QStringLiteral("solve.cu"), macros), FrontEnd::Tokens);
        QVERIFY2(timer.elapsed() < 60'000, qPrintable(QString::number(timer.elapsed())));
    }

    void countsLaunchesAlongOnePath()
    {
        const auto count = [](const char *body) {
            const QString source =
                QStringLiteral("static void helper() { a<<<1, 1>>>(); b<<<1, 1>>>(); }\nvoid solve() { %1 }")
                    .arg(QLatin1String(body));
            return hostFactsOf(parseTokens(source), QStringLiteral("solve")).launches;
        };
        QCOMPARE(count("a<<<1, 1>>>();"), 1);
        QCOMPARE(count("if (n % 4 == 0) a<<<1, 1>>>(); else b<<<1, 1>>>();"), 1);
        QCOMPARE(count("if (n % 4 == 0) { a<<<1, 1>>>(); return; } b<<<1, 1>>>();"), 1);
        QCOMPARE(count("if (n) a<<<1, 1>>>(); b<<<1, 1>>>();"), 2);
        QCOMPARE(count("helper();"), 2);
        QCOMPARE(count("for (int i = 0; i < n; ++i) a<<<1, 1>>>();"), 2);
        QCOMPARE(count(""), 0);
    }

    void refusesTextWithoutKernel()
    {
        const auto features = extractFeatures(
            Candidate::fromText(QStringLiteral("solve.cu"), QStringLiteral("int main() { return 0; }")));
        QVERIFY(!features);
        QCOMPARE(features.error().code, QStringLiteral("features.no_kernel"));
    }
};

QTEST_APPLESS_MAIN(ExpertFeaturesTest)
#include "tst_expert_features.moc"
