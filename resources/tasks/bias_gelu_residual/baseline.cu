// SPDX-License-Identifier: Apache-2.0
// Three operators, three kernels; each reads and writes the whole matrix.
#include <cuda_runtime.h>

__global__ void addBias(const float *x, const float *bias, float *y, int count, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = x[i] + bias[i % cols];
}

__global__ void gelu(float *y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = 0.5f * y[i] * (1.0f + erff(y[i] * 0.70710678f));
}

__global__ void addResidual(const float *residual, float *y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = y[i] + residual[i];
}

extern "C" void solve(const float *x, const float *bias, const float *residual, float *y, int rows, int cols,
                      cudaStream_t stream)
{
    const int count = rows * cols;
    const int threads = 256;
    const int blocks = (count + threads - 1) / threads;
    addBias<<<blocks, threads, 0, stream>>>(x, bias, y, count, cols);
    gelu<<<blocks, threads, 0, stream>>>(y, count);
    addResidual<<<blocks, threads, 0, stream>>>(residual, y, count);
}
