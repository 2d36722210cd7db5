// SPDX-License-Identifier: Apache-2.0
// Subtracts the mean of each row; the block fits the rows, and 16 of them share a multiprocessor.
#include <cuda_runtime.h>

constexpr int kThreads = 128; // threads of a block

__device__ float blockSum(float sum)
{
    __shared__ float scratch[kThreads / 32];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int warp = 0; warp < kThreads / 32; ++warp)
        sum += scratch[warp];
    return sum;
}

__global__ void rowCentre(const float *__restrict__ x, float *__restrict__ y, int cols)
{
    const float *x_row = x + size_t(blockIdx.x) * cols;
    float *y_row = y + size_t(blockIdx.x) * cols;
    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads)
        sum += x_row[col];
    const float mean = blockSum(sum) / cols;
    for (int col = threadIdx.x; col < cols; col += kThreads)
        y_row[col] = x_row[col] - mean;
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    rowCentre<<<rows, kThreads, 0, stream>>>(x, y, cols);
}
