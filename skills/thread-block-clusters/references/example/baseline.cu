// SPDX-License-Identifier: Apache-2.0
// A block a row: it reads the row three times, and most multiprocessors have no row.
#include <cfloat>
#include <cuda_runtime.h>

constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / 32;

struct Sum
{
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct Maximum
{
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// Of all threads of the block; every thread gets it.
template <class Operation> __device__ float blockReduce(float value, Operation operation)
{
    __shared__ float scratch[kWarps];
    for (int offset = 16; offset > 0; offset /= 2)
        value = operation(value, __shfl_xor_sync(0xffffffffu, value, offset));
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
    __syncthreads();
    value = scratch[0];
    for (int warp = 1; warp < kWarps; ++warp)
        value = operation(value, scratch[warp]);
    __syncthreads();
    return value;
}

__global__ void softmax(const float *x, float *y, int cols)
{
    const float *from = x + size_t(blockIdx.x) * cols;
    float *to = y + size_t(blockIdx.x) * cols;
    float largest = -FLT_MAX;
    for (int col = threadIdx.x; col < cols; col += kThreads)
        largest = fmaxf(largest, from[col]);
    largest = blockReduce(largest, Maximum());

    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads)
        sum += __expf(from[col] - largest);
    const float scale = 1.0f / blockReduce(sum, Sum());

    for (int col = threadIdx.x; col < cols; col += kThreads)
        to[col] = __expf(from[col] - largest) * scale;
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    softmax<<<rows, kThreads, 0, stream>>>(x, y, cols);
}
