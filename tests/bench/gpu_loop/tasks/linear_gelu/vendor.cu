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

__global__ void biasGelu(const float *bias, float *c, size_t count, int n)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float h = c[i] + bias[i % n];
    c[i] = 0.5f * h * (1.0f + erff(h * 0.70710678f));
}

extern "C" void solve(const float *a, const float *w, const float *bias, float *c, int m, int n, int k,
                      cudaStream_t stream)
{
    const float one = 1.0f, zero = 0.0f;
    cublasSetStream(library(), stream);
    cublasSgemm(library(), CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, w, k, a, k, &zero, c, n);
    biasGelu<<<unsigned((size_t(m) * n + 255) / 256), 256, 0, stream>>>(bias, c, size_t(m) * n, n);
}
