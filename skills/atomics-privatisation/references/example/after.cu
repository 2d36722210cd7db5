// SPDX-License-Identifier: Apache-2.0
// Each block counts in shared memory and adds its counts to the global histogram once.
#include <cuda_runtime.h>

constexpr int kBins = 256;
constexpr int kThreads = 256;
constexpr int kPerThread = 16;

__global__ void histogram(const unsigned char *x, int *counts, int n)
{
    __shared__ int own[kBins];
    for (int bin = threadIdx.x; bin < kBins; bin += kThreads)
        own[bin] = 0;
    __syncthreads();

    const int first = blockIdx.x * kThreads * kPerThread + threadIdx.x;
    for (int step = 0; step < kPerThread; ++step) {
        const int i = first + step * kThreads;
        if (i < n) atomicAdd(&own[x[i]], 1);
    }
    __syncthreads();

    for (int bin = threadIdx.x; bin < kBins; bin += kThreads) {
        if (own[bin] > 0) atomicAdd(&counts[bin], own[bin]);
    }
}

extern "C" void solve(const unsigned char *x, int *counts, int n, cudaStream_t stream)
{
    cudaMemsetAsync(counts, 0, kBins * sizeof(int), stream);
    const int blocks = (n + kThreads * kPerThread - 1) / (kThreads * kPerThread);
    histogram<<<blocks, kThreads, 0, stream>>>(x, counts, n);
}
