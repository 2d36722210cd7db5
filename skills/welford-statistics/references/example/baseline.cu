// SPDX-License-Identifier: Apache-2.0
// A block a row, in two passes: the mean first, then the squares of the differences from it.
#include <cuda_runtime.h>

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;

__device__ float blockSum(float value)
{
    __shared__ float scratch[kWarps];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0.0f;
    for (int warp = 0; warp < kWarps; ++warp)
        value += scratch[warp];
    __syncthreads();
    return value;
}

__global__ void statistics(const float *x, float *mean, float *variance, int cols)
{
    const float *row = x + size_t(blockIdx.x) * cols;
    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads)
        sum += row[col];
    const float centre = blockSum(sum) / cols;

    float squares = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads) {
        const float difference = row[col] - centre;
        squares += difference * difference;
    }
    squares = blockSum(squares);
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = centre;
        variance[blockIdx.x] = squares / cols;
    }
}

extern "C" void solve(const float *x, float *mean, float *variance, int rows, int cols, cudaStream_t stream)
{
    statistics<<<rows, kThreads, 0, stream>>>(x, mean, variance, cols);
}
