// SPDX-License-Identifier: Apache-2.0
#include "expert_tasks.h"

#include "emission/emit_candidate.h"
#include "features/feature_extractor.h"
#include "features/source_model.h"

using namespace kernelskill;
using namespace kernelskill::expert;
using namespace kernelskill::expert::test;

namespace {

const QStringList allFeatures = {
    QStringLiteral("has_reuse"), QStringLiteral("streaming_no_reuse"), QStringLiteral("has_vector_load_store"), QStringLiteral("is_aligned_vector_access"),
    QStringLiteral("has_tail_handling_overhead"), QStringLiteral("tc_eligible"), QStringLiteral("is_pointwise"), QStringLiteral("uses_transcendentals"),
    QStringLiteral("is_naive_gemm"), QStringLiteral("has_k_loop"), QStringLiteral("is_gemm_kloop"), QStringLiteral("is_stencil_conv"),
    QStringLiteral("has_shared_memory_tile"), QStringLiteral("uses_vector_types"), QStringLiteral("has_bounds_check"), QStringLiteral("kernel_structure_id"),
    QStringLiteral("has_multiple_kernels_in_forward"), QStringLiteral("cudagraph_eligible")};

// The features that are true, sorted, after the structure: "S3 has_bounds_check …".
QString summary(const Features &features)
{
    QStringList words{features.value(QStringLiteral("kernel_structure_id")).toString()};
    for (auto it = features.constBegin(); it != features.constEnd(); ++it) {
        if (it.key() != u"kernel_structure_id" && it.value().toBool())
            words.append(it.key());
    }
    return words.join(u' ');
}

Candidate kernelText(const char *kernel, const char *launch = "k<<<n, 256, 0, stream>>>(x, y, n);")
{
    return Candidate::fromText(QStringLiteral("solve.cu"),
                               QStringLiteral("%1\nextern \"C\" void solve(const float *x, float *y, int n, cudaStream_t stream)\n{\n    %2\n}\n")
                                   .arg(QLatin1String(kernel), QLatin1String(launch)));
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
        QTest::newRow("softmax") << "row_softmax" << "S3 cudagraph_eligible has_bounds_check streaming_no_reuse uses_transcendentals";
        QTest::newRow("layer norm") << "layer_norm" << "S3 cudagraph_eligible has_bounds_check streaming_no_reuse";
        QTest::newRow("matmul") << "matmul" << "S1 cudagraph_eligible has_bounds_check has_k_loop has_reuse is_gemm_kloop is_naive_gemm";
        QTest::newRow("transpose") << "transpose" << "S0 cudagraph_eligible has_bounds_check streaming_no_reuse";
        QTest::newRow("chain") << "bias_gelu_residual"
                               << "S4 cudagraph_eligible has_bounds_check has_multiple_kernels_in_forward is_pointwise streaming_no_reuse uses_transcendentals";
    }
    void baselines()
    {
        QFETCH(QString, name);
        QFETCH(QString, expected);
        const auto features = extractFeatures(task(name).baseline);
        QVERIFY(features);
        QStringList keys = features->keys(), wanted = allFeatures;
        keys.sort();
        wanted.sort();
        QCOMPARE(keys, wanted); // all 18, none more
        QCOMPARE(summary(*features), expected);
    }

    void ownCode_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("skills");
        QTest::addColumn<QString>("expected");
        const QString coalesce = QStringLiteral("memory-coalescing"), shuffle = QStringLiteral("warp-shuffle-reduction"),
                      vector = QStringLiteral("vectorised-access"), cache = QStringLiteral("memory-level-parallelism"),
                      tile = QStringLiteral("shared-memory-tiling"), block = QStringLiteral("register-blocking"), fuse = QStringLiteral("kernel-fusion");
        QTest::newRow("coalesced rows") << "row_softmax" << QStringList{coalesce} << "S3 cudagraph_eligible streaming_no_reuse uses_transcendentals";
        QTest::newRow("cached rows") << "row_softmax" << QStringList{coalesce, shuffle, vector, cache}
                                     << "S3 cudagraph_eligible has_bounds_check has_vector_load_store is_aligned_vector_access streaming_no_reuse "
                                        "uses_transcendentals uses_vector_types";
        QTest::newRow("tiled product") << "matmul" << QStringList{tile}
                                       << "S1 cudagraph_eligible has_bounds_check has_k_loop has_reuse has_shared_memory_tile is_gemm_kloop";
        QTest::newRow("blocked product") << "matmul" << QStringList{tile, block, vector}
                                         << "S1 cudagraph_eligible has_bounds_check has_k_loop has_reuse has_shared_memory_tile has_vector_load_store "
                                            "is_aligned_vector_access is_gemm_kloop uses_vector_types";
        QTest::newRow("tiled transposition") << "transpose" << QStringList{tile, vector}
                                             << "S0 cudagraph_eligible has_bounds_check has_shared_memory_tile has_vector_load_store is_aligned_vector_access "
                                                "streaming_no_reuse uses_vector_types";
        QTest::newRow("fused chain") << "bias_gelu_residual" << QStringList{fuse, vector}
                                     << "S0 cudagraph_eligible has_bounds_check has_vector_load_store is_aligned_vector_access is_pointwise "
                                        "streaming_no_reuse uses_transcendentals uses_vector_types";
    }
    void ownCode()
    {
        QFETCH(QString, name);
        QFETCH(QStringList, skills);
        QFETCH(QString, expected);
        const TaskView taskView = view(name);
        const auto features = extractFeatures(*emitCandidate(taskView, *planAfter(taskView, skills)));
        QVERIFY(features);
        QCOMPARE(summary(*features), expected);
    }

    void snippets_data()
    {
        QTest::addColumn<Candidate>("candidate");
        QTest::addColumn<QString>("expected");
        QTest::newRow("grid-stride copy") << kernelText("__global__ void k(const float *x, float *y, int n) {\n"
                                                        "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2.0f * x[i]; }")
                                          << "S0 cudagraph_eligible is_pointwise streaming_no_reuse";
        QTest::newRow("float4 with tail") << kernelText("__global__ void k(const float *x, float *y, int n) {\n"
                                                        "  const float4 *x4 = reinterpret_cast<const float4 *>(x); float4 *y4 = reinterpret_cast<float4 *>(y);\n"
                                                        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                                        "  if (i < n / 4) y4[i] = x4[i];\n"
                                                        "  if (i < n % 4) y[n / 4 * 4 + i] = x[n / 4 * 4 + i]; }")
                                          << "S0 cudagraph_eligible has_bounds_check has_tail_handling_overhead has_vector_load_store "
                                             "is_aligned_vector_access is_pointwise streaming_no_reuse uses_vector_types";
        QTest::newRow("float4 rows unguarded") << kernelText("__global__ void k(const float *x, float *y, int n) {\n"
                                                             "  const float4 *row = reinterpret_cast<const float4 *>(x + blockIdx.x * n);\n"
                                                             "  float4 *out = reinterpret_cast<float4 *>(y + blockIdx.x * n);\n"
                                                             "  for (int i = threadIdx.x; i < n / 4; i += blockDim.x) out[i] = row[i]; }")
                                               << "S0 cudagraph_eligible has_vector_load_store is_pointwise streaming_no_reuse uses_vector_types";
        QTest::newRow("three-point stencil") << kernelText("__global__ void k(const float *x, float *y, int n) {\n"
                                                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                                           "  if (i > 0 && i < n - 1) y[i] = x[i - 1] + x[i] + x[i + 1]; }")
                                             << "S2 cudagraph_eligible has_bounds_check has_reuse is_stencil_conv";
        QTest::newRow("gather") << kernelText("__global__ void k(const int *index, const float *x, float *y, int n) {\n"
                                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[index[i]]; }",
                                              "k<<<n, 256, 0, stream>>>(nullptr, x, y, n);")
                                << "S2 cudagraph_eligible has_bounds_check";
        QTest::newRow("shuffle sum") << kernelText("__device__ float warpSum(float v) { for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o); return v; }\n"
                                                   "__global__ void k(const float *x, float *y, int n) {\n  float v = 0.0f;\n"
                                                   "  for (int i = threadIdx.x; i < n; i += 32) v += x[blockIdx.x * n + i];\n"
                                                   "  v = warpSum(v);\n  if (threadIdx.x == 0) y[blockIdx.x] = v; }")
                                     << "S3 cudagraph_eligible streaming_no_reuse";
        QTest::newRow("dot product") << kernelText("__global__ void k(const float *x, const float *w, float *y, int n) {\n  float v = 0.0f;\n"
                                                   "  for (int i = threadIdx.x; i < n; i += 32) v += x[i] * w[i];\n  y[threadIdx.x] = v; }",
                                                   "k<<<1, 32, 0, stream>>>(x, x, y, n);")
                                     << "S3 cudagraph_eligible has_k_loop streaming_no_reuse";
        QTest::newRow("half product") << kernelText("__global__ void k(const half *x, const half *w, float *y, int n) {\n"
                                                    "  int row = blockIdx.y, col = threadIdx.x;\n  float v = 0.0f;\n"
                                                    "  for (int p = 0; p < n; ++p) v += __half2float(x[row * n + p]) * __half2float(w[p * n + col]);\n  y[row * n + col] = v; }",
                                                    "k<<<dim3(1, n), n, 0, stream>>>(nullptr, nullptr, y, n);")
                                      << "S1 cudagraph_eligible has_k_loop has_reuse is_gemm_kloop is_naive_gemm tc_eligible";
        QTest::newRow("product with fmaf") << kernelText("__global__ void k(const float *a, const float *b, float *c, int n) {\n"
                                                         "  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;\n  float v = 0.0f;\n"
                                                         "  for (int p = 0; p < n; ++p) { const float left = a[row * n + p]; v = fmaf(left, b[p * n + col], v); }\n  c[row * n + col] = v; }")
                                           << "S1 cudagraph_eligible has_k_loop has_reuse is_gemm_kloop is_naive_gemm";
        QTest::newRow("direct convolution") << kernelText("__global__ void k(const float *x, const float *w, float *y, int width, int taps) {\n"
                                                          "  int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y;\n  float v = 0.0f;\n"
                                                          "  for (int ky = 0; ky < taps; ++ky) for (int kx = 0; kx < taps; ++kx)\n"
                                                          "    v += x[(oy + ky) * width + ox + kx] * w[ky * taps + kx];\n  y[oy * width + ox] = v; }",
                                                          "k<<<n, 256, 0, stream>>>(x, x, y, n, 3);")
                                            << "S2 cudagraph_eligible has_k_loop has_reuse is_stencil_conv";
        QTest::newRow("atomics") << kernelText("__global__ void k(const float *x, float *y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                               "  if (i < n) atomicAdd(y, x[i]); }")
                                 << "S3 cudagraph_eligible has_bounds_check streaming_no_reuse";
        QTest::newRow("launch in a loop") << kernelText("__global__ void k(const float *x, float *y, int n) { y[threadIdx.x] = expf(x[threadIdx.x]); }",
                                                        "for (int step = 0; step < n; ++step) k<<<1, n, 0, stream>>>(x, y, n);")
                                          << "S4 cudagraph_eligible has_multiple_kernels_in_forward is_pointwise streaming_no_reuse uses_transcendentals";
        QTest::newRow("host waits") << kernelText("__global__ void k(const float *x, float *y, int n) { y[threadIdx.x] = x[threadIdx.x]; }",
                                                  "k<<<1, n, 0, stream>>>(x, y, n); cudaStreamSynchronize(stream);")
                                    << "S0 is_pointwise streaming_no_reuse";
        QTest::newRow("swizzled words in comments") << kernelText("// float4 expf atomicAdd __shared__\n__global__ void k(const float *x, float *y, int n) {\n"
                                                                  "  int i = threadIdx.x; /* for (;;) sum += x[i]; */ y[i] = x[i]; }")
                                                    << "S0 cudagraph_eligible is_pointwise streaming_no_reuse";
        QTest::newRow("shared scratch is no tile") << kernelText("__global__ void k(const float *x, float *y, int n) {\n  __shared__ float scratch[256];\n"
                                                                 "  float v = 0.0f;\n  for (int i = threadIdx.x; i < n; i += 256) v = fmaxf(v, x[i]);\n"
                                                                 "  scratch[threadIdx.x] = v;\n  __syncthreads();\n  for (int h = 128; h > 0; h /= 2) {\n"
                                                                 "    if (threadIdx.x < h) scratch[threadIdx.x] = fmaxf(scratch[threadIdx.x], scratch[threadIdx.x + h]);\n"
                                                                 "    __syncthreads();\n  }\n  y[0] = scratch[0]; }")
                                                   << "S3 cudagraph_eligible streaming_no_reuse";
    }
    void snippets()
    {
        QFETCH(Candidate, candidate);
        QFETCH(QString, expected);
        const auto features = extractFeatures(candidate);
        QVERIFY(features);
        QCOMPARE(summary(*features), expected);
    }

    void countsLaunchesAlongOnePath()
    {
        const auto count = [](const char *body) {
            const QString source = QStringLiteral("static void helper() { a<<<1, 1>>>(); b<<<1, 1>>>(); }\nvoid solve() { %1 }").arg(QLatin1String(body));
            return launchesOf(functionsOf(source), QStringLiteral("solve"));
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
        const auto features = extractFeatures(Candidate::fromText(QStringLiteral("solve.cu"), QStringLiteral("int main() { return 0; }")));
        QVERIFY(!features);
        QCOMPARE(features.error().code, QStringLiteral("features.no_kernel"));
    }
};

QTEST_APPLESS_MAIN(ExpertFeaturesTest)
#include "tst_expert_features.moc"
