// SPDX-License-Identifier: Apache-2.0
// Three passes over a row: maximum, sum, result.
#include <cfloat>
#include <cuda_runtime.h>

constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / 32;

__device__ float blockMaximum(float value)
{
    __shared__ float scratch[kWarps];
    for (int offset = 16; offset > 0; offset /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
    __syncthreads();
    for (int warp = 0; warp < kWarps; ++warp)
        value = fmaxf(value, scratch[warp]);
    return value;
}

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
    return value;
}

__global__ void rowSoftmax(const float *__restrict__ x, float *__restrict__ y, int cols)
{
    const float *x_row = x + size_t(blockIdx.x) * cols;
    float *y_row = y + size_t(blockIdx.x) * cols;

    float largest = -FLT_MAX;
    for (int col = threadIdx.x; col < cols; col += kThreads)
        largest = fmaxf(largest, x_row[col]);
    largest = blockMaximum(largest);

    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads)
        sum += expf(x_row[col] - largest);
    sum = blockSum(sum);

    const float inverse_sum = 1.0f / sum;
    for (int col = threadIdx.x; col < cols; col += kThreads)
        y_row[col] = expf(x_row[col] - largest) * inverse_sum;
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    rowSoftmax<<<rows, kThreads, 0, stream>>>(x, y, cols);
}
