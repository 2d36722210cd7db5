// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void digits(const unsigned *keys, unsigned *counts, int n, int shift)
{
    __shared__ unsigned c[16];
    if (threadIdx.x < 16) c[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const unsigned digit = (keys[i] >> shift) & 15u;
        atomicAdd(c + digit, 1u);
    }
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = c[threadIdx.x];
}

extern "C" void solve(const unsigned *keys, unsigned *counts, int n, int shift, cudaStream_t stream)
{
    digits<<<(n + 255) / 256, 256, 0, stream>>>(keys, counts, n, shift);
}
