// SPDX-License-Identifier: Apache-2.0
// One block sums one column: neighbouring threads read a whole row apart.
#include <cuda_runtime.h>

constexpr int threads = 256;

__global__ void columnSum(const float *x, float *y, int rows, int cols)
{
    __shared__ float partial[threads];
    float sum = 0.0f;
    for (int r = threadIdx.x; r < rows; r += threads)
        sum += x[size_t(r) * cols + blockIdx.x];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = partial[0];
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    columnSum<<<cols, threads, 0, stream>>>(x, y, rows, cols);
}
