// SPDX-License-Identifier: Apache-2.0
// A fixed grid strides over the data, so that bins are merged a few hundred times instead of thousands.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int mostBlocks = 1056;

__global__ void histogram(const unsigned char *x, int *bins, int count)
{
    __shared__ int part[256];
    part[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 4
    for (int i = blockIdx.x * threads + threadIdx.x; i < count; i += gridDim.x * threads)
        atomicAdd(&part[x[i]], 1);
    __syncthreads();
    if (part[threadIdx.x] != 0)
        atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}

extern "C" void solve(const unsigned char *x, int *bins, int count, cudaStream_t stream)
{
    cudaMemsetAsync(bins, 0, 256 * sizeof(int), stream);
    const int blocks = (count + threads - 1) / threads;
    histogram<<<blocks < mostBlocks ? blocks : mostBlocks, threads, 0, stream>>>(x, bins, count);
}
