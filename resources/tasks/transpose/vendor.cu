// SPDX-License-Identifier: Apache-2.0
// The library adds two matrices; one of them is nothing here.
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

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    const float one = 1.0f, zero = 0.0f;
    cublasSetStream(library(), stream);
    cublasSgeam(library(), CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one, x, cols, &zero, y, rows, y, rows);
}
