// SPDX-License-Identifier: Apache-2.0
// Row-major c is column-major cᵀ, so the library is asked for cᵀ. Float32 throughout: no TF32.
#include <cublas_v2.h>
#include <cuda_runtime.h>

namespace {

cublasHandle_t library()
{
    static cublasHandle_t handle = [] {
        cublasHandle_t made;
        cublasCreate(&made);
        cublasSetMathMode(made, CUBLAS_PEDANTIC_MATH);
        return made;
    }();
    return handle;
}

} // namespace

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    const float one = 1.0f, zero = 0.0f;
    cublasSetStream(library(), stream);
    cublasSgemm(library(), CUBLAS_OP_N, CUBLAS_OP_T, n, m, k, &one, b, n, a, m, &zero, c, n);
}
