// SPDX-License-Identifier: Apache-2.0
// The product through cuBLASLt with TF32 tensor cores. Link with -lcublasLt.
#include <cublasLt.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr size_t kWorkspaceBytes = 32u << 20;

void require(cublasStatus_t status, const char *what)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    std::fprintf(stderr, "cuBLASLt: %s: %s\n", what, cublasLtGetStatusString(status));
    std::abort();
}

// Made once for a size and kept: asking for the best algorithm takes longer than a small product.
struct Plan
{
    int m = -1, n = -1, k = -1;
    cublasLtMatmulDesc_t product = nullptr;
    cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
    cublasLtMatmulAlgo_t algorithm{};
};

// The library counts by columns, and a row-major matrix read by columns is its transpose. cᵀ = bᵀ·aᵀ needs no data
// moved: b comes first, and m and n change places.
void prepare(Plan &plan, cublasLtHandle_t library, int m, int n, int k)
{
    if (plan.product) {
        cublasLtMatmulDescDestroy(plan.product);
        for (cublasLtMatrixLayout_t layout : {plan.a, plan.b, plan.c})
            cublasLtMatrixLayoutDestroy(layout);
    }
    plan = {};
    // Inputs are rounded to TF32, products are exact, sums are float32.
    require(cublasLtMatmulDescCreate(&plan.product, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F), "description");
    require(cublasLtMatrixLayoutCreate(&plan.b, CUDA_R_32F, n, k, n), "layout of b");
    require(cublasLtMatrixLayoutCreate(&plan.a, CUDA_R_32F, k, m, k), "layout of a");
    require(cublasLtMatrixLayoutCreate(&plan.c, CUDA_R_32F, n, m, n), "layout of c");

    cublasLtMatmulPreference_t preference = nullptr;
    require(cublasLtMatmulPreferenceCreate(&preference), "preference");
    require(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspaceBytes,
                                                 sizeof kWorkspaceBytes),
            "workspace");
    cublasLtMatmulHeuristicResult_t best{};
    int found = 0;
    require(cublasLtMatmulAlgoGetHeuristic(library, plan.product, plan.b, plan.a, plan.c, plan.c, preference, 1, &best,
                                           &found),
            "choice of an algorithm");
    cublasLtMatmulPreferenceDestroy(preference);
    if (found == 0)
        require(CUBLAS_STATUS_NOT_SUPPORTED, "no algorithm for this size");
    plan.algorithm = best.algo;
    plan.m = m;
    plan.n = n;
    plan.k = k;
}

} // namespace

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    static cublasLtHandle_t library = nullptr;
    static void *workspace = nullptr;
    static Plan plan;
    if (!library) {
        require(cublasLtCreate(&library), "start");
        cudaMalloc(&workspace, kWorkspaceBytes);
    }
    if (plan.m != m || plan.n != n || plan.k != k)
        prepare(plan, library, m, n, k);

    const float one = 1.0f, zero = 0.0f;
    require(cublasLtMatmul(library, plan.product, &one, b, plan.b, a, plan.a, &zero, c, plan.c, c, plan.c,
                           &plan.algorithm, workspace, kWorkspaceBytes, stream),
            "product");
}
