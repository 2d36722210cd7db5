// SPDX-License-Identifier: Apache-2.0
// A fixed grid strides over the data; warp shuffles replace most of the tree.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int mostBlocks = 1056;

__global__ void sumAll(const float *x, float *y, int count)
{
    __shared__ float partial[threads / 32];
    float sum = 0.0f;
    for (int i = blockIdx.x * threads + threadIdx.x; i < count; i += gridDim.x * threads)
        sum += x[i];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < threads / 32; ++w)
            sum += partial[w];
        atomicAdd(y, sum);
    }
}

extern "C" void solve(const float *x, float *y, int count, cudaStream_t stream)
{
    cudaMemsetAsync(y, 0, sizeof(float), stream);
    const int blocks = (count + threads - 1) / threads;
    sumAll<<<blocks < mostBlocks ? blocks : mostBlocks, threads, 0, stream>>>(x, y, count);
}
