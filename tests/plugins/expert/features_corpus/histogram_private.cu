// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void histogram(const unsigned char *data, unsigned int *bins, int n)
{
    __shared__ unsigned int local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        atomicAdd(&bins[b], local[b]);
}

extern "C" void solve(const unsigned char *data, unsigned int *bins, int n, cudaStream_t stream)
{
    cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned int), stream);
    histogram<<<264, 256, 0, stream>>>(data, bins, n);
}
